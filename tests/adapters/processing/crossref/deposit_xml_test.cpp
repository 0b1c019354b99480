#include "adapters/processing/crossref/deposit_xml.hpp"

#include "adapters/processing/crossref/text.hpp"
#include "adapters/processing/crossref/xml_text.hpp"
#include "tests/adapters/processing/crossref/deposit_builder.hpp"
#include "tests/adapters/processing/crossref/real_deposits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

namespace {

using namespace depositd;
using namespace depositd::crossref;
using depositd::testing::a_deposit;
using depositd::testing::real_deposits;

struct parsed {
  deposit content;
  caf::error problem;

  std::string said() const {
    return problem ? render(problem) : "fine";
  }

  std::vector<std::string> dois() const {
    std::vector<std::string> out;
    for (const auto& x : content.dois)
      out.push_back(x.record.doi);
    return out;
  }
};

parsed parse(const std::string& bytes) {
  parsed out;
  auto text = decode_xml_text(bytes, {});
  if (text)
    out.problem = parse_deposit(*text, {}, out.content);
  else
    out.problem = std::move(text.error());
  return out;
}

using names = std::vector<std::string>;

TEST(deposit_xml, reads_batch_timestamp_and_version) {
  const auto x = parse(a_deposit()
                         .with_batch_id(" b\n1 ")
                         .with_timestamp("42")
                         .with_article("10.5555/a")
                         .text());
  EXPECT_EQ(x.said(), "fine");
  EXPECT_EQ(x.content.batch_id, "b 1");
  EXPECT_EQ(x.content.timestamp, "42");
  EXPECT_EQ(x.content.version, "5.3.1");
}

TEST(deposit_xml, reads_a_deposit_without_timestamp) {
  const auto x =
    parse(a_deposit().with_timestamp("").with_article("10.5555/a").text());
  EXPECT_EQ(x.dois(), names{"10.5555/a"});
  EXPECT_EQ(x.content.timestamp, "");
}

TEST(deposit_xml, refuses_a_timestamp_that_is_no_number) {
  for (const auto* wrong : {"yesterday", "-1", "1e9", "2024-01-01"})
    EXPECT_EQ(parse(a_deposit().with_timestamp(wrong).text()).problem,
              ec::malformed)
      << wrong;
  EXPECT_EQ(parse(a_deposit().with_article("10.5555/a", "soon").text()).problem,
            ec::malformed);
}

TEST(deposit_xml, takes_versions_4_3_to_5) {
  for (const auto* version :
       {"4.3.0", "4.3.7", "4.4.0", "4.8.1", "5.3", "5.4.0"})
    EXPECT_EQ(parse(a_deposit().with_version(version).text()).said(), "fine")
      << version;
  for (const auto* version :
       {"", "4.2.0", "3.0.3", "6.0.0", "5", "5.", "5..1", "../5.3.1", "5.x"})
    EXPECT_EQ(parse(a_deposit().with_version(version).text()).problem,
              ec::malformed)
      << version;
}

TEST(deposit_xml, names_the_rule_that_a_wrong_root_breaks) {
  const auto x = parse("<rss version=\"2.0\"/>");
  EXPECT_EQ(x.said(), "line 1, column 19: the root has to be doi_batch of "
                      "http://www.crossref.org/schema/4.3.0 to 5.x, not rss "
                      "of \"\"");
  EXPECT_EQ(parse("<doi_batch xmlns='http://www.crossref.org/"
                  "doi_resources_schema/4.3.6'/>")
              .problem,
            ec::malformed);
}

TEST(deposit_xml, keeps_the_batch_id_of_a_broken_file) {
  const auto x =
    parse("<doi_batch xmlns='http://www.crossref.org/schema/5.3.1'>"
          "<head><doi_batch_id>b7</doi_batch_id></head><body>");
  EXPECT_EQ(x.problem, ec::malformed);
  EXPECT_EQ(x.content.batch_id, "b7");
}

struct registration_case {
  const char* what;
  const char* body;
  names dois;
};

const registration_case registrations[] = {
  {"journal, issue, volume, article and component",
   R"(<journal>
       <journal_metadata><doi_data><doi>10.5555/j</doi></doi_data>
       </journal_metadata>
       <journal_issue><journal_volume><volume>1</volume><doi_data>
       <doi>10.5555/v</doi></doi_data></journal_volume>
       <doi_data><doi>10.5555/i</doi></doi_data></journal_issue>
       <journal_article><doi_data><doi>10.5555/a</doi></doi_data>
       <component_list><component parent_relation="isPartOf"><doi_data>
       <doi>10.5555/a.f1</doi></doi_data></component></component_list>
       </journal_article></journal>)",
   {"10.5555/j", "10.5555/v", "10.5555/i", "10.5555/a", "10.5555/a.f1"}},
  {"stand-alone component; its parent is not registered",
   R"(<sa_component parent_doi="10.5555/parent"><component_list><component
       parent_relation="isPartOf"><doi_data><doi>10.5555/c</doi></doi_data>
       </component></component_list></sa_component>)",
   {"10.5555/c"}},
  {"pending publication, outside doi_data",
   R"(<pending_publication><publication><full_title>J</full_title>
       </publication><doi>10.5555/p</doi><acceptance_date><year>2024</year>
       </acceptance_date></pending_publication>)",
   {"10.5555/p"}},
  {"citations",
   R"(<journal><journal_article><doi_data><doi>10.5555/a</doi></doi_data>
       <citation_list><citation key="1"><doi>10.5555/cited</doi></citation>
       <citation key="2"><doi_data><doi>10.5555/odd</doi></doi_data></citation>
       </citation_list></journal_article></journal>)",
   {"10.5555/a"}},
  {"relations, crossmark, publisher's item, collection items",
   R"(<journal><journal_article><publisher_item><identifier id_type="doi">
       10.5555/item</identifier></publisher_item><crossmark>
       <crossmark_policy>10.5555/policy</crossmark_policy><updates>
       <update type="correction">10.5555/old</update></updates>
       <doi_data><doi>10.5555/inside</doi></doi_data></crossmark>
       <rel:program xmlns:rel="http://www.crossref.org/relations.xsd">
       <rel:related_item><rel:inter_work_relation identifier-type="doi">
       10.5555/rel</rel:inter_work_relation></rel:related_item><rel:doi_data>
       <rel:doi>10.5555/rel2</rel:doi></rel:doi_data></rel:program>
       <doi_data><doi>10.5555/a</doi><collection><item>
       <doi>10.5555/collected</doi></item></collection></doi_data>
       </journal_article></journal>)",
   {"10.5555/a"}},
  {"book, chapters, series",
   R"(<book><book_series_metadata><series_metadata><titles><title>S</title>
       </titles><doi_data><doi>10.5555/s</doi></doi_data></series_metadata>
       <doi_data><doi>10.5555/b</doi></doi_data></book_series_metadata>
       <content_item><doi_data><doi>10.5555/b.1</doi></doi_data>
       </content_item></book>)",
   {"10.5555/s", "10.5555/b", "10.5555/b.1"}},
  {"conference",
   R"(<conference><proceedings_metadata><doi_data>
       <doi>10.5555/p</doi></doi_data></proceedings_metadata><conference_paper>
       <doi_data><doi>10.5555/p.1</doi></doi_data></conference_paper>
       </conference>)",
   {"10.5555/p", "10.5555/p.1"}},
  {"posted content, peer review, dissertation, report, standard, dataset",
   R"(<posted_content><doi_data><doi>10.5555/1</doi></doi_data>
       </posted_content><peer_review><doi_data><doi>10.5555/2</doi></doi_data>
       </peer_review><dissertation><doi_data><doi>10.5555/3</doi></doi_data>
       </dissertation><report-paper><report-paper_metadata><doi_data>
       <doi>10.5555/4</doi></doi_data></report-paper_metadata></report-paper>
       <standard><standard_metadata><doi_data><doi>10.5555/5</doi></doi_data>
       </standard_metadata></standard><database><dataset><doi_data>
       <doi>10.5555/6</doi></doi_data></dataset></database>)",
   {"10.5555/1", "10.5555/2", "10.5555/3", "10.5555/4", "10.5555/5",
    "10.5555/6"}},
  {"one DOI named twice, in two cases",
   R"(<posted_content><doi_data><doi>10.5555/A</doi></doi_data>
       </posted_content><posted_content><doi_data><doi>10.5555/a</doi>
       </doi_data></posted_content>)",
   {"10.5555/A"}},
  {"doi_data outside the body",
   "</body><doi_data><doi>10.5555/x</doi>"
   "</doi_data><body>",
   {}},
};

