// S3 on a server that checks signatures.

#include "adapters/sources/web/s3_reader.hpp"
#include "tests/adapters/sources/web/web_sources.hpp"
#include "tests/support/s3_server.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace depositd::sources {

namespace {

class s3_server_test : public ::testing::Test {
protected:
  void SetUp() override {
    if (!s3_installed())
      GTEST_SKIP() << "S3 CANNOT RUN HERE";
    const auto options = shared_s3().options();
    prefix = options.place.prefix + "/";
    bucket.emplace(options);
    settings = web_source(source_kind::s3);
    settings.from.endpoint = shared_s3().url();
    settings.from.bucket = options.place.bucket;
    settings.from.prefix = prefix;
    keys.name_in(settings.from);
    open();
  }

  void open() {
    reader = opened(make_s3_reader("src", settings, web_context()));
  }

  void put(const std::string& name, const std::string& bytes = "x") {
    const auto error = bucket->put(name, bytes);
    ASSERT_FALSE(error) << name << ": " << render(error);
  }

  /// Without the prefix that only this test has.
  std::vector<std::string> names_of(const pulled_batch& x) const {
    auto out = keys_of(x);
    for (auto& key : out) {
      EXPECT_TRUE(key.starts_with(prefix)) << key;
      key.erase(0, prefix.size());
    }
    return out;
  }

  using texts = std::vector<std::string>;

  std::string prefix;
  std::optional<s3::client> bucket;
  key_files keys;
  source_settings settings;
  std::unique_ptr<source_reader> reader;
};

} // namespace

TEST_F(s3_server_test, keys_with_any_characters_come_in_their_order) {
  texts names{"a b",        "a+b",     "a%20b", "\u00e9\u4e2d", "a=b&c",
              "it's (1)*!", "d/e;f,g", "~x$@",  "<&\">",        "\U0001F600"};
  for (const auto& name : names)
    put(name);
  std::sort(names.begin(), names.end());
  texts seen;
  std::string cursor;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto batch = next(*reader, 1, cursor);
    ASSERT_EQ(batch.records.size(), 1u) << names[i];
    seen.push_back(names_of(batch)[0]);
    cursor = batch.records[0].cursor;
    EXPECT_EQ(cursor, prefix + names[i]);
  }
  EXPECT_EQ(seen, names);
  EXPECT_TRUE(next(*reader, 1, cursor).records.empty());
}

TEST_F(s3_server_test, objects_are_described) {
  put("a", "hello");
  const auto batch = next(*reader);
  ASSERT_EQ(batch.records.size(), 1u);
  const auto body = nlohmann::json::parse(batch.records[0].body);
  EXPECT_EQ(body["bucket"], settings.from.bucket);
  EXPECT_EQ(body["key"], prefix + "a");
  EXPECT_EQ(body["size"], 5);
  EXPECT_EQ(body["etag"], "5d41402abc4b2a76b9719d911017c592");
  const auto modified = body["modified_at"].get<std::string>();
  EXPECT_EQ(modified.substr(0, 2), "20");
  EXPECT_EQ(modified.back(), 'Z');
}

TEST_F(s3_server_test, only_what_has_the_prefix_comes) {
  settings.from.prefix = prefix + "in-";
  open();
  put("ax");
  put("in-1");
  put("in-2/3");
  put("other");
  EXPECT_EQ(names_of(next(*reader)), (texts{"in-1", "in-2/3"}));
}

TEST_F(s3_server_test, lists_have_more_than_one_page) {
  for (int i = 10; i < 35; ++i)
    put(std::to_string(i));
  settings.from.prefix = prefix + "1";
  open();
  EXPECT_EQ(next(*reader).records.size(), 10u);
  settings.from.prefix = prefix;
  open();
  const auto first = next(*reader, 20);
  EXPECT_EQ(first.records.size(), 20u);
  EXPECT_EQ(names_of(next(*reader, 20, first.cursor)),
            (texts{"30", "31", "32", "33", "34"}));
}

TEST_F(s3_server_test, a_key_that_comes_before_the_last_one_is_not_read) {
  put("m");
  const auto batch = next(*reader);
  put("a");
  put("z");
  EXPECT_EQ(names_of(next(*reader, 5, batch.cursor)), texts{"z"});
}

TEST_F(s3_server_test, a_wrong_key_is_refused_and_may_be_replaced) {
  put("a");
  keys.spoil();
  const auto out = asked(*reader);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::store_failed);
  EXPECT_NE(render(out.error()).find("SignatureDoesNotMatch"),
            std::string::npos)
    << render(out.error());
  keys.mend();
  EXPECT_EQ(names_of(next(*reader)), texts{"a"});
}

TEST_F(s3_server_test, a_bucket_that_is_not_there_is_named_so) {
  settings.from.bucket = "not-there";
  open();
  const auto out = asked(*reader);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::not_found) << render(out.error());
}

} // namespace depositd::sources
