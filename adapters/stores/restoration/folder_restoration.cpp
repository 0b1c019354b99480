#include "adapters/stores/restoration/folder_restoration.hpp"

#include "adapters/stores/files/file.hpp"
#include "adapters/stores/files/mounts.hpp"
#include "messages/values/names.hpp"
#include "messages/values/payload_paths.hpp"
#include "messages/values/uuid.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>

namespace depositd {

namespace {

namespace fs = std::filesystem;

/// An object's name, and the longest path of a file in it.
constexpr std::size_t name_bytes_max = 255 + 1 + payload_path_bytes_max;
/// Begun copies are here, and nowhere that depositors look.
constexpr const char* begun_folder = ".begun";

class folder_restoration final : public restoration_target {
public:
  folder_restoration(disk& io, fs::path root, std::size_t mounts)
    : io_(io), root_(std::move(root)), mounts_(mounts) {
    // nop
  }

  caf::error open() {
    if (auto failure = make_folders(io_, root_ / begun_folder))
      return failure;
    // What a crash has left: nobody else writes here.
    std::error_code code;
    for (fs::directory_iterator at{root_ / begun_folder, code}, end;
         !code && at != end; at.increment(code)) {
      std::error_code ignored;
      const auto age = fs::file_time_type::clock::now()
                       - fs::last_write_time(at->path(), ignored);
      if (!ignored && age > std::chrono::hours{24})
        fs::remove(at->path(), ignored);
    }
    return code ? file_failed("read", root_ / begun_folder, code.value())
                : caf::error{};
  }

  caf::expected<std::string> put(const std::string& user,
                                 const std::string& name,
                                 const fs::path& file) override {
    auto fault = restored_name_fault(name);
    if (!legal_user_name(user))
      fault = "is for no user";
    if (!fault.empty())
      return caf::make_error(ec::invalid_argument,
                             "\"" + name.substr(0, 200) + "\" " + fault);
    if (auto away = look_for_mounts(root_, mounts_))
      return away;
    const auto to = root_ / user / name;
    const auto begun = root_ / begun_folder / random_uuid();
    auto failure = copy(file, begun);
    if (!failure)
      failure = give_name(begun, to);
    if (failure) {
      std::error_code ignored;
      fs::remove(begun, ignored);
      return failure;
    }
    return to.string();
  }

private:
  caf::error give_name(const fs::path& begun, const fs::path& to) {
    if (auto failure = make_folders(io_, to.parent_path()))
      return failure;
    if (std::rename(begun.c_str(), to.c_str()) != 0)
      return file_failed("rename to", to, errno);
    return sync_folder(io_, to.parent_path());
  }

  caf::error copy(const fs::path& file, const fs::path& to) {
    const auto from = open_file(file, O_RDONLY | O_NOFOLLOW);
    if (!from)
      return from.error();
    std::error_code code;
    const auto bytes = fs::file_size(file, code);
    if (code)
      return file_failed("measure", file, code.value());
    if (auto failure = copy_file_bytes(io_, *from, file, to, {bytes, bytes}))
      return failure;
    fs::permissions(to, fs::perms::group_read, fs::perm_options::add, code);
    return code ? file_failed("share", to, code.value()) : caf::error{};
  }

  disk& io_;
  const fs::path root_;
  const std::size_t mounts_; ///< on the way to it when it was opened
};

} // namespace

std::string restored_name_fault(const std::string& name) {
  if (name.empty() || name.size() > name_bytes_max)
    return "must have 1 to " + std::to_string(name_bytes_max) + " bytes";
  for (std::size_t from = 0; from <= name.size();) {
    const auto end = std::min(name.find('/', from), name.size());
    const auto part = std::string_view{name}.substr(from, end - from);
    if (part.empty() || part == "." || part == ".." || part.size() > 255)
      return "has a part that cannot be the name of a file";
    from = end + 1;
  }
  for (const unsigned char c : name)
    if (c < 0x20 || c == 0x7f)
      return "has a control character";
  return {};
}

caf::expected<std::unique_ptr<restoration_target>>
open_folder_restoration(const folder_restoration_options& options) {
  auto& io = options.io == nullptr ? system_disk() : *options.io;
  const auto mounts = note_mounts(io, options.folder, options.note);
  if (!mounts)
    return mounts.error();
  auto out = std::make_unique<folder_restoration>(io, options.folder, *mounts);
  if (auto failure = out->open())
    return failure;
  return out;
}

} // namespace depositd
