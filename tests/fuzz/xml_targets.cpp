// Deposits and queries of Crossref's schemas.

#include "tests/fuzz/target.hpp"

#include "adapters/processing/crossref/broken_head.hpp"
#include "adapters/processing/crossref/citation_xml.hpp"
#include "adapters/processing/crossref/deposit_xml.hpp"
#include "adapters/processing/crossref/query_xml.hpp"
#include "adapters/processing/crossref/transfer_text.hpp"
#include "adapters/processing/crossref/xml_text.hpp"

namespace depositd::fuzz {

namespace {

using namespace crossref;

constexpr xml_limits limits{.bytes_max = 200'000};

void read_head(std::string_view bytes) {
  std::string batch_id;
  std::string email;
  find_head(bytes, batch_id, email);
  promise(batch_id.size() <= 400 && email.size() <= 300, "heads are bounded");
}

void read_deposit(std::string_view bytes) {
  read_head(bytes);
  const auto text = decode_xml_text(bytes, limits);
  if (!text || check_xml_limits(*text, limits))
    return;
  deposit found;
  (void)parse_deposit(*text, limits, found);
  promise(found.dois.size() <= dois_max, "DOIs are bounded");
}

void read_citations(std::string_view bytes) {
  const auto text = decode_xml_text(bytes, limits);
  if (!text || check_xml_limits(*text, limits))
    return;
  citation_deposit found;
  (void)parse_citations(*text, limits, found);
}

void read_queries(std::string_view bytes) {
  for (const bool as_dois : {false, true}) {
    query_batch found;
    (void)parse_queries(bytes, as_dois, limits, found);
  }
}

void read_transfer(std::string_view bytes) {
  transfer found;
  (void)parse_transfer(bytes, limits, found);
}

const std::string a_deposit = R"(<?xml version="1.0" encoding="UTF-8"?>
<doi_batch version="5.3.1" xmlns="http://www.crossref.org/schema/5.3.1">
<head><doi_batch_id>b1</doi_batch_id><timestamp>20260101</timestamp><depositor>
<depositor_name>d</depositor_name><email_address>a@example.org</email_address>
</depositor><registrant>r</registrant></head><body><journal><journal_metadata>
<full_title>J &amp; K</full_title><issn>1234-5679</issn></journal_metadata>
<journal_article><titles><title>T<i>x</i></title></titles><publication_date>
<year>2026</year></publication_date><doi_data><doi>10.5555/a</doi>
<resource>https://example.org/a</resource></doi_data><citation_list>
<citation key="c1"><doi>10.5555/b</doi></citation></citation_list>
</journal_article></journal></body></doi_batch>)";

const std::string a_query = R"(<?xml version="1.0"?>
<query_batch version="2.0"><head><email_address>a@example.org</email_address>
<doi_batch_id>q</doi_batch_id></head><body><query key="k"><issn>12345679</issn>
<volume>1</volume><first_page>2</first_page></query><query><doi>10.5555/a</doi>
</query></body></query_batch>)";

} // namespace

std::vector<target> xml_targets() {
  return {
    {"crossref_deposit",
     read_deposit,
     {a_deposit, "<!DOCTYPE a [<!ENTITY b \"c\">]><doi_batch>&b;</doi_batch>",
      std::string{"\xff\xfe<\0a\0/\0>\0", 10}}},
    {"crossref_citations",
     read_citations,
     {R"(<doi_batch version="4.3.6"><head><doi_batch_id>b</doi_batch_id></head>
<body><doi_citations><doi>10.5555/a</doi><citation_list><citation key="1">
<unstructured_citation>x</unstructured_citation></citation></citation_list>
</doi_citations></body></doi_batch>)"}},
    {"crossref_queries", read_queries, {a_query, "10.5555/a\n10.5555/b\n"}},
    {"crossref_transfer",
     read_transfer,
     {"H:email=a@example.org;fromPrefix=10.5555;toPrefix=10.6666\n"
      "10.5555/a\thttps://example.org/a\n"}},
  };
}

} // namespace depositd::fuzz
