#include "adapters/processing/merritt/contents.hpp"

#include "adapters/processing/merritt/file_digests.hpp"
#include "adapters/stores/files/file.hpp"

#include <map>

namespace depositd::merritt {

namespace {

namespace fs = std::filesystem;

caf::error differs(const std::string& name, const std::string& reason) {
  return caf::make_error(ec::malformed, "\"" + name + "\" " + reason);
}

caf::error check_digest(const manifest_row& row, const fs::path& path) {
  auto found = digest_file(path, row.expected->algorithm);
  if (!found)
    return std::move(found.error());
  if (found->sum == *row.expected)
    return {};
  return differs(row.file_name,
                 "has the " + std::string{digest_name(found->sum.algorithm)}
                   + " " + found->sum.value + ", not " + row.expected->value);
}

caf::error check_file(const manifest_row& row, const fs::path& path) {
  const auto size = fs::file_size(path);
  if (row.size && *row.size != size)
    return differs(row.file_name, "has " + std::to_string(size) + " bytes, not "
                                    + std::to_string(*row.size));
  return row.expected ? check_digest(row, path) : caf::error{};
}

} // namespace

caf::error check_contents(const manifest& listed, const fs::path& folder) {
  std::map<std::string, const manifest_row*> rows;
  for (const auto& row : listed.rows)
    rows[row.file_name] = &row;
  std::error_code code;
  for (fs::recursive_directory_iterator at{folder, code}, end;
       !code && at != end; at.increment(code)) {
    if (at->is_directory() && !at->is_symlink())
      continue;
    const auto name = at->path().lexically_relative(folder).string();
    if (name == "mrt-manifest.txt")
      continue;
    const auto row = rows.find(name);
    if (row == rows.end() || at->is_symlink() || !at->is_regular_file())
      return differs(name, "is not listed");
    if (auto failure = check_file(*row->second, at->path()))
      return failure;
    rows.erase(row);
  }
  if (code)
    return file_failed("list", folder, code.value());
  return rows.empty() ? caf::error{}
                      : differs(rows.begin()->first, "is listed, not there");
}

} // namespace depositd::merritt
