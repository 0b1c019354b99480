#include "adapters/processing/crossref/query_handler.hpp"

#include "tests/adapters/doors/crossref/fake_stores.hpp"

#include <gtest/gtest.h>

#include <regex>

#include <sys/resource.h>

namespace {

using namespace depositd;
using namespace depositd::crossref;
using depositd::testing::fake_registry;

using lines = std::vector<std::string>;

/// The most that the process has had at one time.
long memory_peak_kb() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

struct query_handler_test : ::testing::Test {
  query_handler_test() {
    doi_record hardy;
    hardy.doi = "10.5555/hardy";
    hardy.issn = "0024-4066";
    hardy.journal_title = "Biological Journal of the Linnean Society";
    hardy.title = "On butterflies";
    hardy.first_author = "Hardy";
    hardy.volume = "64";
    hardy.issue = "2";
    hardy.first_page = "239";
    hardy.year = "1998";
    hardy.resource = "https://example.org/?a=1&b=2";
    registry->records["10.5555/hardy"] = hardy;
    auto other = hardy;
    other.doi = "10.5555/hardy2";
    other.title = "On moths";
    other.first_page = "300";
    registry->records["10.5555/hardy2"] = other;
  }

  outcome ask(const std::string& bytes, bool as_dois = false) {
    submission_job job;
    job.submission = 3;
    job.processor = "q1";
    return handler.handle(job, bytes, as_dois);
  }

  /// "key status first-doi" of each answer.
  static lines answers(const outcome& x) {
    static const std::regex pattern{
      "<query_result( key=\"([^\"]*)\")? status=\"(\\w+)\">\\s*"
      "(<doi>([^<]*)</doi>)?"};
    lines out;
    for (std::sregex_iterator i{x.document.begin(), x.document.end(), pattern},
         end;
         i != end; ++i)
      out.push_back((*i)[2].str() + " " + (*i)[3].str() + " " + (*i)[5].str());
    return out;
  }

