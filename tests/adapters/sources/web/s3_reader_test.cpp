// S3 that says what no good server says, or says seldom.

#include "adapters/sources/web/s3_reader.hpp"
#include "tests/adapters/sources/web/web_sources.hpp"

#include <atomic>
#include <tuple>

namespace depositd::sources {

using namespace std::chrono_literals;

namespace {

struct shown {
  std::string key; ///< as it stands in the list
  int size = 1;
};

std::string listed(const std::vector<shown>& what,
                   const std::string& next = {}) {
  std::string out = "<ListBucketResult><EncodingType>url</EncodingType>"
                    "<IsTruncated>"
                    + std::string{next.empty() ? "false" : "true"}
                    + "</IsTruncated><NextContinuationToken>" + next
                    + "</NextContinuationToken>";
  for (const auto& x : what)
    out += "<Contents><Key>" + x.key + "</Key><Size>" + std::to_string(x.size)
           + "</Size><ETag>&quot;t&quot;</ETag><LastModified>"
             "2026-03-01T09:30:00.000Z</LastModified></Contents>";
  return scripted_server::ok(out + "</ListBucketResult>");
}

std::string denied(const std::string& status, const std::string& code,
                   const std::string& more = "") {
  return scripted_server::response(status, "",
                                   "<Error><Code>" + code
                                     + "</Code><Message>because</Message>"
                                     + more + "</Error>");
}

class s3_reader_test : public ::testing::Test {
protected:
  s3_reader_test() : settings(web_source(source_kind::s3)) {
    settings.from.bucket = "bucket";
    settings.from.prefix = "p/";
    keys.name_in(settings.from);
  }

  void open(std::initializer_list<std::string> answers) {
    server = std::make_unique<scripted_server>(turns(answers));
    settings.from.endpoint = server->url("");
    reader = opened(make_s3_reader("src", settings, web_context()));
  }

  std::string line(std::size_t request) const {
    return line_of_request(server->requests().at(request));
  }

  using texts = std::vector<std::string>;