TEST(deposit_xml, takes_only_dois_that_are_registered) {
  for (const auto& x : registrations) {
    const auto got = parse(a_deposit().with_body(x.body).text());
    EXPECT_EQ(got.said(), "fine") << x.what;
    EXPECT_EQ(got.dois(), x.dois) << x.what;
  }
}

TEST(deposit_xml, lets_a_dois_own_timestamp_stand) {
  const auto x = parse(a_deposit()
                         .with_timestamp("1")
                         .with_article("10.5555/a", "7")
                         .with_article("10.5555/b")
                         .text());
  ASSERT_EQ(x.content.dois.size(), 2u);
  EXPECT_EQ(x.content.dois[0].record.timestamp, "7");
  EXPECT_EQ(x.content.dois[1].record.timestamp, "");
}

TEST(deposit_xml, gathers_what_describes_an_article) {
  const auto x = parse(a_deposit()
                         .with_body(R"(<journal>
    <journal_metadata><full_title>Journal of Tests</full_title>
      <abbrev_title>J Tests</abbrev_title>
      <issn media_type="print">12345679</issn><issn>8765-4321</issn>
      <doi_data><doi>10.5555/j</doi></doi_data></journal_metadata>
    <journal_issue><publication_date><year>2023</year></publication_date>
      <titles><title>Special issue</title></titles>
      <journal_volume><volume>5</volume></journal_volume><issue>49</issue>
    </journal_issue>
    <journal_article><titles><title>On <i>in  vivo</i>
      tests</title><subtitle>x</subtitle></titles><contributors>
      <person_name sequence="first" contributor_role="author">
        <given_name>V</given_name><surname>First</surname></person_name>
      <person_name sequence="additional"><surname>Second</surname></person_name>
      </contributors><publication_date><year>2022</year></publication_date>
      <pages><first_page>140</first_page><last_page>150</last_page></pages>
      <doi_data><doi>10.5555/a</doi><resource>https://example.org/a</resource>
        <collection><item><resource>no</resource></item></collection></doi_data>
      <citation_list><citation key="r1"><volume>99</volume><year>1999</year>
        <first_page>9</first_page><author>Nobody</author></citation>
      </citation_list></journal_article></journal>)")
                         .text());
  ASSERT_EQ(x.dois(), (names{"10.5555/j", "10.5555/a"}));
  const auto& article = x.content.dois[1].record;
  EXPECT_EQ(article.journal_title, "Journal of Tests");
  EXPECT_EQ(article.issn, "1234-5679");
  EXPECT_EQ(article.title, "On in vivo tests");
  EXPECT_EQ(article.first_author, "First");
  EXPECT_EQ(article.volume, "5");
  EXPECT_EQ(article.issue, "49");
  EXPECT_EQ(article.first_page, "140");
  EXPECT_EQ(article.year, "2022");
  EXPECT_EQ(article.resource, "https://example.org/a");
  const auto& journal = x.content.dois[0].record;
  EXPECT_EQ(journal.journal_title, "Journal of Tests");
  EXPECT_EQ(journal.volume, "");
  EXPECT_EQ(journal.title, "");
}

