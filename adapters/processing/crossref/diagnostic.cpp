#include "adapters/processing/crossref/diagnostic.hpp"

#include "messages/values/utf8.hpp"

namespace depositd::crossref {

namespace {

constexpr auto declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

const char* name_of(record_status x) {
  switch (x) {
    case record_status::success:
      return "Success";
    case record_status::warning:
      return "Warning";
    case record_status::failure:
      return "Failure";
  }
  return "Failure";
}

void write_citations(const std::vector<citation_note>& notes,
                     std::string& out) {
  if (notes.empty())
    return;
  out += "    <citations_diagnostic>\n";
  for (const auto& note : notes)
    out += "      <citation key=\"" + escape_xml(note.key) + "\" status=\""
           + note.status + "\">" + escape_xml(note.doi) + "</citation>\n";
  out += "    </citations_diagnostic>\n";
}

void write_record(const record_note& x, std::string& out) {
  out += "  <record_diagnostic status=\"";
  out += name_of(x.status);
  if (!x.message_id.empty())
    out += "\" msg_id=\"" + x.message_id;
  out += "\">\n    ";
  out += write_element("doi", x.doi);
  out += "\n    <msg>" + escape_xml(x.message) + "</msg>\n";
  write_citations(x.citations, out);
  out += "  </record_diagnostic>\n";
}

std::string without_records(const char* status, item_id submission,
                            const std::string& batch_id) {
  std::string out = declaration;
  out += "<doi_batch_diagnostic status=\"";
  out += status;
  out += "\">\n  <submission_id>" + std::to_string(submission);
  out += "</submission_id>\n  " + write_element("batch_id", batch_id);
  out += "\n</doi_batch_diagnostic>\n";
  return out;
}

constexpr std::string_view special = "<>&\"'\r";
constexpr const char* entities[] = {"&lt;",   "&gt;",   "&amp;",
                                    "&quot;", "&apos;", "&#13;"};

/// Length of the character that may not be written; 0: it may. XML 1.0 has no
/// control characters but three, and neither U+FFFE nor U+FFFF.
std::size_t forbidden_length(std::string_view text) {
  const auto c = static_cast<unsigned char>(text.front());
  if (c < 0x20)
    return c == '\t' || c == '\n' || c == '\r' ? 0 : 1;
  return text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF")
           ? 3
           : 0;
}

void write_valid(std::string_view text, std::string& out) {
  while (!text.empty()) {
    if (const auto skip = forbidden_length(text)) {
      out += "\xEF\xBF\xBD";
      text.remove_prefix(skip);
      continue;
    }
    if (const auto found = special.find(text.front()); found != text.npos)
      out += entities[found];
    else
      out += text.front();
    text.remove_prefix(1);
  }
}

} // namespace

std::string escape_xml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto bad = find_invalid_utf8(text);
    write_valid(text.substr(0, bad), out);
    if (bad == text.npos)
      break;
    out += "\xEF\xBF\xBD";
    text.remove_prefix(bad + 1);
  }
  return out;
}

std::string write_element(std::string_view name, std::string_view text) {
  std::string out;
  out += '<';
  out += name;
  if (text.empty()) {
    out += " />";
    return out;
  }
  out += '>';
  out += escape_xml(text);
  out += "</";
  out += name;
  out += '>';
  return out;
}

diagnostic_counts count(const diagnostic& x) {
  diagnostic_counts out;
  out.records = x.records.size();
  for (const auto& record : x.records)
    switch (record.status) {
      case record_status::success:
        ++out.success;
        break;
      case record_status::warning:
        ++out.warning;
        break;
      case record_status::failure:
        ++out.failure;
        break;
    }
  return out;
}

std::string write_head(const diagnostic& x) {
  std::string out = declaration;
  // The status first: clients search for the beginning of this line.
  out += "<doi_batch_diagnostic status=\"completed\"";
  if (!x.processor.empty())
    out += " sp=\"" + escape_xml(x.processor) + "\"";
  out += ">\n  <submission_id>" + std::to_string(x.submission);
  out += "</submission_id>\n  " + write_element("batch_id", x.batch_id) + "\n";
  return out;
}

std::string write_tail(const diagnostic_counts& counts) {
  const auto line = [](const char* name, std::uint64_t number) {
    return "    " + write_element(name, std::to_string(number)) + "\n";
  };
  std::string out = "  <batch_data>\n";
  out += line("record_count", counts.records);
  out += line("success_count", counts.success);
  out += line("warning_count", counts.warning);
  out += line("failure_count", counts.failure);
  out += "  </batch_data>\n</doi_batch_diagnostic>\n";
  return out;
}

std::string write_completed(const diagnostic& x) {
  auto out = write_head(x);
  for (const auto& record : x.records)
    write_record(record, out);
  out += write_tail(count(x));
  return out;
}

diagnostic whole_file_failed(item_id submission, std::string processor,
                             std::string batch_id, std::string reason) {
  diagnostic out;
  out.submission = submission;
  out.processor = std::move(processor);
  out.batch_id = std::move(batch_id);
  record_note only;
  only.status = record_status::failure;
  only.message = std::move(reason);
  out.records.push_back(std::move(only));
  return out;
}

std::string diagnostic_unknown() {
  return without_records("unknown_submission", 0, {});
}

std::string diagnostic_of(const submission_row& row) {
  switch (row.status) {
    case submission_status::queued:
      return without_records("queued", row.id, row.batch_id);
    case submission_status::in_process:
      return without_records("in_process", row.id, row.batch_id);
    case submission_status::completed:
      break;
  }
  if (!row.document.empty())
    return row.document;
  if (row.failed)
    return write_completed(whole_file_failed(
      row.id, row.processor, row.batch_id,
      row.reason.empty() ? "The submission failed" : row.reason));
  diagnostic empty;
  empty.submission = row.id;
  empty.processor = row.processor;
  empty.batch_id = row.batch_id;
  return write_completed(empty);
}

} // namespace depositd::crossref
