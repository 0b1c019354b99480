#include "adapters/stores/receiving/folder_receiving.hpp"

#include "adapters/stores/files/file.hpp"
#include "adapters/stores/files/mounts.hpp"
#include "adapters/stores/receiving/passed_over.hpp"

#include <cerrno>
#include <cstdio>
#include <functional>
#include <mutex>
#include <system_error>
#include <unordered_map>

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

/// Where bags are while they are removed. No bag can have this name.
constexpr const char* removed_folder = ".removed";

/// Of engines that share the folder each may take another's bag back to its
/// place once, when it starts.
constexpr int removal_tries_max = 10;

/// Gives a file a name that nobody else has: 0, or an `errno` (`EEXIST`).
int rename_to_free(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                  RENAME_NOREPLACE)
      == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS)
    return errno;
  // Some file systems of networks cannot do it at once.
  if (::link(from.c_str(), to.c_str()) != 0)
    return errno;
  return ::unlink(from.c_str()) == 0 ? 0 : errno;
}

class folder_receiving final : public receiving_place {
public:
  folder_receiving(folder_receiving_options options, std::size_t mounts)
    : options_(std::move(options)), mounts_(mounts) {
    // nop
  }

  caf::error
  each(const std::function<caf::error(const received_bag&)>& take) override {
    if (auto failure = look_for_mounts(options_.folder, mounts_))
      return failure;
    std::error_code code;
    std::vector<std::string> others;
    const auto before = resting();
    resting_bags now;
    fs::directory_iterator at{options_.folder, code};
    for (; !code && at != fs::directory_iterator{}; at.increment(code)) {
      struct stat facts {};
      if (::lstat(at->path().c_str(), &facts) != 0) {
        if (errno == ENOENT)
          continue; // gone meanwhile
        return file_failed("look at", at->path(), errno);
      }
      const auto bag = bag_of(at->path().filename().string(), facts);
      if (!is_settled(bag) && !has_rested(bag, *before, now))
        continue; // not written whole
      if (!legal_bag_name(bag.name) || !S_ISREG(facts.st_mode))
        passed_over_names::add(others, bag.name);
      else if (auto failure = take(bag))
        return failure;
    }
    if (code)
      return file_failed("read", options_.folder, code.value());
    passed_over_.set(std::move(others));
    rest(std::move(now));
    return {};
  }

  std::vector<std::string> passed_over() override {
    return passed_over_.get();
  }

  caf::expected<received_bag> look(const std::string& name) override {
    if (!legal_bag_name(name))
      return none_so(name);
    const auto path = options_.folder / name;
    struct stat facts {};
    if (::lstat(path.c_str(), &facts) != 0) {
      if (errno != ENOENT)
        return file_failed("look at", path, errno);
      if (auto away = look_for_mounts(options_.folder, mounts_))
        return away;
      return none_so(name);
    }
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
    // What was a file when it was looked at may be a pipe by now, which would
    // be waited for.
    const auto from = open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (!from)
      return from.error();
    struct stat facts {};
    if (::fstat(from->value(), &facts) != 0)
      return file_failed("look at", path, errno);
    if (!S_ISREG(facts.st_mode))
      return none_so(name);
    auto failure =
      copy_file_bytes(system_disk(), *from, path, to, {bag->bytes, bag->bytes});
    std::error_code ignored;
    if (failure)
      fs::remove(to, ignored);
    return failure;
  }

  caf::expected<bool> remove(const std::string& name,
                             const std::string& etag) override {
    if (!legal_bag_name(name))
      return true;
    if (auto wrong = refuse_what_is_not_ours())
      return wrong;
    // What is removed is judged where nobody puts another one in its place.
    for (int i = 0; i < removal_tries_max; ++i) {
      if (auto failure = end_removal(name, etag))
        return failure;
      const auto bag = look(name);
      if (!bag && bag.error() == ec::not_found)
        return true;
      if (!bag)
        return bag.error();
      if (bag->etag != etag)
        return false;
      if (auto failure = set_aside(name))
        return failure;
    }
    return caf::make_error(ec::store_failed,
                           "somebody keeps putting " + name + " back");
  }

  /// Puts back what an engine that died was about to remove: nobody knows any
  /// more which bag it meant. It is asked to again.
  caf::error end_removals() {
    // A depositor must not keep the engine from starting; whoever is to remove
    // a bag is told.
    if (refuse_what_is_not_ours())
      return {};
    std::error_code code;
    fs::directory_iterator at{removed(), code};
    if (code == std::errc::no_such_file_or_directory)
      return {};
    for (; !code && at != fs::directory_iterator{}; at.increment(code))
      if (const auto name = at->path().filename().string();
          legal_bag_name(name))
        if (auto failure = put_back(name))
          return failure;
    return code ? file_failed("read", removed(), code.value()) : caf::error{};
  }

private:
  fs::path removed() const {
    return options_.folder / removed_folder;
  }

