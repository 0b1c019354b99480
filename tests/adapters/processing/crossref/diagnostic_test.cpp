#include "adapters/processing/crossref/diagnostic.hpp"

#include "adapters/processing/crossref/xml_reader.hpp"

#include <gtest/gtest.h>

namespace {

using namespace depositd;
using namespace depositd::crossref;
using namespace std::string_literals;

record_note note(record_status status, std::string doi, std::string message) {
  record_note out;
  out.status = status;
  out.doi = std::move(doi);
  out.message = std::move(message);
  return out;
}

/// The text inside the first element, as a parser sees it.
std::string parsed_message(const std::string& document) {
  struct reader : xml_handler {
    caf::error start_element(const xml_element& x) override {
      inside = x.name == "msg";
      return {};
    }
    caf::error end_element(std::string_view, std::string_view) override {
      inside = false;
      return {};
    }
    caf::error text(std::string_view part) override {
      if (inside)
        found += part;
      return {};
    }
    bool inside = false;
    std::string found;
  };
  reader x;
  const auto problem = read_xml_text(document, {}, x);
  return problem ? "cannot be parsed: " + render(problem) : x.found;
}

TEST(diagnostic, is_written_as_clients_expect_it) {
  diagnostic x;
  x.submission = 1433;
  x.processor = "sp1";
  x.batch_id = "b1";
  x.records.push_back(
    note(record_status::success, "10.5555/a", "Successfully added"));
  x.records.back().citations = {{"r1", "resolved_reference", "10.5555/c"},
                                {"r2", "stored_query", ""}};
  x.records.push_back(note(record_status::failure, "10.5555/b", "too old"));
  x.records.back().message_id = "4";
  x.records.push_back(note(record_status::warning, "10.5555/c", "odd"));
  EXPECT_EQ(write_completed(x), R"(<?xml version="1.0" encoding="UTF-8"?>
<doi_batch_diagnostic status="completed" sp="sp1">
  <submission_id>1433</submission_id>
  <batch_id>b1</batch_id>
  <record_diagnostic status="Success">
    <doi>10.5555/a</doi>
    <msg>Successfully added</msg>
    <citations_diagnostic>
      <citation key="r1" status="resolved_reference">10.5555/c</citation>
      <citation key="r2" status="stored_query"></citation>
    </citations_diagnostic>
  </record_diagnostic>
  <record_diagnostic status="Failure" msg_id="4">
    <doi>10.5555/b</doi>
    <msg>too old</msg>
  </record_diagnostic>
  <record_diagnostic status="Warning">
    <doi>10.5555/c</doi>
    <msg>odd</msg>
  </record_diagnostic>
  <batch_data>
    <record_count>3</record_count>
    <success_count>1</success_count>
    <warning_count>1</warning_count>
    <failure_count>1</failure_count>
  </batch_data>
</doi_batch_diagnostic>
)");
}

TEST(diagnostic, row_25_tells_of_a_file_that_is_bad_as_a_whole) {
  EXPECT_EQ(write_completed(whole_file_failed(7, "", "", "line 1: bad")),
            R"(<?xml version="1.0" encoding="UTF-8"?>
<doi_batch_diagnostic status="completed">
  <submission_id>7</submission_id>
  <batch_id />
  <record_diagnostic status="Failure">
    <doi />
    <msg>line 1: bad</msg>
  </record_diagnostic>
  <batch_data>
    <record_count>1</record_count>
    <success_count>0</success_count>
    <warning_count>0</warning_count>
    <failure_count>1</failure_count>
  </batch_data>
</doi_batch_diagnostic>
)");
}

TEST(diagnostic, row_20_tells_of_an_unknown_submission) {
  EXPECT_EQ(diagnostic_unknown(), R"(<?xml version="1.0" encoding="UTF-8"?>
<doi_batch_diagnostic status="unknown_submission">
  <submission_id>0</submission_id>
  <batch_id />
</doi_batch_diagnostic>
)");
}

submission_row row_of(submission_status status) {
  submission_row out;
  out.id = 9;
  out.status = status;
  return out;
}

TEST(diagnostic, row_21_tells_of_a_waiting_submission) {
  const auto x = diagnostic_of(row_of(submission_status::queued));
  EXPECT_EQ(x, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<doi_batch_diagnostic status=\"queued\">\n"
               "  <submission_id>9</submission_id>\n  <batch_id />\n"
               "</doi_batch_diagnostic>\n");
}

TEST(diagnostic, row_22_tells_of_a_running_submission) {
  const auto x = diagnostic_of(row_of(submission_status::in_process));
  EXPECT_EQ(x, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<doi_batch_diagnostic status=\"in_process\">\n"
               "  <submission_id>9</submission_id>\n  <batch_id />\n"
               "</doi_batch_diagnostic>\n");
}

TEST(diagnostic, of_a_completed_submission_is_the_stored_one) {
  auto row = row_of(submission_status::completed);
  row.document = "<as stored/>";
  EXPECT_EQ(diagnostic_of(row), "<as stored/>");
}

TEST(diagnostic, of_a_submission_that_failed_without_one_gives_its_reason) {
  auto row = row_of(submission_status::completed);
  row.failed = true;
  row.reason = "attempts <exhausted>";
  row.batch_id = "b9";
  const auto x = diagnostic_of(row);
  EXPECT_EQ(parsed_message(x), "attempts <exhausted>");
  EXPECT_NE(x.find("<batch_id>b9</batch_id>"), x.npos);
  EXPECT_NE(x.find("<failure_count>1</failure_count>"), x.npos);
}

TEST(diagnostic, of_a_submission_done_without_one_has_no_records) {
  const auto x = diagnostic_of(row_of(submission_status::completed));
  EXPECT_NE(x.find("status=\"completed\""), x.npos);
  EXPECT_NE(x.find("<record_count>0</record_count>"), x.npos);
}

TEST(diagnostic, escapes_whatever_users_wrote) {
  const std::pair<std::string, std::string> cases[] = {
    {"<msg>&amp;\"'", "<msg>&amp;\"'"},
    {"</script>${jndi:x}%n'; DROP", "</script>${jndi:x}%n'; DROP"},
    {"a\r\nb\tc", "a\r\nb\tc"},
    {"\x1b[2J\0"s, "\xEF\xBF\xBD[2J\xEF\xBF\xBD"},
    {"cut \xE2\x82", "cut \xEF\xBF\xBD\xEF\xBF\xBD"},
    {"\xEF\xBF\xBF", "\xEF\xBF\xBD"},
    {"\xC3\xA9\xF0\x9F\x98\x80", "\xC3\xA9\xF0\x9F\x98\x80"},
    {"]]>", "]]>"},
  };
  for (const auto& [wrote, shown] : cases)
    EXPECT_EQ(parsed_message(
                write_completed(whole_file_failed(1, wrote, wrote, wrote))),
              shown);
}

} // namespace
