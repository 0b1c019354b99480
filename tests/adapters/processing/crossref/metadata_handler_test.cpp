#include "adapters/processing/crossref/metadata_handler.hpp"

#include "tests/adapters/doors/crossref/fake_stores.hpp"
#include "tests/adapters/processing/crossref/deposit_builder.hpp"
#include "tests/adapters/processing/crossref/real_deposits.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <set>

namespace {

using namespace depositd;
using namespace depositd::crossref;
using depositd::testing::a_deposit;
using depositd::testing::fake_registry;
using depositd::testing::real_deposits;

struct metadata_handler_test : ::testing::Test {
  outcome deposit(const std::string& bytes,
                  std::vector<std::string> prefixes = {}) {
    submission_job job;
    job.submission = ++submission_last;
    job.user = "alice";
    job.processor = "sp1";
    job.prefixes = std::move(prefixes);
    return handler.handle(job, bytes);
  }

  /// "Success/doi/msg" of each record, in order.
  static std::vector<std::string> records(const outcome& x) {
    static const std::regex pattern{
      "<record_diagnostic status=\"(\\w+)\"( msg_id=\"(\\d+)\")?>\\s*"
      "<doi( />|>([^<]*)</doi>)\\s*<msg>([^<]*)</msg>"};
    std::vector<std::string> out;
    for (std::sregex_iterator i{x.document.begin(), x.document.end(), pattern},
         end;
         i != end; ++i)
      out.push_back((*i)[1].str() + (*i)[3].str() + "/" + (*i)[5].str() + "/"
                    + (*i)[6].str());
    return out;
  }

  static bool has_counts(const outcome& x, int all, int good, int bad) {
    const auto is = [&](const std::string& name, int number) {
      return x.document.find("<" + name + ">" + std::to_string(number) + "</"
                             + name + ">")
             != std::string::npos;
    };
    return is("record_count", all) && is("success_count", good)
           && is("warning_count", 0) && is("failure_count", bad);
  }

  std::shared_ptr<fake_registry> registry = std::make_shared<fake_registry>();
  metadata_handler handler{registry, nullptr};
  item_id submission_last = 0;
};

using lines = std::vector<std::string>;

TEST_F(metadata_handler_test, row_24_adds_then_updates) {
  const auto first =
    deposit(a_deposit().with_timestamp("1").with_article("10.5555/a").text());
  EXPECT_EQ(first.says, verdict::done);
  EXPECT_EQ(first.batch_id, "batch-1");
  EXPECT_EQ(records(first), lines{"Success/10.5555/a/Successfully added"});
  EXPECT_NE(first.document.find("<doi_batch_diagnostic status=\"completed\" "
                                "sp=\"sp1\">\n  <submission_id>1<"),
            std::string::npos);
  const auto second =
    deposit(a_deposit().with_timestamp("2").with_article("10.5555/A").text());
  EXPECT_EQ(records(second), lines{"Success/10.5555/A/Successfully updated"});
  EXPECT_EQ(registry->records.at("10.5555/a").owner, "alice");
  EXPECT_EQ(registry->records.at("10.5555/a").timestamp, "2");
}

TEST_F(metadata_handler_test, row_27_refuses_an_old_or_equal_timestamp) {
  deposit(a_deposit().with_timestamp("9").with_article("10.5555/a").text());
  for (const auto* old : {"9", "8", "08"}) {
    const auto x =
      deposit(a_deposit().with_timestamp(old).with_article("10.5555/a").text());
    EXPECT_EQ(x.says, verdict::failed);
    EXPECT_EQ(records(x),
              lines{"Failure4/10.5555/a/Record not processed because submitted "
                    "version: "
                    + std::string{old}
                    + " is less or equal to previously submitted version (DOI "
                      "match)"});
    EXPECT_TRUE(has_counts(x, 1, 0, 1));
    EXPECT_EQ(x.reason.find("10.5555/a: Record not processed"), 0u);
  }
  const auto newer =
    deposit(a_deposit().with_timestamp("10").with_article("10.5555/a").text());
  EXPECT_EQ(newer.says, verdict::done);
}

TEST_F(metadata_handler_test, lets_a_dois_own_timestamp_decide) {
  deposit(a_deposit().with_timestamp("9").with_article("10.5555/a").text());
  const auto x = deposit(
    a_deposit().with_timestamp("1").with_article("10.5555/a", "10").text());
  EXPECT_EQ(x.says, verdict::done);
}

TEST_F(metadata_handler_test, row_26_tells_the_records_of_a_mixed_batch_apart) {
  deposit(a_deposit().with_timestamp("9").with_article("10.5555/b").text());
  const auto x = deposit(a_deposit()
                           .with_timestamp("5")
                           .with_article("10.5555/a")
                           .with_article("10.5555/b")
                           .with_article("not-a-doi")
                           .text());
  EXPECT_EQ(x.says, verdict::done);
  EXPECT_TRUE(has_counts(x, 3, 1, 2));
  const auto got = records(x);
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0], "Success/10.5555/a/Successfully added");
  EXPECT_EQ(got[1].find("Failure4/10.5555/b/"), 0u);
  EXPECT_EQ(got[2].find("Failure/not-a-doi/Not a DOI"), 0u);
}