  /// Depositors write beside it: what it is called may lead into the folder of
  /// another, whose bags would be taken for those that are removed here.
  caf::error refuse_what_is_not_ours() const {
    struct stat facts {};
    if (::lstat(removed().c_str(), &facts) != 0)
      return errno == ENOENT ? caf::error{}
                             : file_failed("look at", removed(), errno);
    if (S_ISDIR(facts.st_mode) && facts.st_uid == ::geteuid())
      return {};
    return caf::make_error(ec::store_failed,
                           removed().string()
                             + " is no folder of depositd's; remove it");
  }

  caf::error set_aside(const std::string& name) {
    std::error_code code;
    fs::create_directory(removed(), code);
    if (code)
      return file_failed("make", removed(), code.value());
    if (auto wrong = refuse_what_is_not_ours())
      return wrong;
    // Nothing is there any more, or something that is not ours to replace: the
    // next look tells.
    const auto path = options_.folder / name;
    const auto wrong = rename_to_free(path, removed() / name);
    return wrong == 0 || wrong == ENOENT || wrong == EEXIST
             ? caf::error{}
             : file_failed("remove", path, wrong);
  }

  /// Ends a removal that has begun: the bag goes if it is the one, or else back
  /// to its place.
  caf::error end_removal(const std::string& name, const std::string& etag) {
    const auto path = removed() / name;
    struct stat facts {};
    if (::lstat(path.c_str(), &facts) != 0)
      return errno == ENOENT ? caf::error{}
                             : file_failed("look at", path, errno);
    if (!S_ISREG(facts.st_mode) || bag_of(name, facts).etag != etag)
      return put_back(name);
    if (::unlink(path.c_str()) != 0 && errno != ENOENT)
      return file_failed("remove", path, errno);
    return sync_names();
  }

  /// A bag that was put there meanwhile under the name would have taken this
  /// one's place, and does so now.
  caf::error put_back(const std::string& name) {
    const auto from = removed() / name;
    auto wrong = rename_to_free(from, options_.folder / name);
    if (wrong == EEXIST)
      wrong = ::unlink(from.c_str()) == 0 ? 0 : errno;
    if (wrong != 0 && wrong != ENOENT)
      return file_failed("put back", from, wrong);
    return sync_names();
  }

  /// Depositors find nothing of ours in their folder afterwards. Whoever else
  /// removes a bag now makes the folder again.
  caf::error sync_names() {
    std::error_code ignored;
    auto failure = sync_folder(system_disk(), removed());
    if (failure && fs::exists(removed(), ignored))
      return failure;
    fs::remove(removed(), ignored);
    return sync_folder(system_disk(), options_.folder);
  }

  /// Digests of names and tags, and when a look first found them so.
  using resting_bags
    = std::unordered_map<std::size_t, std::chrono::steady_clock::time_point>;

  std::shared_ptr<const resting_bags> resting() {
    const std::lock_guard guard{mutex_};
    return resting_;
  }

  void rest(resting_bags now) {
    auto all = std::make_shared<const resting_bags>(std::move(now));
    const std::lock_guard guard{mutex_};
    resting_ = std::move(all);
  }

  /// Whoever put it there may have given it a time that is yet to come, or has
  /// another clock: then it is whole if it stayed the same between two looks.
  bool has_rested(const received_bag& x, const resting_bags& before,
                  resting_bags& now) const {
    const auto time = std::chrono::steady_clock::now();
    const auto key = std::hash<std::string>{}(x.name + '/' + x.etag);
    const auto at = before.find(key);
    now.emplace(key, at == before.end() ? time : at->second);
    return at != before.end() && time - at->second >= options_.settled_after;
  }

  bool is_settled(const received_bag& x) const {
    using namespace std::chrono;
    const auto now =
      duration_cast<microseconds>(system_clock::now().time_since_epoch())
        .count();
    const auto wait = duration_cast<microseconds>(options_.settled_after);
    return x.modified_us + wait.count() <= now;
  }

  const folder_receiving_options options_;
  const std::size_t mounts_; ///< on the way to the folder when it was opened
  passed_over_names passed_over_;
  std::mutex mutex_; ///< guards `resting_`
  std::shared_ptr<const resting_bags> resting_
    = std::make_shared<const resting_bags>();
};

} // namespace

caf::expected<std::unique_ptr<receiving_place>>
open_folder_receiving(folder_receiving_options options) {
  std::error_code code;
  if (!fs::is_directory(options.folder, code))
    return caf::make_error(ec::store_failed,
                           options.folder.string() + " is no folder");
  const auto mounts =
    note_mounts(system_disk(), options.folder, options.note);
  if (!mounts)
    return mounts.error();
  auto out = std::make_unique<folder_receiving>(std::move(options), *mounts);
  if (auto failure = out->end_removals())
    return failure;
  return std::unique_ptr<receiving_place>{std::move(out)};
}

} // namespace depositd