TEST(deposit_xml, tells_two_journals_of_one_file_apart) {
  const auto x = parse(a_deposit()
                         .with_body(R"(
    <journal><journal_metadata><full_title>One</full_title></journal_metadata>
    <journal_article><doi_data><doi>10.5555/1</doi></doi_data></journal_article>
    </journal><journal><journal_metadata><full_title>Two</full_title>
    </journal_metadata><journal_article><doi_data><doi>10.5555/2</doi>
    </doi_data>
    </journal_article></journal>)")
                         .text());
  ASSERT_EQ(x.content.dois.size(), 2u);
  EXPECT_EQ(x.content.dois[0].record.journal_title, "One");
  EXPECT_EQ(x.content.dois[1].record.journal_title, "Two");
}

TEST(deposit_xml, gives_a_chapter_the_title_of_its_book) {
  const auto x = parse(a_deposit()
                         .with_body(R"(<book><book_metadata>
    <contributors><person_name sequence="first"><surname>Editor</surname>
    </person_name></contributors><titles><title>The Book</title></titles>
    <isbn>978-3-16-148410-0</isbn></book_metadata><content_item><titles>
    <title>Chapter</title></titles><doi_data><doi>10.5555/b.1</doi></doi_data>
    </content_item></book>)")
                         .text());
  ASSERT_EQ(x.content.dois.size(), 1u);
  const auto& chapter = x.content.dois[0].record;
  EXPECT_EQ(chapter.journal_title, "The Book");
  EXPECT_EQ(chapter.title, "Chapter");
  EXPECT_EQ(chapter.isbn, "9783161484100");
  EXPECT_EQ(chapter.first_author, "");
}

