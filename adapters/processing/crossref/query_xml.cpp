#include "adapters/processing/crossref/query_xml.hpp"

#include "adapters/processing/crossref/broken_head.hpp"
#include "adapters/processing/crossref/captured_text.hpp"
#include "adapters/processing/crossref/text.hpp"
#include "adapters/processing/crossref/xml_reader.hpp"
#include "adapters/processing/crossref/xml_text.hpp"
#include "messages/values/batch_ids.hpp"
#include "messages/values/utf8.hpp"

#include <algorithm>
#include <utility>

namespace depositd::crossref {

namespace {

using namespace std::string_view_literals;

constexpr auto query_namespace = "http://www.crossref.org/qschema/"sv;

/// "Hardy, A. J." is asked for as Hardy.
std::string surname(const std::string& author) {
  return squeeze(author.substr(0, author.find(',')));
}

std::string first_serial_number(const std::string& text) {
  return normal_serial_number(text.substr(0, text.find(',')));
}

bool looks_like_doi(std::string_view text) {
  return text.starts_with("10.") && text.find('/') != text.npos;
}

/// Of what is compared with the fields of many records.
constexpr std::size_t field_bytes_max = 2'048;

bool has_long_field(const lookup& x) {
  for (const auto* field :
       {&x.wanted.issn, &x.wanted.journal_title, &x.wanted.first_author,
        &x.wanted.volume, &x.wanted.issue, &x.wanted.first_page,
        &x.wanted.year, &x.article_title})
    if (field->size() > field_bytes_max)
      return true;
  return false;
}

/// Says what is wrong with a query that could match anything, or that would
/// have to look at everything, or for long at each.
void check(lookup& x) {
  if (!x.problem.empty())
    return;
  if (!x.wanted.doi.empty())
    x.problem = doi_problem(x.wanted.doi);
  else if (has_long_field(x))
    x.problem = "A field is longer than " + std::to_string(field_bytes_max)
                + " bytes";
  else if (x.wanted.first_author.empty()
           && (x.wanted.first_page.empty()
               || (x.wanted.issn.empty() && x.wanted.journal_title.empty())))
    x.problem = "A query needs a DOI, an author, or a first page with an ISSN "
                "or a title";
}

caf::error add(lookup x, query_batch& out) {
  if (out.lookups.size() == queries_max)
    return caf::make_error(ec::too_large, "more than "
                                            + std::to_string(queries_max)
                                            + " queries in one upload");
  check(x);
  out.lookups.push_back(std::move(x));
  return {};
}

// -- lines --------------------------------------------------------------------

/// Takes the field before the next bar, and the bar.
std::string take_field(std::string_view& line) {
  const auto bar = std::min(line.find('|'), line.size());
  auto out = squeeze(line.substr(0, bar));
  line.remove_prefix(std::min(bar + 1, line.size()));
  return out;
}

/// The first fields, so many at most.
std::vector<std::string> split(std::string_view line, std::size_t count_max) {
  std::vector<std::string> out;
  for (bool more = true; more && out.size() < count_max;) {
    more = line.find('|') != line.npos;
    out.push_back(take_field(line));
  }
  return out;
}

/// DOI, KEY|DOI, or either behind bars of the older form.
lookup doi_line(std::string_view line) {
  lookup out;
  while (!line.empty())
    if (auto field = take_field(line); !field.empty()) {
      out.key = std::move(out.wanted.doi);
      out.wanted.doi = std::move(field);
    }
  if (out.wanted.doi.empty())
    out.problem = "A line without a DOI";
  return out;
}

/// ISSN|TITLE|AUTHOR|VOLUME|ISSUE|START PAGE|YEAR|RESOURCE TYPE|KEY|DOI
lookup journal_line(const std::vector<std::string>& fields) {
  lookup out;
  out.wanted.issn = first_serial_number(fields[0]);
  out.wanted.journal_title = fields[1];
  out.wanted.first_author = surname(fields[2]);
  out.wanted.volume = fields[3];
  out.wanted.issue = fields[4];
  out.wanted.first_page = fields[5];
  out.wanted.year = fields[6];
  out.key = fields[8];
  out.wanted.doi = fields[9];
  return out;
}

/// ISBN/ISSN|SER_TITLE|VOL_TITLE|AUTHOR/EDITOR|VOLUME|EDITION_NUMBER|PAGE|YEAR|
/// COMPONENT_NUMBER|RESOURCE_TYPE|KEY|DOI. What is recorded of a chapter has
/// the volume's title, else the series'.
lookup book_line(const std::vector<std::string>& fields) {
  lookup out;
  const auto number = first_serial_number(fields[0]);
  if (number.size() == "NNNN-NNNX"sv.size())
    out.wanted.issn = number;
  out.wanted.journal_title = fields[2].empty() ? fields[1] : fields[2];
  out.wanted.first_author = surname(fields[3]);
  out.wanted.volume = fields[4];
  out.wanted.first_page = fields[6];
  out.wanted.year = fields[7];
  out.key = fields[10];
  out.wanted.doi = fields[11];
  return out;
}

lookup read_line(std::string_view line, bool as_dois) {
  constexpr std::size_t journal_fields = 10;
  constexpr std::size_t book_fields = 12;
  if (as_dois)
    return doi_line(line);
  auto fields = split(line, book_fields + 1);
  const bool is_short = fields.size() <= 2;
  if (is_short && looks_like_doi(fields.back()))
    return doi_line(line);
  lookup out;
  if (fields.size() > book_fields || is_short) {
    out.problem = "Expected 10 or 12 fields between bars, or a DOI";
    return out;
  }
  const bool is_book = fields.size() > journal_fields;
  fields.resize(is_book ? book_fields : journal_fields);
  return is_book ? book_line(fields) : journal_line(fields);
}

caf::error parse_lines(std::string_view text, bool as_dois, query_batch& out) {
  if (const auto bad = find_invalid_utf8(text); bad != text.npos)
    return caf::make_error(
      ec::malformed, at_offset(text, bad, "byte that is not valid UTF-8"));
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = squeeze(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    // "H:" lines name mail addresses; here the answer is fetched.
    if (line.starts_with("H:"))
      out.email = header_value(line, "email");
    if (line.empty() || line.starts_with("H:"))
      continue;
    if (auto problem = add(read_line(line, as_dois), out))
      return problem;
  }
  return {};
}

// -- documents ----------------------------------------------------------------

class query_handler_of_xml : public xml_handler {
public:
  explicit query_handler_of_xml(query_batch& out) : out_(out) {
    // nop
  }

