#include "adapters/processing/crossref/schema_folder.hpp"

#include "adapters/processing/crossref/xml_reader.hpp"
#include "messages/values/owned.hpp"

#include <libxml/parserInternals.h>
#include <libxml/xmlschemas.h>

#include <utility>

namespace depositd::crossref {

namespace {

using schema_ptr = owned<xmlSchema, xmlSchemaFree>;
using parser_ptr = owned<xmlSchemaParserCtxt, xmlSchemaFreeParserCtxt>;
using context_ptr = owned<xmlParserCtxt, xmlFreeParserCtxt>;
using validator_ptr = owned<xmlSchemaValidCtxt, xmlSchemaFreeValidCtxt>;

/// Keeps the first error that libxml2 tells. Called from C: must not throw.
void keep_first(void* data, xmlErrorPtr error) {
  auto& first = *static_cast<std::string*>(data);
  if (!first.empty() || error->level < XML_ERR_ERROR)
    return;
  try {
    first = "line " + std::to_string(error->line) + ": "
            + one_line(error->message ? error->message : "does not fit");
  } catch (...) {
    // Without the memory for a reason the result alone has to do.
  }
}

/// Errors of this thread's parser go here while it lives, rather than to the
/// standard error.
class errors_to {
public:
  explicit errors_to(std::string& first) {
    xmlSetStructuredErrorFunc(&first, keep_first);
  }

  ~errors_to() {
    xmlSetStructuredErrorFunc(nullptr, nullptr);
  }

  errors_to(const errors_to&) = delete;
  errors_to& operator=(const errors_to&) = delete;
};

caf::error no_memory() {
  return caf::make_error(ec::store_failed,
                         std::string{"no memory for the schema check"});
}

/// Says where the parser is. Called from C.
int line_of(void* data, const char** file, unsigned long* line) {
  const auto* const input = static_cast<xmlParserCtxtPtr>(data)->input;
  if (!input)
    return -1;
  if (file)
    *file = input->filename;
  if (line)
    *line = static_cast<unsigned long>(input->line);
  return 0;
}

/// Shows the validator what the parser reads. As `xmlSchemaValidateStream`
/// does, which lets nobody say how to parse. False: no memory.
bool parse_into(xmlSchemaValidCtxtPtr validator, xmlParserCtxtPtr context) {
  auto* const own = std::exchange(context->sax, nullptr);
  auto* const plug =
    xmlSchemaSAXPlug(validator, &context->sax, &context->userData);
  if (plug) {
    xmlParseDocument(context);
    xmlSchemaSAXUnplug(plug);
  }
  context->sax = own;
  return plug != nullptr;
}

} // namespace

class compiled_schema {
public:
  static caf::expected<std::shared_ptr<compiled_schema>>
  load(const std::filesystem::path& folder, const std::string& name) {
    secure_xml_parser();
    const local_files_only allow{folder.string()};
    parser_ptr parser{xmlSchemaNewParserCtxt(name.c_str())};
    std::string problem;
    const errors_to also{problem};
    if (parser)
      xmlSchemaSetParserStructuredErrors(parser.get(), keep_first, &problem);
    schema_ptr schema{parser ? xmlSchemaParse(parser.get()) : nullptr};
    if (!schema)
      return caf::make_error(ec::store_failed,
                             "schema " + name + " cannot be used: " + problem);
    auto out = std::make_shared<compiled_schema>();
    out->schema_ = std::move(schema);
    return out;
  }

  caf::error check(const std::string& text) {
    // A document's own schemaLocation reaches into the compiled schema.
    const std::lock_guard guard{mutex_};
    validator_ptr validator{xmlSchemaNewValidCtxt(schema_.get())};
    context_ptr context{
      xmlCreateMemoryParserCtxt(text.data(), static_cast<int>(text.size()))};
    if (!validator || !context)
      return no_memory();
    std::string problem;
    const errors_to also{problem};
    xmlSchemaSetValidStructuredErrors(validator.get(), keep_first, &problem);
    xmlSchemaValidateSetLocator(validator.get(), line_of, context.get());
    read_within_own_limits(context.get());
    if (!parse_into(validator.get(), context.get()))
      return no_memory();
    if (context->wellFormed && xmlSchemaIsValid(validator.get()) == 1)
      return {};
    if (problem.empty())
      problem = "does not fit the schema";
    return caf::make_error(ec::malformed, std::move(problem));
  }

private:
  schema_ptr schema_;
  std::mutex mutex_;
};

schema_folder::schema_folder(std::filesystem::path folder)
  : folder_(std::move(folder)) {
  // nop
}

schema_folder::~schema_folder() = default;

caf::error schema_folder::check(const std::string& version,
                                const std::string& text) {
  auto schema = find(version);
  if (!schema)
    return std::move(schema.error());
  return (*schema)->check(text);
}

caf::expected<std::shared_ptr<compiled_schema>>
schema_folder::find(const std::string& version) {
  const std::lock_guard guard{mutex_};
  if (const auto known = schemas_.find(version); known != schemas_.end())
    return known->second;
  const auto name = "crossref" + version + ".xsd";
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(folder_ / name, ignored))
    return caf::make_error(ec::not_found,
                           "schema " + name + " is not available");
  auto loaded = compiled_schema::load(folder_, name);
  if (loaded)
    schemas_.emplace(version, *loaded);
  return loaded;
}

} // namespace depositd::crossref
