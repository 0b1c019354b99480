#include "adapters/archives/entry_kinds.hpp"
#include "adapters/bagit/paths.hpp"
#include "adapters/bagit/walking.hpp"
#include "adapters/stores/files/file.hpp"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace depositd::bagit {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffer_bytes = 256 * 1024;

/// What says how names are read comes before what has names, manifests before
/// what they list.
int rank(const std::string& name) {
  switch (kind_of_file(name)) {
    case file_kind::bagit_txt:
      return 0;
    case file_kind::manifest:
    case file_kind::tag_manifest:
      return 1;
    default:
      return name == "data" ? 3 : 2;
  }
}

bool same(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec
         && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

class folder_walk {
public:
  folder_walk(const walk_request& x, walk_client& client, bag_totals& totals)
    : x_(x), client_(client), totals_(totals), costs_(x.limits, 0),
      buffer_(buffer_bytes, '\0') {
    // nop
  }

  std::optional<walk_stop> run() {
    auto path = fs::absolute(x_.from.path).lexically_normal();
    if (!path.has_filename())
      path = path.parent_path();
    totals_.folder = path.filename().string();
    std::error_code code;
    std::vector<std::string> names;
    // One more than allowed is enough to be refused.
    for (fs::directory_iterator at{x_.from.path, code}, end;
         !code && at != end && names.size() <= x_.limits.entries_max;
         at.increment(code))
      names.push_back(at->path().filename().string());
    if (code)
      return disk_failed("read", x_.from.path, code.value());
    std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) {
      return std::make_pair(rank(a), std::cref(a))
             < std::make_pair(rank(b), std::cref(b));
    });
    for (const auto& name : names)
      if (auto stop = take(name))
        return stop;
    return std::nullopt;
  }

private:
  std::optional<walk_stop> gone(const std::string& path) const {
    return stop_for(finding_code::changed, path,
                    "it went away while the bag was read");
  }

  /// A file or folder of the bag's own.
  std::optional<walk_stop> take(const std::string& name) {
    const auto whole = x_.from.path / name;
    if (auto stop = take_entry(name))
      return stop;
    std::error_code code;
    const auto status = fs::symlink_status(whole, code);
    if (!fs::is_directory(status))
      return std::nullopt;
    const auto below = x_.from.path.string().size();
    for (fs::recursive_directory_iterator at{whole, code}, end;
         !code && at != end; at.increment(code)) {
      auto path = at->path().string().substr(below);
      path.erase(0, path.find_first_not_of('/'));
      if (auto stop = take_entry(path))
        return stop;
    }
    return code ? std::optional{disk_failed("read", whole, code.value())}
                : std::nullopt;
  }

  std::optional<walk_stop> take_entry(const std::string& path) {
    if (auto stop = costs_.add_entry())
      return stop;
    if (auto stop = check_name(path))
      return stop;
    const auto whole = x_.from.path / path;
    struct stat facts {};
    if (::lstat(whole.c_str(), &facts) != 0)
      return errno == ENOENT ? gone(path) : disk_failed("read", whole, errno);
    if (S_ISDIR(facts.st_mode)) {
      client_.folder(path);
      return std::nullopt;
    }
    if (const auto* fault = file_type_fault(facts.st_mode))
      return stop_for(finding_code::not_allowed, path, fault);
    return take_file(path, facts);
  }

  std::optional<walk_stop> take_file(const std::string& path,
                                     const struct stat& facts) {
    bag_file file;
    file.kind = kind_of_file(path);
    file.path = path;
    file.mode = facts.st_mode & 07777;
    file.modified_s = facts.st_mtim.tv_sec;
    file.bytes = static_cast<std::uint64_t>(facts.st_size);
    if (auto stop = costs_.check_file(path, file.bytes))
      return stop;
    auto wanted = client_.begin(file);
    if (!wanted)
      return walk_stop{std::move(wanted.error()), std::nullopt};
    if (*wanted) {
      if (auto stop = read_bytes(file, facts))
        return stop;
      if (auto failure = client_.end(file))
        return walk_stop{std::move(failure), std::nullopt};
    }
    costs_.add_file(file.bytes);
    count_file(file, totals_);
    return std::nullopt;
  }

  std::optional<walk_stop> read_bytes(bag_file& file,
                                      const struct stat& before) {
    const auto whole = x_.from.path / file.path;
    // What was a file a moment ago must not block as a pipe.
    auto fd = open_file(whole, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!fd)
      return ::access(whole.c_str(), F_OK) != 0
               ? gone(file.path)
               : walk_stop{std::move(fd.error()), std::nullopt};
    std::uint64_t at = 0;
    for (;;) {
      const auto count = ::read(fd->value(), buffer_.data(), buffer_.size());
      if (count < 0 && errno == EINTR)
        continue;
      if (count < 0)
        return disk_failed("read", whole, errno);
      if (count == 0)
        break;
      at += static_cast<std::uint64_t>(count);
      if (auto stop = costs_.check_file(file.path, at))
        return stop;
      if (auto failure =
            client_.bytes({buffer_.data(), static_cast<std::size_t>(count)}))
        return walk_stop{std::move(failure), std::nullopt};
    }
    struct stat after {};
    if (::fstat(fd->value(), &after) != 0)
      return disk_failed("read", whole, errno);
    if (!same(before, after) || before.st_ino != after.st_ino
        || at != file.bytes)
      return stop_for(finding_code::changed, file.path,
                      "somebody wrote to it while the bag was read");
    return std::nullopt;
  }

  const walk_request& x_;
  walk_client& client_;
  bag_totals& totals_;
  walk_costs costs_;
  std::string buffer_;
};

} // namespace

std::optional<walk_stop> walk_folder(const walk_request& x, walk_client& client,
                                     bag_totals& totals) {
  return folder_walk{x, client, totals}.run();
}

} // namespace depositd::bagit
