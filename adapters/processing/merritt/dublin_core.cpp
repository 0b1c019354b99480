#include "adapters/processing/crossref/xml_reader.hpp"
#include "adapters/processing/crossref/xml_text.hpp"
#include "adapters/processing/merritt/manifest_lines.hpp"
#include "adapters/processing/merritt/metadata_files.hpp"

#include <algorithm>

namespace depositd::merritt {

namespace {

constexpr std::string_view elements_namespace =
  "http://purl.org/dc/elements/1.1/";
constexpr std::string_view terms_namespace = "http://purl.org/dc/terms/";

constexpr std::array<std::string_view, 15> elements = {
  "contributor", "coverage",   "creator",  "date",      "description",
  "format",      "identifier", "language", "publisher", "relation",
  "rights",      "source",     "subject",  "title",     "type"};

/// Collects the text of the elements that are Dublin Core's.
class dublin_core_reader final : public crossref::xml_handler {
public:
  caf::error start_element(const crossref::xml_element& element) override {
    ++depth_;
    const bool ours = element.namespace_uri == elements_namespace
                      || element.namespace_uri == terms_namespace;
    if (inside_ == 0 && ours && is_dublin_core(element.name)) {
      inside_ = depth_;
      found.emplace_back(element.name, "");
    }
    return {};
  }

  caf::error end_element(std::string_view, std::string_view) override {
    if (inside_ == depth_) {
      inside_ = 0;
      found.back().second = trimmed(found.back().second);
      if (found.back().second.empty())
        found.pop_back();
    }
    --depth_;
    return {};
  }

  caf::error text(std::string_view part) override {
    if (inside_ != 0)
      found.back().second += part;
    return {};
  }

  dublin_core found;

private:
  std::size_t depth_ = 0;
  std::size_t inside_ = 0; ///< depth of the element that is read; 0: none
};

/// Control characters cannot be written in XML 1.0 at all.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text)
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '\r':
        out += "&#13;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n'
                 ? ' '
                 : c;
    }
  return out;
}

} // namespace

bool is_dublin_core(std::string_view element) {
  return std::find(elements.begin(), elements.end(), element) != elements.end();
}

caf::expected<dublin_core> read_dublin_core(const std::string& text) {
  const crossref::xml_limits limits{.bytes_max = metadata_bytes_max};
  auto plain = crossref::decode_xml_text(text, limits);
  if (!plain)
    return std::move(plain.error());
  crossref::secure_xml_parser();
  dublin_core_reader reader;
  if (auto failure = crossref::read_xml_text(*plain, limits, reader))
    return failure;
  return std::move(reader.found);
}

std::string write_dublin_core(const dublin_core& x) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<metadata xmlns:dc=\"";
  out += elements_namespace;
  out += "\">\n";
  for (const auto& [name, value] : x)
    if (is_dublin_core(name) && !value.empty())
      out += "  <dc:" + name + ">" + escaped(value) + "</dc:" + name + ">\n";
  return out + "</metadata>\n";
}

} // namespace depositd::merritt
