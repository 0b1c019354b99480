#include "adapters/processing/crossref/text.hpp"

#include "messages/values/lower_case.hpp"

#include <algorithm>

namespace depositd::crossref {

namespace {

/// 10. and four to nine digits; registrants may have subdivided theirs.
bool is_prefix(std::string_view text) {
  if (!text.starts_with("10."))
    return false;
  text.remove_prefix(3);
  const auto dot = text.find('.');
  const auto registrant = text.substr(0, dot);
  if (registrant.size() < 4 || registrant.size() > 9)
    return false;
  return is_digit(text.back()) && text.find("..") == text.npos
         && std::all_of(registrant.begin(), registrant.end(), is_digit)
         && std::all_of(text.begin(), text.end(),
                        [](char c) { return is_digit(c) || c == '.'; });
}

} // namespace

std::string doi_problem(std::string_view doi) {
  constexpr std::size_t bytes_max = 2048;
  const auto slash = doi.find('/');
  if (slash == doi.npos || !is_prefix(doi.substr(0, slash)))
    return "Not a DOI: it has to begin with 10., four to nine digits and a "
           "slash";
  if (slash + 1 == doi.size())
    return "Not a DOI: nothing follows the slash";
  if (doi.size() > bytes_max)
    return "Not a DOI: longer than " + std::to_string(bytes_max) + " bytes";
  const auto blank = [](char c) {
    return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F;
  };
  if (std::any_of(doi.begin(), doi.end(), blank))
    return "Not a DOI: it contains blanks or control characters";
  return {};
}

std::string doi_prefix(std::string_view doi) {
  return std::string{doi.substr(0, doi.find('/'))};
}

std::string normal_serial_number(std::string_view text) {
  std::string out;
  for (const auto c : text)
    if (is_digit(c) || c == 'X' || c == 'x')
      out += c == 'x' ? 'X' : c;
  if (out.size() == 8)
    out.insert(4, 1, '-');
  return out;
}

std::string header_value(std::string_view line, std::string_view name) {
  if (line.starts_with("H:"))
    line.remove_prefix(2);
  while (!line.empty()) {
    const auto end = std::min(line.find(';'), line.size());
    const auto part = squeeze(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
    const auto equals = part.find('=');
    if (equals != part.npos
        && lower_case(squeeze(part.substr(0, equals))) == lower_case(name))
      return squeeze(part.substr(equals + 1));
  }
  return {};
}

} // namespace depositd::crossref
