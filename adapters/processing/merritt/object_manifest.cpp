#include "adapters/processing/merritt/object_manifest.hpp"

#include "adapters/stores/files/file.hpp"

#include <map>
#include <optional>

namespace depositd::merritt {

namespace {

/// No name may be the folder of another one.
std::optional<manifest_fault> find_clash(const manifest& x) {
  std::map<std::string_view, std::uint64_t> names;
  for (const auto& row : x.rows)
    names.emplace(row.file_name, row.line);
  for (const auto& row : x.rows) {
    const std::string_view name = row.file_name;
    for (auto at = name.find('/'); at != name.npos; at = name.find('/', at + 1))
      if (const auto other = names.find(name.substr(0, at));
          other != names.end())
        return manifest_fault{row.line, "the folder of " + in_quotes(name)
                                          + " is the file in line "
                                          + std::to_string(other->second)};
  }
  return std::nullopt;
}

} // namespace

std::variant<manifest, outcome> read_object_manifest(const job_folder& folder) {
  auto text = read_file(folder.submitted_manifest());
  if (!text && text.error() == ec::not_found)
    return ended(verdict::failed, "the manifest is no longer in the working "
                                  "folder: requeue to pending");
  if (!text)
    return ended(text.error(), verdict::failed);
  auto read = read_manifest(*text, manifest_kind::object);
  if (!read.fault)
    read.fault = find_clash(read.found);
  if (read.fault)
    return ended(verdict::rejected, render(*read.fault));
  return std::move(read.found);
}

} // namespace depositd::merritt