TEST(deposit_xml, cuts_facts_that_every_doi_would_repeat) {
  const auto x =
    parse(a_deposit()
            .with_body(
              "<journal><journal_metadata><full_title>" + std::string(299, 'x')
              + "\xC3\xA9</full_title></journal_metadata><journal_article>"
                "<doi_data><doi>10.5555/a</doi></doi_data>"
                "</journal_article></journal>")
            .text());
  ASSERT_EQ(x.content.dois.size(), 1u);
  EXPECT_EQ(x.content.dois[0].record.journal_title, std::string(299, 'x'));
}

TEST(deposit_xml, notes_references_by_key) {
  const auto x = parse(a_deposit()
                         .with_body(R"(<journal><journal_article>
    <doi_data><doi>10.5555/a</doi></doi_data><citation_list>
    <citation key="r1"><doi>10.5555/c</doi></citation>
    <citation key="r2"><unstructured_citation>X</unstructured_citation>
    </citation></citation_list></journal_article></journal>)")
                         .text());
  ASSERT_EQ(x.content.dois.size(), 1u);
  const auto& notes = x.content.dois[0].citations;
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0].key + " " + notes[0].status + " " + notes[0].doi,
            "r1 resolved_reference 10.5555/c");
  EXPECT_EQ(notes[1].key + " " + notes[1].status + " " + notes[1].doi,
            "r2 stored_query ");
}

TEST(deposit_xml, stops_at_too_many_dois) {
  auto builder = std::string{};
  for (std::size_t i = 0; i <= dois_max; ++i)
    builder += "<posted_content><doi_data><doi>10.5555/" + std::to_string(i)
               + "</doi></doi_data></posted_content>";
  const auto x = parse(a_deposit().with_body(builder).text());
  EXPECT_EQ(x.problem, ec::too_large);
  EXPECT_EQ(x.content.dois.size(), dois_max);
}

TEST(deposit_xml, answers_a_bounded_number_of_references) {
  std::string list;
  for (std::size_t i = 0; i < citations_max + 10; ++i)
    list += "<citation key='k'><doi>10.5555/c</doi></citation>";
  const auto x =
    parse(a_deposit()
            .with_body("<posted_content><doi_data><doi>10.5555/a"
                       "</doi></doi_data><citation_list>"
                       + list + "</citation_list></posted_content>")
            .text());
  ASSERT_EQ(x.said(), "fine");
  EXPECT_EQ(x.content.dois[0].citations.size(), citations_max);
}

TEST(deposit_xml, survives_references_where_they_do_not_belong) {
  for (const auto* odd :
       {"</body><citation_list><citation><doi>10.5555/x</doi></citation>"
        "</citation_list><body>",
        "</body><citation><doi>10.5555/x</doi></citation><body>",
        "<journal><citation_list><doi>10.5555/x</doi><citation><citation/>"
        "<doi>10.5555/x</doi></citation></citation_list></journal>",
        "<pending_publication><doi_data/></pending_publication>"})
    EXPECT_EQ(parse(a_deposit().with_body(odd).text()).said(), "fine") << odd;
}

