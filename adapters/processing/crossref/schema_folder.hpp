#pragma once

// The schema check of deposits: only files of one local folder are ever read.

#include "messages/values/errors.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace depositd::crossref {

class compiled_schema;

/// Schemas by version: `crossref5.3.1.xsd` and whatever it includes or
/// imports, found by base name in the same folder. Every function may be
/// called from any thread; all of them block.
class schema_folder {
public:
  /// The folder is read when a schema is first needed, and each schema once.
  explicit schema_folder(std::filesystem::path folder);
  ~schema_folder();
  schema_folder(const schema_folder&) = delete;
  schema_folder& operator=(const schema_folder&) = delete;

  /// Checks a well-formed document in UTF-8 against the schema of a version.
  /// `ec::malformed` with line and rule if it does not fit, `ec::not_found` if
  /// there is no schema of this version, `ec::store_failed` if the schema
  /// itself cannot be used.
  caf::error check(const std::string& version, const std::string& text);

private:
  caf::expected<std::shared_ptr<compiled_schema>>
  find(const std::string& version);

  const std::filesystem::path folder_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<compiled_schema>> schemas_;
};

} // namespace depositd::crossref