TEST_F(metadata_handler_test, row_29_refuses_prefixes_of_others) {
  const auto x = deposit(
    a_deposit().with_article("10.5555/a").with_article("10.6666/a").text(),
    {"10.5555", "10.7777"});
  EXPECT_EQ(records(x),
            (lines{"Success/10.5555/a/Successfully added",
                   "Failure/10.6666/a/User not allowed to add records for "
                   "prefix: 10.6666"}));
  EXPECT_EQ(registry->records.count("10.6666/a"), 0u);
}

TEST_F(metadata_handler_test, does_not_ask_the_registry_when_all_is_refused) {
  const auto x =
    deposit(a_deposit().with_article("10.6666/a").text(), {"10.5555"});
  EXPECT_EQ(x.says, verdict::failed);
  EXPECT_EQ(registry->calls, 0);
}

TEST_F(metadata_handler_test, never_fails_for_a_missing_relation_target) {
  const auto x = deposit(a_deposit()
                           .with_body(R"(<posted_content>
    <program xmlns="http://www.crossref.org/relations.xsd"><related_item>
    <intra_work_relation identifier-type="doi">10.5555/unknown
    </intra_work_relation></related_item></program>
    <doi_data><doi>10.5555/a</doi></doi_data></posted_content>)")
                           .text());
  EXPECT_EQ(records(x), lines{"Success/10.5555/a/Successfully added"});
}

TEST_F(metadata_handler_test, row_30_answers_each_reference) {
  const auto x = deposit(a_deposit()
                           .with_body(R"(<posted_content>
    <doi_data><doi>10.5555/a</doi></doi_data><citation_list>
    <citation key="r1"><doi>10.5555/c</doi></citation></citation_list>
    </posted_content>)")
                           .text());
  EXPECT_NE(x.document.find("<citation key=\"r1\" status=\"resolved_reference\""
                            ">10.5555/c</citation>"),
            std::string::npos);
}

TEST_F(metadata_handler_test, row_31_gives_one_record_for_a_doi_named_twice) {
  const auto x = deposit(
    a_deposit().with_article("10.5555/a").with_article("10.5555/A").text());
  EXPECT_EQ(records(x), lines{"Success/10.5555/a/Successfully added"});
  EXPECT_TRUE(has_counts(x, 1, 1, 0));
}

struct bad_file {
  const char* what;
  std::string bytes;
  const char* said;
};

TEST_F(metadata_handler_test, rows_18_and_25_fail_a_file_that_is_no_deposit) {
  const bad_file cases[] = {
    {"PDF", "%PDF-1.7\n\xE2\xE3\xCF\xD3", "UTF-8"},
    {"text", "hello", "line 1, column 1: "},
    {"nothing", "", "empty"},
    {"blanks", "  \n ", "empty"},
    {"HTML", "<html><body><p>x</body></html>", "line 1"},
    {"DOCTYPE", "<!DOCTYPE doi_batch><doi_batch/>", "DOCTYPE not allowed"},
    {"other root", "<rss/>", "the root has to be doi_batch"},
    {"unknown version", a_deposit().with_version("9.9.9").text(), "9.9.9"},
    {"no DOI", a_deposit().with_body("<journal/>").text(), "names no DOI"},
  };
  for (const auto& x : cases) {
    const auto got = deposit(x.bytes);
    EXPECT_EQ(got.says, verdict::failed) << x.what;
    EXPECT_NE(got.reason.find(x.said), std::string::npos)
      << x.what << ": " << got.reason;
    ASSERT_EQ(records(got).size(), 1u) << x.what;
    EXPECT_EQ(records(got).front().find("Failure//"), 0u) << x.what;
    EXPECT_TRUE(has_counts(got, 1, 0, 1)) << x.what;
  }
  EXPECT_EQ(registry->calls, 0);
}