struct doi_case {
  std::string doi;
  bool good;
};

TEST(deposit_xml, knows_the_form_of_a_doi) {
  const doi_case cases[] = {
    {"10.5555/a", true},
    {"10.123456789/x", true},
    {"10.1000.10/123", true},
    {"10.5555/a(b)<c>;2-#/d", true},
    {"10.5555/\xC3\xA9", true},
    {"10.5555/" + std::string(2040, 'x'), true},
    {"10.5555/" + std::string(2041, 'x'), false},
    {"", false},
    {"10.5555", false},
    {"10.5555/", false},
    {"10.555/a", false},
    {"10.1234567890/a", false},
    {"11.5555/a", false},
    {"10.55a5/a", false},
    {"10.5555./a", false},
    {"10./a", false},
    {"doi:10.5555/a", false},
    {"https://doi.org/10.5555/a", false},
    {"10.5555/a b", false},
    {"10.5555/a\x7F", false},
  };
  for (const auto& x : cases)
    EXPECT_EQ(doi_problem(x.doi).empty(), x.good) << x.doi.substr(0, 40);
}

// -- real files ---------------------------------------------------------------

/// An extraction that shares nothing with ours: text patterns.
names dois_by_pattern(const std::string& text) {
  static const std::regex pattern{"<doi_data>\\s*<doi>([^<]*)</doi>"};
  names out;
  for (std::sregex_iterator i{text.begin(), text.end(), pattern}, end; i != end;
       ++i)
    out.push_back((*i)[1]);
  return out;
}

TEST(real_deposits, give_the_dois_that_they_register) {
  const auto files = real_deposits();
  if (files.empty())
    GTEST_SKIP() << "no real deposits: set DEPOSITD_SHARED_DATA";
  EXPECT_EQ(files.size(), 45u);
  for (const auto& [name, text] : files) {
    const auto x = parse(text);
    EXPECT_EQ(x.said(), "fine") << name;
    EXPECT_EQ(x.dois(), dois_by_pattern(text)) << name;
    EXPECT_EQ(x.dois().size(), 2u) << name;
    EXPECT_FALSE(x.content.batch_id.empty()) << name;
    for (const auto& doi : x.content.dois) {
      EXPECT_EQ(doi_problem(doi.record.doi), "") << name;
      EXPECT_FALSE(doi.record.journal_title.empty()) << name;
      EXPECT_FALSE(doi.record.resource.empty()) << name;
    }
    EXPECT_FALSE(x.content.dois.back().record.first_author.empty()) << name;
    EXPECT_FALSE(x.content.dois.back().record.first_page.empty()) << name;
  }
}

TEST(real_deposits, are_refused_when_cut_at_any_byte) {
  auto files = real_deposits();
  if (files.empty())
    GTEST_SKIP() << "no real deposits: set DEPOSITD_SHARED_DATA";
  const auto shortest =
    std::min_element(files.begin(), files.end(), [](auto& a, auto& b) {
      return a.second.size() < b.second.size();
    });
  const auto& text = shortest->second;
  const auto end =
    text.find("</doi_batch>") + std::string{"</doi_batch>"}.size();
  for (std::size_t i = 0; i < end; ++i) {
    const auto x = parse(text.substr(0, i));
    ASSERT_EQ(x.problem, ec::malformed) << "at byte " << i;
    ASSERT_EQ(x.said().find("line "), 0u) << "at byte " << i;
  }
  EXPECT_EQ(parse(text.substr(0, end)).said(), "fine");
}

TEST(real_deposits, never_crash_with_a_byte_changed) {
  auto files = real_deposits();
  if (files.empty())
    GTEST_SKIP() << "no real deposits: set DEPOSITD_SHARED_DATA";
  auto text = files.front().second;
  int refused = 0;
  for (std::size_t i = 0; i < text.size(); i += 3) {
    const auto was = text[i];
    for (const char c : {'<', '&', '\0', '\xFF'}) {
      text[i] = c;
      const auto x = parse(text);
      refused += x.problem ? 1 : 0;
    }
    text[i] = was;
  }
  EXPECT_GT(refused, 0);
}

} // namespace
