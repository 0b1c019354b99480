#include "adapters/processing/crossref/xml_reader.hpp"

#include "messages/values/owned.hpp"
#include "messages/values/utf8.hpp"

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlIO.h>

#include <exception>
#include <filesystem>
#include <mutex>

namespace depositd::crossref {

namespace {

std::string_view view(const xmlChar* x) {
  return x ? std::string_view{reinterpret_cast<const char*>(x)}
           : std::string_view{};
}

// -- external entities --------------------------------------------------------

thread_local std::string allowed_folder;

xmlParserInputPtr load_external(const char* address, const char*,
                                xmlParserCtxtPtr context) {
  if (allowed_folder.empty() || !address)
    return nullptr;
  const std::filesystem::path folder = allowed_folder;
  const auto name = std::filesystem::path{address}.filename();
  if (name.empty() || name == "." || name == "..")
    return nullptr;
  const auto file = folder / name;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored))
    return nullptr;
  return xmlNewInputFromFile(context, file.c_str());
}

// -- parsing ------------------------------------------------------------------

using context_ptr = owned<xmlParserCtxt, xmlFreeParserCtxt>;

/// Of all names in a document, each counted once. The parser looks each name
/// up among so many that are like it that very many take quadratic time.
constexpr std::size_t names_bytes_max = 100'000;

/// What the callbacks share. They run inside a C library, so nothing may be
/// thrown through them.
struct reading {
  xmlParserCtxtPtr context = nullptr;
  xml_handler* handler = nullptr;
  const xml_limits* limits = nullptr;
  std::size_t text_bytes = 0; ///< of the text node so far
  xml_element element;        ///< reused
  caf::error problem;         ///< the first

  void stop(ec code, std::string_view what, int line, int column) {
    if (problem)
      return;
    std::string text = "line " + std::to_string(line) + ", column "
                       + std::to_string(column) + ": ";
    text += one_line(what);
    problem = caf::make_error(code, std::move(text));
    xmlStopParser(context);
  }

  template <class Function>
  void guarded(Function function) {
    if (problem)
      return;
    try {
      if (caf::error said = function())
        stop(static_cast<ec>(said.code()), render(said), line(), column());
    } catch (const std::exception& x) {
      stop(ec::too_large, x.what(), line(), column());
    }
  }

  int line() const {
    return context->input ? xmlSAX2GetLineNumber(context) : 0;
  }

  int column() const {
    return context->input ? xmlSAX2GetColumnNumber(context) : 0;
  }
};

reading& self(void* x) {
  return *static_cast<reading*>(x);
}

void on_start(void* data, const xmlChar* name, const xmlChar*,
              const xmlChar* uri, int, const xmlChar**, int count, int,
              const xmlChar** attributes) {
  auto& state = self(data);
  state.guarded([&]() -> caf::error {
    state.text_bytes = 0;
    state.element.name = view(name);
    state.element.namespace_uri = view(uri);
    state.element.attributes.clear();
    // Five pointers each: name, prefix, namespace, begin and end of the value.
    for (int i = 0; i < count; ++i) {
      const auto* const* five = attributes + i * 5;
      if (!five[2])
        state.element.attributes.emplace_back(
          view(five[0]), std::string{reinterpret_cast<const char*>(five[3]),
                                     reinterpret_cast<const char*>(five[4])});
    }
    return state.handler->start_element(state.element);
  });
}

void on_end(void* data, const xmlChar* name, const xmlChar*,
            const xmlChar* uri) {
  auto& state = self(data);
  state.guarded([&]() -> caf::error {
    state.text_bytes = 0;
    return state.handler->end_element(view(name), view(uri));
  });
}

void on_text(void* data, const xmlChar* text, int length) {
  auto& state = self(data);
  state.guarded([&]() -> caf::error {
    state.text_bytes += static_cast<std::size_t>(length);
    if (state.text_bytes > state.limits->text_max)
      return caf::make_error(
        ec::too_large, "text longer than "
                         + std::to_string(state.limits->text_max) + " bytes");
    return state.handler->text(
      {reinterpret_cast<const char*>(text), static_cast<std::size_t>(length)});
  });
}

// Called before anything of the DOCTYPE is read: nothing gets declared.
void on_doctype(void* data, const xmlChar*, const xmlChar*, const xmlChar*) {
  auto& state = self(data);
  state.stop(ec::malformed, "DOCTYPE not allowed", state.line(),
             state.column());
}

// Also for errors that libxml2 would go on after, like an unknown prefix.
void on_error(void* data, xmlErrorPtr error) {
  if (error->level < XML_ERR_ERROR)
    return;
  auto& state = self(data);
  // What it says of a name for which it has no room differs.
  if (xmlDictGetUsage(state.context->dict) > names_bytes_max)
    state.stop(ec::too_large, "too many different names", error->line,
               error->int2);
  if (error->code == XML_ERR_NO_MEMORY)
    state.stop(ec::too_large, "a name that is too long", error->line,
               error->int2);
  state.stop(ec::malformed,
             error->message ? error->message : "not well formed", error->line,
             error->int2);
}

xmlSAXHandler make_handler() {
  xmlSAXHandler out = {};
  out.initialized = XML_SAX2_MAGIC;
  out.startElementNs = on_start;
  out.endElementNs = on_end;
  out.characters = on_text;
  out.ignorableWhitespace = on_text;
  out.cdataBlock = on_text;
  out.internalSubset = on_doctype;
  out.serror = on_error;
  return out;
}

} // namespace

std::string_view xml_element::attribute(std::string_view wanted) const {
  for (const auto& [name, value] : attributes)
    if (name == wanted)
      return value;
  return {};
}

void read_within_own_limits(xmlParserCtxtPtr context) {
  xmlCtxtUseOptions(context, XML_PARSE_NONET | XML_PARSE_HUGE);
  xmlDictSetLimit(context->dict, names_bytes_max); // HUGE knows none
}

void secure_xml_parser() {
  static std::once_flag once;
  std::call_once(once, [] {
    xmlInitParser();
    xmlSetExternalEntityLoader(load_external);
  });
}

local_files_only::local_files_only(std::string folder) {
  allowed_folder = std::move(folder);
}

local_files_only::~local_files_only() {
  allowed_folder.clear();
}

std::string one_line(std::string_view text) {
  constexpr std::size_t bytes_max = 300;
  std::string out{text.substr(0, bytes_max)};
  // A character cut in half is dropped.
  while (text.size() > bytes_max && find_invalid_utf8(out) != out.npos)
    out.resize(find_invalid_utf8(out));
  for (auto& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      c = ' ';
  while (!out.empty() && out.back() == ' ')
    out.pop_back();
  return out;
}

caf::error read_xml_text(const std::string& text, const xml_limits& limits,
                         xml_handler& handler) {
  secure_xml_parser();
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    return caf::make_error(ec::malformed, "line 1, column 1: empty document");
  if (auto problem = check_xml_limits(text, limits))
    return problem;
  auto sax = make_handler();
  context_ptr context{
    xmlCreateMemoryParserCtxt(text.data(), static_cast<int>(text.size()))};
  if (!context)
    return caf::make_error(ec::too_large, "no memory for the parser");
  reading state;
  state.context = context.get();
  state.handler = &handler;
  state.limits = &limits;
  read_within_own_limits(context.get());
  *context->sax = sax;
  context->userData = &state;
  xmlParseDocument(context.get());
  if (!state.problem && !context->wellFormed)
    return caf::make_error(ec::malformed, "not well formed");
  return state.problem;
}

} // namespace depositd::crossref