TEST_F(metadata_handler_test, gives_the_batch_id_of_a_file_that_breaks_later) {
  const auto whole = a_deposit().with_article("10.5555/a").text();
  const auto x = deposit(whole.substr(0, whole.size() - 20));
  EXPECT_EQ(x.says, verdict::failed);
  EXPECT_EQ(x.batch_id, "batch-1");
  EXPECT_NE(x.document.find("<batch_id>batch-1</batch_id>"), std::string::npos);
}

// A byte of another encoding, far behind the head, is what breaks most files.
TEST_F(metadata_handler_test, row_25_gives_the_batch_id_of_a_file_of_no_use) {
  const auto whole = a_deposit()
                       .with_email("d@example.org")
                       .with_article("10.5555/a")
                       .text();
  const auto changed = [&](std::string_view from, std::string_view to) {
    auto out = whole;
    return out.replace(out.find(from), from.size(), to);
  };
  using namespace std::string_view_literals;
  for (const auto& bytes :
       {changed("testing", "t\xe9sting"), changed("testing", "\0"sv),
        changed("?>", "?><!DOCTYPE doi_batch>"), changed("UTF-8", "KOI8-R"),
        changed("schema/5.3.1", "schema/9.0"),
        changed("http://www.crossref", "https://www.crossref"),
        changed("On testing", std::string(300, 'x').insert(0, "<a>"))}) {
    const auto x = deposit(bytes);
    EXPECT_EQ(x.says, verdict::failed);
    EXPECT_EQ(x.batch_id, "batch-1") << x.reason;
    EXPECT_NE(x.document.find("<batch_id>batch-1<"), std::string::npos);
    EXPECT_TRUE(x.tell) << x.reason;
  }
}

TEST_F(metadata_handler_test, tries_again_when_the_registry_fails) {
  registry->failing = true;
  const auto x = deposit(a_deposit().with_article("10.5555/a").text());
  EXPECT_EQ(x.says, verdict::retry);
  EXPECT_EQ(x.reason, "the disk is full");
  EXPECT_EQ(x.document, "");
}

TEST_F(metadata_handler_test, gives_the_same_answer_when_it_is_repeated) {
  submission_job job;
  job.submission = 5;
  job.user = "alice";
  const auto bytes = a_deposit().with_article("10.5555/a").text();
  const auto first = handler.handle(job, bytes);
  const auto again = handler.handle(job, bytes);
  EXPECT_EQ(first, again);
  EXPECT_EQ(records(again), lines{"Success/10.5555/a/Successfully added"});
}

TEST_F(metadata_handler_test, shows_hostile_text_escaped) {
  const auto x = deposit(a_deposit()
                           .with_batch_id("&lt;/batch_id&gt;&#13;x")
                           .with_article("&lt;script&gt;&amp;")
                           .text());
  EXPECT_NE(x.document.find("<doi>&lt;script&gt;&amp;</doi>"),
            std::string::npos);
  EXPECT_NE(x.document.find("<batch_id>&lt;/batch_id&gt; x</batch_id>"),
            std::string::npos);
}

TEST_F(metadata_handler_test, records_every_real_deposit_in_order_of_time) {
  auto files = real_deposits();
  if (files.empty())
    GTEST_SKIP() << "no real deposits: set DEPOSITD_SHARED_DATA";
  const auto stamp_of = [](const std::string& text) {
    const auto begin = text.find("<timestamp>") + 11;
    return std::stoull(text.substr(begin, text.find('<', begin) - begin));
  };
  std::sort(files.begin(), files.end(), [&](const auto& a, const auto& b) {
    return stamp_of(a.second) < stamp_of(b.second);
  });
  std::set<unsigned long long> stamps;
  for (const auto& [name, text] : files) {
    const auto x = deposit(text, {"10.21105"});
    EXPECT_EQ(x.says, verdict::done) << name << ": " << x.reason;
    EXPECT_EQ(records(x).size(), 2u) << name;
    // Two files of one second share the journal's DOI: the later is outdated.
    if (stamps.insert(stamp_of(text)).second) {
      EXPECT_TRUE(has_counts(x, 2, 2, 0)) << name << ": " << x.reason;
    }
  }
  EXPECT_EQ(registry->records.size(), 46u);
}

} // namespace