  std::shared_ptr<fake_registry> registry = std::make_shared<fake_registry>();
  query_handler handler{registry};
};

TEST_F(query_handler_test, resolves_piped_lines) {
  const std::pair<const char*, const char*> cases[] = {
    {"|Biol J Linn Soc|Hardy|64|2|239|1998||k|", "k resolved 10.5555/hardy"},
    {"00244066||Hardy|64||239|1998||k|", "k resolved 10.5555/hardy"},
    {"0024-4066,1111-1111||hardy|||239", " resolved 10.5555/hardy"},
    {"9999-9999|Biol. J. Linn. Soc.|Hardy|||239", " resolved 10.5555/hardy"},
    {"|Biological Journal of the Linnean Society|Hardy, A.|||300|||k2",
     "k2 resolved 10.5555/hardy2"},
    {"||Hardy|64||||||", " multiresolved 10.5555/hardy"},
    {"||Hardy|65||||||", " unresolved "},
    {"|J Irreproducible Res|Hardy|64|2|239|1998||k|", "k unresolved "},
    {"||||||||k|10.5555/HARDY", "k resolved 10.5555/hardy"},
    {"10.5555/hardy", " resolved 10.5555/hardy"},
    {"k|10.5555/hardy", "k resolved 10.5555/hardy"},
    {"||Biol J Linn Soc|Hardy|64||239|1998|||k|", "k resolved 10.5555/hardy"},
    {"0024-4066|||64|2||1998||k|", "k malformed "},
    {"|||||239|1998||k|", "k malformed "},
    {"0024-4066|||||239|1998||k|", "k resolved 10.5555/hardy"},
    {"|Biological Journal of the Linnean Society||||239||||",
     " resolved 10.5555/hardy"},
    {"|Biol J Linn Soc||||239||||", " unresolved "},
    {"9999-9999|Biol J Linn Soc||||239||||", " unresolved "},
    {"hello", " malformed "},
    {"|||||||||||||", " malformed "},
  };
  for (const auto& [line, answer] : cases)
    EXPECT_EQ(answers(ask(line)), lines{answer}) << line;
}

TEST_F(query_handler_test, resolves_doi_lines) {
  const auto x = ask("10.5555/hardy\r\n1|10.5555/hardy2\n\n"
                     "||||||||4|10.5555/none\nwhatever\n",
                     true);
  EXPECT_EQ(answers(x),
            (lines{" resolved 10.5555/hardy", "1 resolved 10.5555/hardy2",
                   "4 unresolved 10.5555/none", " malformed "}));
}

TEST_F(query_handler_test, resolves_a_query_batch) {
  const auto x = ask(R"(<?xml version="1.0"?>
    <query_batch version="2.0" xmlns="http://www.crossref.org/qschema/2.0">
    <head><email_address>a@example.org</email_address>
    <doi_batch_id>q-7</doi_batch_id></head><body>
    <query key="a" enable-multiple-hits="false"><issn match="optional">00244066
      </issn><journal_title match="exact">Biol J Linn Soc</journal_title>
      <author match="fuzzy">Hardy</author><volume>64</volume><issue/>
      <first_page>239</first_page><year>1998</year></query>
    <query key="b"><doi>10.5555/hardy2</doi></query>
    <query key="c"><author>Hardy</author><article_title>On MOTHS
      </article_title></query>
    <query key="d"><unstructured_citation>x</unstructured_citation></query>
    <query><author>Nobody</author></query></body></query_batch>)");
  EXPECT_EQ(x.says, verdict::done);
  EXPECT_EQ(x.batch_id, "q-7");
  EXPECT_EQ(
    answers(x),
    (lines{"a resolved 10.5555/hardy", "b resolved 10.5555/hardy2",
           "c resolved 10.5555/hardy2", "d malformed ", " unresolved "}));
}

TEST_F(query_handler_test, answers_in_a_document_that_polls_understand) {
  const auto x = ask("||Hardy|||239|||k&|\n||Nobody|||1\n");
  EXPECT_EQ(x.document, R"(<?xml version="1.0" encoding="UTF-8"?>
<doi_batch_diagnostic status="completed" sp="q1">
  <submission_id>3</submission_id>
  <batch_id />
  <query_result key="k&amp;" status="resolved">
    <doi>10.5555/hardy</doi>
    <issn>0024-4066</issn>
    <journal_title>Biological Journal of the Linnean Society</journal_title>
    <article_title>On butterflies</article_title>
    <author>Hardy</author>
    <volume>64</volume>
    <issue>2</issue>
    <first_page>239</first_page>
    <year>1998</year>
    <resource>https://example.org/?a=1&amp;b=2</resource>
  </query_result>
  <query_result status="unresolved">
    <msg>Nothing recorded here matches</msg>
  </query_result>
  <batch_data>
    <record_count>2</record_count>
    <success_count>1</success_count>
    <warning_count>1</warning_count>
    <failure_count>0</failure_count>
  </batch_data>
</doi_batch_diagnostic>
)");
}

// A few bytes that ask for very many.
TEST_F(query_handler_test, fails_an_upload_whose_answers_are_very_long) {
  for (int i = 0; i < 10; ++i) {
    doi_record x;
    x.doi = "10.5555/" + std::to_string(i) + std::string(1'900, '\'');
    x.first_author = "Zed";
    registry->records[x.doi] = x;
  }
  std::string lines;
  for (int i = 0; i < 200; ++i)
    lines += "||Zed|||||||\n";
  const auto out = ask(lines);
  EXPECT_EQ(out.says, verdict::failed);
  EXPECT_LT(out.document.size(), 10'000u);
  EXPECT_NE(out.reason.find("16 MB"), std::string::npos) << out.reason;
}

TEST_F(query_handler_test, looks_up_only_for_so_long) {
  auto time = std::chrono::steady_clock::time_point{};
  handler.now = [&] { return time += looking_max * 4 / 10; };
  const auto out = ask("10.5555/hardy\nk|\na|10.5555/hardy\n"
                       "b|10.5555/hardy\nc|10.5555/hardy\n");
  EXPECT_EQ(answers(out),
            (lines{" resolved 10.5555/hardy", " malformed ",
                   "a resolved 10.5555/hardy", "b not_looked_up ",
                   "c not_looked_up "}));
  EXPECT_EQ(out.says, verdict::done);
  EXPECT_NE(out.document.find("<msg>Not looked up: "), std::string::npos);
  EXPECT_NE(out.document.find("<failure_count>3</failure_count>"),
            std::string::npos);
}

TEST_F(query_handler_test, fails_an_upload_that_asks_nothing) {
  for (const auto* upload :
       {"", "\n\n", "H:someone@example.org\n", "hello\n", "\xFF", "<rss/>",
        "<query_batch xmlns='http://www.crossref.org/qschema/2.0'/>",
        "<!DOCTYPE query_batch><query_batch/>", "<query_batch"}) {
    const auto x = ask(upload);
    EXPECT_EQ(x.says, verdict::failed) << upload;
    EXPECT_NE(x.document.find("<failure_count>1</failure_count>"),
              std::string::npos)
      << upload;
    EXPECT_FALSE(x.reason.empty()) << upload;
  }
}

TEST_F(query_handler_test, gives_the_batch_id_of_a_file_of_no_use) {
  const auto got = ask("<query_batch><head><email_address>a@b.org"
                       "</email_address><doi_batch_id>q-7</doi_batch_id>"
                       "</head><body>\xe9</body></query_batch>");
  EXPECT_EQ(got.says, verdict::failed);
  EXPECT_EQ(got.batch_id, "q-7");
  EXPECT_TRUE(got.tell);
}

TEST_F(query_handler_test, refuses_too_many_queries) {
  std::string upload;
  for (std::size_t i = 0; i <= queries_max; ++i)
    upload += "10.5555/x\n";
  const auto x = ask(upload);
  EXPECT_EQ(x.says, verdict::failed);
  EXPECT_EQ(x.reason, "more than 10000 queries in one upload");
}

TEST_F(query_handler_test, compares_no_field_that_is_very_long) {
  // Each is compared with those of many records.
  const std::string most(2'048, 'a');
  EXPECT_EQ(answers(ask("|" + most + "|Hardy||||||k|")),
            lines{"k unresolved "});
  const auto by_line = ask("|" + most + "a|Hardy||||||k|");
  EXPECT_EQ(answers(by_line), lines{"k malformed "});
  EXPECT_EQ(by_line.reason, "A field is longer than 2048 bytes");
  const auto document = [](const std::string& title) {
    return "<query_batch xmlns='http://www.crossref.org/qschema/2.0'>"
           "<body><query key='k'><author>Hardy</author><article_title>"
           + title + "</article_title></query></body></query_batch>";
  };
  EXPECT_EQ(answers(ask(document(most))), lines{"k unresolved "});
  EXPECT_EQ(answers(ask(document(most + "a"))), lines{"k malformed "});
}

TEST_F(query_handler_test, keeps_no_more_of_a_line_than_it_asks_for) {
  const std::string line(5'000'000, '|');
  const auto before = memory_peak_kb();
  EXPECT_EQ(answers(ask(line + "k|10.5555/hardy")), lines{" malformed "});
  EXPECT_EQ(answers(ask(line + "k|10.5555/hardy", true)),
            lines{"k resolved 10.5555/hardy"});
  EXPECT_LT(memory_peak_kb() - before, 60'000);
}

TEST_F(query_handler_test, tries_again_when_the_registry_fails) {
  registry->failing = true;
  const auto x = ask("10.5555/hardy");
  EXPECT_EQ(x.says, verdict::retry);
  EXPECT_EQ(x.document, "");
}

TEST(abbreviation, matches_beginnings_of_words_in_order) {
  const auto* full = "Biological Journal of the Linnean Society";
  EXPECT_TRUE(abbreviates("Biol J Linn Soc", full));
  EXPECT_TRUE(abbreviates("biol. j. linn. soc.", full));
  EXPECT_TRUE(abbreviates(full, full));
  EXPECT_FALSE(abbreviates("J Linn Soc", full));
  EXPECT_FALSE(abbreviates("Biol Soc Linn", full));
  EXPECT_FALSE(abbreviates("Biol J Linn Soc London", full));
  EXPECT_FALSE(abbreviates("", full));
  EXPECT_FALSE(abbreviates("Biol", ""));
}

} // namespace
