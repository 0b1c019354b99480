#include "adapters/processing/crossref/transfer_text.hpp"

#include "adapters/processing/crossref/deposit_xml.hpp"
#include "adapters/processing/crossref/text.hpp"
#include "adapters/processing/crossref/xml_reader.hpp"
#include "messages/values/lower_case.hpp"
#include "messages/values/names.hpp"
#include "messages/values/utf8.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace depositd::crossref {

namespace {

constexpr std::size_t url_bytes_max = 2'048;

/// "10." and digits in parts.
bool is_digits_prefix(std::string_view x) {
  return x.starts_with("10.") && x.size() > 3 && x.size() <= 64
         && std::all_of(x.begin(), x.end(),
                        [](char c) { return is_digit(c) || c == '.'; });
}

caf::error wrong(std::size_t line, const std::string& text) {
  return caf::make_error(ec::malformed,
                         "line " + std::to_string(line) + ": " + text);
}

caf::error read_header(std::string_view line, std::size_t number,
                       transfer& out) {
  out.email = header_value(line, "email");
  out.from = header_value(line, "fromPrefix");
  out.to = header_value(line, "toPrefix");
  if (out.to.empty())
    out.to = out.from;
  if (line.starts_with("H:") && is_digits_prefix(out.from)
      && is_digits_prefix(out.to))
    return {};
  return wrong(number, "the first line has to be like \"H: email=a@b.org;"
                       "fromPrefix=10.1111;toPrefix=10.2222\"");
}

transferred_doi read_line(std::string_view line, bool needs_url) {
  const auto tab = line.find('\t');
  transferred_doi out;
  out.doi = squeeze(line.substr(0, tab));
  if (tab != line.npos)
    out.resource = squeeze(line.substr(tab + 1));
  out.problem = doi_problem(out.doi);
  if (!out.problem.empty())
    return out;
  if (!out.resource.empty()
      && (out.resource.size() > url_bytes_max
          || !legal_web_address(out.resource)))
    out.problem = "This is no web address: " + one_line(out.resource);
  else if (needs_url && out.resource.empty())
    out.problem = "Neither another prefix nor a URL is given";
  return out;
}

} // namespace

caf::error parse_transfer(std::string_view bytes, const xml_limits& limits,
                          transfer& out) {
  if (bytes.size() > limits.bytes_max)
    return caf::make_error(ec::too_large, "more than "
                                            + std::to_string(limits.bytes_max)
                                            + " bytes");
  if (bytes.starts_with("\xEF\xBB\xBF"))
    bytes.remove_prefix(3);
  if (find_invalid_utf8(bytes) != bytes.npos)
    return caf::make_error(ec::malformed,
                           std::string{"the text is not in UTF-8"});
  std::unordered_set<std::string> known;
  std::size_t number = 0;
  while (!bytes.empty()) {
    ++number;
    const auto end = std::min(bytes.find('\n'), bytes.size());
    const auto line = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (squeeze(line).empty())
      continue;
    if (out.from.empty()) {
      if (auto problem = read_header(line, number, out))
        return problem;
      continue;
    }
    auto next = read_line(line, out.from == out.to);
    if (!known.insert(lower_case(next.doi)).second)
      continue;
    if (out.dois.size() == dois_max)
      return caf::make_error(ec::too_large, "more than "
                                              + std::to_string(dois_max)
                                              + " DOIs in one upload");
    out.dois.push_back(std::move(next));
  }
  return out.from.empty() ? wrong(1, "the file is empty") : caf::error{};
}

} // namespace depositd::crossref
