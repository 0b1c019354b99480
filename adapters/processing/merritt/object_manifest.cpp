#include "adapters/processing/merritt/object_manifest.hpp"

#include "adapters/stores/files/file.hpp"

namespace depositd::merritt {

std::variant<manifest, outcome> read_object_manifest(const job_folder& folder) {
  auto text = read_file(folder.submitted_manifest());
  if (!text && text.error() == ec::not_found)
    return ended(verdict::failed, "the manifest is no longer in the working "
                                  "folder: requeue to pending");
  if (!text)
    return ended(text.error(), verdict::failed);
  auto read = read_manifest(*text, manifest_kind::object);
  if (read.fault)
    return ended(verdict::rejected, render(*read.fault));
  return std::move(read.found);
}

} // namespace depositd::merritt