  caf::error start_element(const xml_element& element) override {
    ++depth_;
    if (depth_ == 1
        && (element.name != "query_batch"
            || !element.namespace_uri.starts_with(query_namespace)))
      return caf::make_error(ec::malformed, "the root has to be query_batch of "
                                              + std::string{query_namespace}
                                              + "2.0 or 3.0, not "
                                              + one_line(element.name));
    if (query_depth_ == 0 && element.name == "query") {
      query_depth_ = depth_;
      current_ = {};
      current_.key = squeeze(element.attribute("key"));
    }
    if (depth_ == query_depth_ + 1 || element.name == "doi_batch_id"
        || element.name == "email_address")
      captured_.begin(depth_);
    return {};
  }

  caf::error end_element(std::string_view name, std::string_view) override {
    caf::error problem;
    if (query_depth_ == 0) {
      if (name == "doi_batch_id" && out_.batch_id.empty())
        out_.batch_id = batch_id_of(captured_.take());
      else if (name == "email_address" && out_.email.empty())
        out_.email = captured_.take();
    } else if (depth_ == query_depth_ + 1) {
      field(name, captured_.take());
    } else if (depth_ == query_depth_) {
      problem = add(std::exchange(current_, {}), out_);
      query_depth_ = 0;
    }
    --depth_;
    return problem;
  }

  caf::error text(std::string_view part) override {
    captured_.add(part);
    return {};
  }

private:
  void field(std::string_view name, std::string value) {
    auto& to = current_.wanted;
    if (name == "doi")
      to.doi = std::move(value);
    else if (name == "issn")
      to.issn = first_serial_number(value);
    else if (name == "journal_title" || name == "volume_title"
             || (name == "series_title" && to.journal_title.empty()))
      to.journal_title = std::move(value);
    else if (name == "author")
      to.first_author = surname(value);
    else if (name == "volume")
      to.volume = std::move(value);
    else if (name == "issue")
      to.issue = std::move(value);
    else if (name == "first_page")
      to.first_page = std::move(value);
    else if (name == "year")
      to.year = std::move(value);
    else if (name == "article_title")
      current_.article_title = std::move(value);
    else if (name == "unstructured_citation")
      current_.problem = "Unstructured citations are not resolved here";
  }

  query_batch& out_;
  std::size_t depth_ = 0;
  std::size_t query_depth_ = 0; ///< of the open query; 0: none
  lookup current_;
  captured_text captured_;
};

bool is_document(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '<';
}

} // namespace

caf::error parse_queries(std::string_view bytes, bool as_dois,
                         const xml_limits& limits, query_batch& out) {
  const auto text = decode_xml_text(bytes, limits);
  const std::string_view known = text ? *text : bytes;
  if (text && !is_document(known))
    return parse_lines(*text, as_dois, out);
  query_handler_of_xml handler{out};
  auto problem = text ? read_xml_text(*text, limits, handler) : text.error();
  if (problem && is_document(known))
    find_head(known, out.batch_id, out.email);
  return problem;
}

} // namespace depositd::crossref
