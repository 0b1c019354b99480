#include "adapters/stores/receiving/folder_receiving.hpp"

#include "adapters/stores/files/file.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace depositd {

namespace {

namespace fs = std::filesystem;

micros time_of(const struct stat& x) {
  return micros{x.st_mtim.tv_sec} * 1'000'000 + x.st_mtim.tv_nsec / 1'000;
}

received_bag bag_of(const std::string& name, const struct stat& x) {
  received_bag out;
  out.name = name;
  out.etag = std::to_string(x.st_size) + "-" + std::to_string(x.st_mtim.tv_sec)
             + "." + std::to_string(x.st_mtim.tv_nsec) + "-"
             + std::to_string(x.st_ino);
  out.bytes = static_cast<std::uint64_t>(x.st_size);
  out.modified_us = time_of(x);
  return out;
}

caf::error none_so(const std::string& name) {
  return caf::make_error(ec::not_found, "there is no bag " + name);
}

class folder_receiving final : public receiving_place {
public:
  explicit folder_receiving(folder_receiving_options options)
    : options_(std::move(options)) {
    // nop
  }

  caf::error
  each(const std::function<caf::error(const received_bag&)>& take) override {
    std::error_code code;
    fs::directory_iterator at{options_.folder, code};
    for (; !code && at != fs::directory_iterator{}; at.increment(code)) {
      const auto name = at->path().filename().string();
      if (!legal_bag_name(name))
        continue;
      const auto found = look(name);
      if (!found && found.error() == ec::not_found)
        continue; // gone meanwhile, or no plain file
      if (!found)
        return found.error();
      if (is_settled(*found))
        if (auto failure = take(*found))
          return failure;
    }
    return code ? file_failed("read", options_.folder, code.value())
                : caf::error{};
  }

  caf::expected<received_bag> look(const std::string& name) override {
    if (!legal_bag_name(name))
      return none_so(name);
    const auto path = options_.folder / name;
    struct stat facts {};
    if (::lstat(path.c_str(), &facts) != 0)
      return errno == ENOENT ? none_so(name)
                             : file_failed("look at", path, errno);
    if (!S_ISREG(facts.st_mode))
      return none_so(name);
    return bag_of(name, facts);
  }

  std::optional<fs::path> path_of(const std::string& name) override {
    return options_.folder / name;
  }

  caf::error fetch(const std::string& name, const fs::path& to) override {
    const auto bag = look(name);
    if (!bag)
      return bag.error();
    const auto path = options_.folder / name;
    const auto from = open_file(path, O_RDONLY | O_NOFOLLOW);
    if (!from)
      return from.error();
    auto failure =
      copy_file_bytes(system_disk(), *from, path, to, {bag->bytes, bag->bytes});
    std::error_code ignored;
    if (failure)
      fs::remove(to, ignored);
    return failure;
  }

  caf::expected<bool> remove(const std::string& name,
                             const std::string& etag) override {
    const auto bag = look(name);
    if (!bag && bag.error() == ec::not_found)
      return true;
    if (!bag)
      return bag.error();
    if (bag->etag != etag)
      return false;
    const auto path = options_.folder / name;
    if (::unlink(path.c_str()) != 0 && errno != ENOENT)
      return file_failed("remove", path, errno);
    if (auto failure = sync_folder(system_disk(), options_.folder))
      return failure;
    return true;
  }

private:
  bool is_settled(const received_bag& x) const {
    using namespace std::chrono;
    const auto now =
      duration_cast<microseconds>(system_clock::now().time_since_epoch())
        .count();
    const auto wait = duration_cast<microseconds>(options_.settled_after);
    return x.modified_us + wait.count() <= now;
  }

  const folder_receiving_options options_;
};

} // namespace

caf::expected<std::unique_ptr<receiving_place>>
open_folder_receiving(folder_receiving_options options) {
  std::error_code code;
  if (!fs::is_directory(options.folder, code))
    return caf::make_error(ec::store_failed,
                           options.folder.string() + " is no folder");
  return std::unique_ptr<receiving_place>{
    std::make_unique<folder_receiving>(std::move(options))};
}

} // namespace depositd
