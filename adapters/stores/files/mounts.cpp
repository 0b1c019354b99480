#include "adapters/stores/files/mounts.hpp"

#include "adapters/stores/files/file.hpp"

#include <cerrno>
#include <charconv>
#include <string>

#include <sys/stat.h>

namespace depositd {

namespace {

namespace fs = std::filesystem;

std::string line_before_count(const fs::path& folder) {
  return folder.string() + "\n";
}

/// What the note says of this folder; 0: nothing, or it is of another one.
caf::expected<std::size_t> noted_mounts(const fs::path& folder,
                                        const fs::path& note) {
  const auto text = read_file(note);
  if (!text && text.error() == ec::not_found)
    return std::size_t{0};
  if (!text)
    return text.error();
  const auto begin = line_before_count(folder);
  std::size_t out = 0;
  if (text->starts_with(begin))
    std::from_chars(text->data() + begin.size(), text->data() + text->size(),
                    out);
  return out;
}

caf::error not_mounted(const fs::path& folder, const std::string& more) {
  return caf::make_error(ec::store_failed,
                         folder.string()
                           + " is on no disk of its own any more: is it "
                             "mounted?"
                           + more);
}

} // namespace

caf::expected<std::size_t> count_mounts(const fs::path& folder) {
  std::size_t out = 0;
  std::error_code code;
  const auto whole = fs::absolute(folder, code);
  if (code)
    return file_failed("find", folder, code.value());
  fs::path way;
  dev_t before{};
  for (const auto& part : whole) {
    way /= part;
    struct stat facts {};
    if (::stat(way.c_str(), &facts) != 0) {
      if (errno == ENOENT)
        break;
      return file_failed("look at", way, errno);
    }
    if (way.has_relative_path() && facts.st_dev != before)
      ++out;
    before = facts.st_dev;
  }
  return out;
}

caf::error look_for_mounts(const fs::path& folder, std::size_t mounts) {
  struct stat facts {};
  if (::stat(folder.c_str(), &facts) != 0)
    return file_failed("look at", folder, errno);
  const auto now = count_mounts(folder);
  if (!now)
    return now.error();
  return *now < mounts ? not_mounted(folder, "") : caf::error{};
}

caf::expected<std::size_t> note_mounts(disk& io, const fs::path& folder,
                                       const fs::path& note) {
  const auto now = count_mounts(folder);
  if (!now || note.empty())
    return now;
  const auto before = noted_mounts(folder, note);
  if (!before)
    return before.error();
  if (*now < *before)
    return not_mounted(folder, " Where it is to be so from now on, remove "
                                 + note.string());
  if (*now == *before)
    return now;
  if (auto failure = make_folders(io, note.parent_path()))
    return failure;
  if (auto failure = replace_file(io, note,
                                  line_before_count(folder)
                                    + std::to_string(*now) + "\n"))
    return failure;
  return now;
}

} // namespace depositd