  key_files keys;
  source_settings settings;
  std::unique_ptr<scripted_server> server;
  std::unique_ptr<source_reader> reader;
};

} // namespace

TEST_F(s3_reader_test, asks_and_signs_as_s3_wants_it) {
  open({listed({{"p/b%2Bc"}})});
  const auto batch = next(*reader, 7, "p/a b&");
  ASSERT_EQ(batch.records.size(), 1u);
  EXPECT_EQ(batch.records[0].key, "p/b+c");
  EXPECT_EQ(batch.records[0].cursor, "p/b+c");
  EXPECT_EQ(batch.records[0].body,
            R"({"bucket":"bucket","key":"p/b+c","size":1,"etag":"t",)"
            R"("modified_at":"2026-03-01T09:30:00.000Z"})");
  EXPECT_EQ(batch.cursor, "p/b+c");
  EXPECT_TRUE(batch.has_cursor);
  EXPECT_EQ(line(0), "GET /bucket?encoding-type=url&list-type=2&max-keys=7"
                     "&prefix=p%2F&start-after=p%2Fa%20b%26");
  const auto request = server->requests().at(0);
  const auto proof = scripted_server::header(request, "Authorization");
  EXPECT_NE(proof.find("Credential=depositd-test/"), proof.npos) << proof;
  EXPECT_NE(proof.find("/us-east-1/s3/aws4_request"), proof.npos) << proof;
  EXPECT_EQ(request.find("only/for+tests"), request.npos);
}

TEST_F(s3_reader_test, does_not_sign_without_keys) {
  settings.from.access_key_file.clear();
  settings.from.secret_key_file.clear();
  open({listed({})});
  next(*reader);
  EXPECT_EQ(scripted_server::header(server->requests().at(0), "Authorization"),
            "");
}

TEST_F(s3_reader_test, is_where_it_was_when_nothing_is_there) {
  open({listed({})});
  const auto first = next(*reader);
  EXPECT_TRUE(first.records.empty());
  EXPECT_FALSE(first.has_cursor);
  const auto later = next(*reader, 5, "p/a");
  EXPECT_TRUE(later.records.empty());
  EXPECT_EQ(later.cursor, "p/a");
}

TEST_F(s3_reader_test, goes_on_behind_the_last_key_until_there_is_no_room) {
  open({listed({{"p/a"}, {"p/b"}}, "token"), listed({{"p/c"}}, "token"),
        listed({{"p/d"}})});
  EXPECT_EQ(keys_of(next(*reader, 3)), (texts{"p/a", "p/b", "p/c"}));
  EXPECT_EQ(line(1), "GET /bucket?encoding-type=url&list-type=2&max-keys=1"
                     "&prefix=p%2F&start-after=p%2Fb");
  EXPECT_EQ(server->requests().size(), 2u);
}

TEST_F(s3_reader_test, passes_over_what_stands_for_a_folder) {
  open({listed({{"p/", 0}, {"p/a/", 0}}, "token"),
        listed({{"p/b/", 1}, {"p/c/", 0}})});
  const auto batch = next(*reader, 5);
  EXPECT_EQ(keys_of(batch), texts{"p/b/"}) << "which has bytes";
  EXPECT_EQ(batch.cursor, "p/c/") << "they need not be listed again";
  EXPECT_NE(line(1).find("start-after=p%2Fa%2F"), std::string::npos);
}

TEST_F(s3_reader_test, takes_no_key_twice_where_a_list_begins_with_it) {
  open({listed({{"p/a"}, {"p/b"}})});
  EXPECT_EQ(keys_of(next(*reader, 5, "p/a")), texts{"p/b"});
}

TEST_F(s3_reader_test, does_not_miss_what_comes_in_another_order) {
  for (const auto& what :
       {std::vector<shown>{{"p/b"}, {"p/a"}},
        std::vector<shown>{{"p/b"}, {"p/b"}},
        std::vector<shown>{{"p/%F0%9F%98%80"}, {"p/%EF%BF%BD"}}}) {
    open({listed(what)});
    EXPECT_EQ(asked(*reader).error(), ec::malformed) << what[0].key;
  }
  open({listed({{"p/a"}})});
  EXPECT_EQ(asked(*reader, 5, "p/b").error(), ec::malformed)
    << "it does not know where to begin";
}

TEST_F(s3_reader_test, takes_nothing_that_has_another_prefix) {
  open({listed({{"q/a"}})});
  EXPECT_EQ(asked(*reader).error(), ec::malformed);
}

TEST_F(s3_reader_test, follows_lists_that_are_empty_but_not_for_ever) {
  open({listed({}, "one"), listed({}, "two"), listed({{"p/a"}})});
  EXPECT_EQ(keys_of(next(*reader)), texts{"p/a"});
  EXPECT_EQ(line(1), "GET /bucket?continuation-token=one&encoding-type=url"
                     "&list-type=2&max-keys=100&prefix=p%2F");
  open({listed({}, "same")});
  EXPECT_EQ(asked(*reader).error(), ec::malformed);
}

/// Where very much was removed the list goes on, and shows nothing.
TEST_F(s3_reader_test, goes_on_in_a_list_that_shows_no_keys_for_long) {
  std::atomic<int> lists = 0;
  std::atomic<bool> knows_tokens = true;
  server = std::make_unique<scripted_server>([&](const std::string&) {
    return knows_tokens ? listed({}, "t" + std::to_string(++lists))
                        : denied("400 Bad Request", "InvalidArgument");
  });
  settings.from.endpoint = server->url("");
  reader = opened(make_s3_reader("src", settings, web_context()));
  const auto ask = [&] { return asked(*reader, 5, "p/a", 2s); };
  const auto first = ask();
  ASSERT_FALSE(first) << "as if nothing more came";
  EXPECT_EQ(first.error(), ec::store_failed);
  const auto count = server->requests().size();
  EXPECT_FALSE(ask());
  EXPECT_NE(line(count).find("?continuation-token=t" + std::to_string(count)),
            std::string::npos)
    << line(count);
  knows_tokens = false;
  EXPECT_FALSE(ask());
  const auto refused = server->requests().size();
  EXPECT_FALSE(ask());
  EXPECT_NE(line(refused).find("&start-after=p%2Fa"), std::string::npos)
    << "a place in a list does not last for ever";
}

TEST_F(s3_reader_test, names_keys_that_are_not_utf8_and_goes_on_behind_them) {
  open({listed({{"p/a"}, {"p/%FFb%25"}}), listed({{"p/%FFc"}})});
  const auto batch = next(*reader, 5);
  EXPECT_EQ(keys_of(batch), texts{"p/a"});
  ASSERT_EQ(batch.bad.size(), 1u);
  EXPECT_EQ(batch.bad[0].key, "p/\xEF\xBF\xBD"
                              "b%");
  EXPECT_EQ(batch.cursor, "percent-encoded:p/%FFb%25");
  next(*reader, 5, batch.cursor);
  EXPECT_NE(line(1).find("&start-after=p%2F%FFb%25"), std::string::npos)
    << line(1);
}

TEST_F(s3_reader_test, tells_its_own_marks_from_keys) {
  settings.from.prefix = "";
  open({listed({{"percent-encoded:a%2525"}}), listed({})});
  const auto batch = next(*reader, 1);
  EXPECT_EQ(keys_of(batch), texts{"percent-encoded:a%25"});
  next(*reader, 1, batch.cursor);
  EXPECT_NE(line(1).find("&start-after=percent-encoded%3Aa%2525"),
            std::string::npos)
    << line(1);
}

TEST_F(s3_reader_test, keeps_what_it_has_when_a_further_list_fails) {
  open({listed({{"p/a"}}, "token"), denied("500 No", "InternalError")});
  const auto batch = next(*reader);
  EXPECT_EQ(keys_of(batch), texts{"p/a"});
  EXPECT_EQ(asked(*reader, 5, batch.cursor).error(), ec::store_failed);
}

TEST_F(s3_reader_test, says_why_it_was_refused) {
  for (const auto& [answer, code, reason] :
       {std::tuple{denied("404 Not Found", "NoSuchBucket"), ec::not_found,
                   "S3 answers with 404: NoSuchBucket (because)"},
        std::tuple{denied("403 Forbidden", "echo only/for+tests"),
                   ec::store_failed, "S3 answers with 403: echo *** (because)"},
        std::tuple{denied("301 Moved Permanently", "PermanentRedirect",
                          "<Region>eu-north-1</Region>"),
                   ec::store_failed,
                   "S3 answers with 301: PermanentRedirect (because); the "
                   "region is eu-north-1"},
        std::tuple{scripted_server::response("404 Not Found", "", "<html/>"),
                   ec::store_failed, "S3 answers with 404"}}) {
    open({answer});
    const auto out = asked(*reader);
    ASSERT_FALSE(out) << reason;
    EXPECT_EQ(out.error(), code) << reason;
    EXPECT_EQ(render(out.error()), reason);
  }
}

TEST_F(s3_reader_test, does_not_understand_everything) {
  open({scripted_server::ok("<html/>")});
  EXPECT_EQ(asked(*reader).error(), ec::malformed);
  open({scripted_server::ok("")});
  EXPECT_EQ(asked(*reader).error(), ec::malformed);
}

TEST_F(s3_reader_test, is_refused_where_settings_cannot_be) {
  const auto wrong = [this](auto change) {
    auto x = settings;
    change(x.from);
    const auto made = make_s3_reader("src", x, web_context());
    if (made)
      return std::string{"none"};
    EXPECT_EQ(made.error(), ec::bad_setting);
    const auto text = render(made.error());
    return text.substr(0, text.find(':'));
  };
  using origin = source_origin;
  EXPECT_EQ(wrong([](origin&) {}), "none");
  EXPECT_EQ(wrong([](origin& x) { x.bucket = "No Bucket"; }), "bucket");
  EXPECT_EQ(wrong([](origin& x) { x.endpoint = "http://h/path"; }), "endpoint");
  EXPECT_EQ(wrong([](origin& x) { x.endpoint = "http://u:p@h"; }), "endpoint");
  EXPECT_EQ(wrong([](origin& x) { x.prefix.assign(1'025, 'x'); }), "prefix");
  EXPECT_EQ(wrong([](origin& x) { x.region = "no region"; }), "region");
  EXPECT_EQ(wrong([](origin& x) { x.access_key_file.clear(); }),
            "access_key_file");
}

} // namespace depositd::sources
