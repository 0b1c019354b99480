#include "adapters/processing/merritt/working_folder.hpp"

#include "adapters/processing/merritt/manifest_lines.hpp"
#include "adapters/processing/merritt/metadata_files.hpp"
#include "adapters/stores/files/file.hpp"
#include "messages/values/hex.hpp"
#include "messages/values/names.hpp"
#include "messages/values/payload_paths.hpp"

#include <algorithm>
#include <charconv>

namespace depositd::merritt {

namespace {

namespace fs = std::filesystem;

caf::error no_list_of_ours(std::uint64_t line) {
  return caf::make_error(ec::malformed, "system/mrt-manifest.txt, line "
                                          + std::to_string(line)
                                          + ": not as it was written");
}

/// The reverse of `path_reference`; empty if it is no such thing.
std::string read_reference(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    std::uint8_t byte = 0;
    if (text.size() - i < 3 || !take_hex(text.substr(i + 1, 2), byte))
      return {};
    out += static_cast<char>(byte);
    i += 2;
  }
  const auto slash = out.find('/');
  const auto top = out.substr(0, slash);
  if (slash == out.npos || (top != "producer" && top != "system")
      || !payload_path_fault(std::string_view{out}.substr(slash + 1)).empty())
    return {};
  return out;
}

object_lock lock_of(const job_document& job, std::string name,
                    std::uint64_t token, micros now) {
  return {std::move(name), job.uuid, token, now + object_lock_us};
}

} // namespace

caf::expected<fs::path> batch_folder(const fs::path& work,
                                     const std::string& batch_uuid) {
  if (!legal_user_name(batch_uuid))
    return caf::make_error(ec::malformed,
                           "\"" + batch_uuid.substr(0, 100)
                             + "\" cannot be the name of a folder");
  return work / batch_uuid;
}

caf::expected<job_folder> folder_of(const fs::path& work,
                                    const job_document& job) {
  auto batch = batch_folder(work, job.batch_uuid);
  if (!batch)
    return std::move(batch.error());
  auto root = batch_folder(*batch, job.uuid);
  if (!root)
    return std::move(root.error());
  return job_folder{std::move(*root)};
}

caf::expected<std::vector<file_to_store>>
read_files_to_store(const job_folder& folder) {
  auto text = read_file(folder.storage_manifest());
  if (!text)
    return std::move(text.error());
  std::vector<file_to_store> out;
  std::uint64_t number = 0;
  for (std::string_view rest = *text; !rest.empty();) {
    ++number;
    const auto line = take_line(rest);
    if (line.starts_with("#"))
      continue;
    const auto fields = split_fields(line);
    file_to_store file;
    if (fields.size() != 7)
      return no_list_of_ours(number);
    // The name's own column does not tell "%20" from a blank.
    file.path = read_reference(fields[0]);
    file.source = folder.root / file.path;
    file.sha256 = fields[2];
    const auto* end = fields[3].data() + fields[3].size();
    const auto [stop, wrong] =
      std::from_chars(fields[3].data(), end, file.bytes);
    if (file.path.empty() || !is_sha256_hex(file.sha256) || stop != end
        || wrong != std::errc{})
      return no_list_of_ours(number);
    file.mime_type = decode_field(fields[6]);
    out.push_back(std::move(file));
  }
  std::sort(out.begin(), out.end(),
            [](const auto& x, const auto& y) { return x.path < y.path; });
  return out;
}

caf::expected<std::vector<std::string>>
read_deletions(const job_folder& folder, const job_document& job) {
  if (!job.update)
    return std::vector<std::string>{};
  auto text = read_file(folder.producer() / "mrt-delete.txt");
  if (!text && text.error() == ec::not_found)
    return std::vector<std::string>{};
  if (!text)
    return std::move(text.error());
  return read_delete_list(*text);
}

object_lock identifier_lock(const job_document& job, std::uint64_t token,
                            micros now) {
  return lock_of(job, job.what.identifier, token, now);
}

object_lock local_id_lock(const job_document& job, const std::string& owner,
                          const std::string& local_id, std::uint64_t token,
                          micros now) {
  return lock_of(job, owner + " " + local_id, token, now);
}

caf::expected<fs::file_type> look_at(const fs::path& path) {
  std::error_code code;
  const auto type = fs::symlink_status(path, code).type();
  if (type == fs::file_type::none)
    return file_failed("look at", path, code.value());
  return type;
}

} // namespace depositd::merritt
