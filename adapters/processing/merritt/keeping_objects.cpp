// Stages `store` and `record`: the object goes into storage and into the
// inventory.

#include "adapters/processing/merritt/file_digests.hpp"
#include "adapters/processing/merritt/keeping_steps.hpp"
#include "messages/values/clock.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace depositd::merritt {

namespace {

namespace fs = std::filesystem;
using storage_list =
  std::vector<std::pair<std::string, std::shared_ptr<storage_target>>>;

/// Files of earlier versions while they are copied; gone with this.
class borrowed_files {
public:
  explicit borrowed_files(fs::path folder) : folder_(std::move(folder)) {
    // What a crash has left.
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  borrowed_files(const borrowed_files&) = delete;
  borrowed_files& operator=(const borrowed_files&) = delete;

  ~borrowed_files() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  caf::error add(storage_target& from, const std::string& object,
                 std::uint32_t version, const std::string& path,
                 std::vector<new_file>& to) {
    std::error_code wrong;
    fs::create_directories(folder_, wrong);
    if (wrong)
      return caf::make_error(ec::store_failed, "cannot make " + folder_.string()
                                                 + ": " + wrong.message());
    const auto copy = folder_ / std::to_string(++count_);
    if (auto failure = from.get(object, version, path, copy))
      return failure;
    to.push_back({path, copy});
    return {};
  }

private:
  const fs::path folder_;
  std::uint64_t count_ = 0;
};

class storing {
public:
  explicit storing(work_on_job& x)
    : x_(x), object_(x.job.what.identifier),
      borrowed_(x.folder.root / "earlier") {
    // nop
  }

  outcome run() {
    if (auto ending = find_targets())
      return *ending;
    if (auto ending = gather_new())
      return *ending;
    if (auto ending = gather_earlier())
      return *ending;
    nlohmann::json numbers = nlohmann::json::object();
    std::uint32_t last = 0;
    for (const auto& [name, to] : targets_) {
      // What came before may have taken long: the object must still be ours.
      if (auto ending = take_locks(x_))
        return *ending;
      const auto number = put(*to);
      if (!number)
        return ended(number.error(), verdict::failed, "storage " + name);
      numbers[name] = *number;
      last = std::max(last, *number);
    }
    x_.job.more[left_by_store::version] = last;
    x_.job.more[left_by_store::stored_in] = std::move(numbers);
    return ended(verdict::done);
  }

private:
  std::optional<outcome> find_targets() {
    for (const auto& name : x_.task.collection->storage) {
      const auto found = x_.tools.storage.find(name);
      if (found == x_.tools.storage.end())
        return ended(verdict::failed,
                     "no storage " + in_quotes(name) + " is set up here");
      targets_.emplace_back(*found);
    }
    if (targets_.empty())
      return ended(verdict::failed, "the collection names no storage");
    return std::nullopt;
  }

  /// What `process` has listed must still be what it was then.
  std::optional<outcome> gather_new() {
    auto files = read_files_to_store(x_.folder);
    if (!files && files.error() == ec::not_found)
      return ended(verdict::failed, "what is to be stored is no longer in the "
                                    "working folder: requeue to pending");
    if (!files)
      return ended(files.error(), verdict::failed, "what is to be stored");
    for (auto& file : *files) {
      const auto found = digest_file(file.source, digest_algorithm::sha256);
      if (!found)
        return ended(found.error(), verdict::failed, in_quotes(file.path));
      if (found->sum.value != file.sha256)
        return ended(
          verdict::failed,
          in_quotes(file.path) + " is not what it was: "
            + difference(found->sum, {digest_algorithm::sha256, file.sha256}));
      version_.files.push_back({file.path, file.source});
    }
    return std::nullopt;
  }

  /// An update keeps what the last version has, but for what it replaces or
  /// deletes. Which target it comes from does not matter: one that has this
  /// very update already gives the same again.
  std::optional<outcome> gather_earlier() {
    if (!x_.job.update)
      return std::nullopt;
    const auto deletions = read_deletions(x_.folder, x_.job);
    if (!deletions)
      return ended(deletions.error(), verdict::failed, "mrt-delete.txt");
    std::set<std::string> gone(deletions->begin(), deletions->end());
    // It speaks of one update, and is no part of the next.
    gone.insert("producer/mrt-delete.txt");
    for (const auto& file : version_.files)
      gone.insert(file.path);
    std::shared_ptr<storage_target> from;
    object_version last;
    for (const auto& [name, target] : targets_) {
      auto shown = target->show(object_);
      if (!shown && shown.error() != ec::not_found)
        return ended(shown.error(), verdict::failed, "storage " + name);
      if (shown && shown->number > last.number) {
        from = target;
        last = std::move(*shown);
      }
    }
    for (const auto& file : last.files)
      if (!gone.contains(file.path))
        if (auto failure = borrow(*from, last.number, file))
          return ended(failure, verdict::failed, in_quotes(file.path));
    return std::nullopt;
  }

  /// Where its copy is damaged another target may have it whole.
  caf::error borrow(storage_target& from, std::uint32_t number,
                    const stored_file& file) {
    auto failure =
      borrowed_.add(from, object_, number, file.path, version_.files);
    if (failure != ec::store_damaged)
      return failure;
    for (const auto& [name, target] : targets_)
      if (const auto there = target->version_with(object_, file))
        if (!borrowed_.add(*target, object_, *there, file.path, version_.files))
          return {};
    return failure;
  }

  /// The version's number there, once every byte was read back.
  caf::expected<std::uint32_t> put(storage_target& to) {
    version_.object = object_;
    version_.created_us = engine_clock::system().now();
    version_.message = x_.job.note.empty() ? "job " + x_.job.uuid : x_.job.note;
    version_.user = x_.job.user;
    const auto done = to.put(version_);
    if (!done)
      return done.error();
    if (auto failure = read_back(to, done->version))
      return failure;
    const auto shown = to.show(object_, done->version);
    if (!shown)
      return shown.error();
    if (auto failure = compare(*shown))
      return failure;
    return done->version;
  }

  /// Bytes that the object has are stored once: what an earlier version brought
  /// may have been damaged since.
  caf::error read_back(storage_target& to, std::uint32_t version) const {
    auto failure = to.verify(object_, version);
    if (failure != ec::store_damaged)
      return failure;
    if (const auto mended = to.mend(object_, version_.files); !mended)
      return mended.error();
    return to.verify(object_, version);
  }

  caf::error compare(const object_version& shown) const {
    std::set<std::string> wanted;
    for (const auto& file : version_.files)
      wanted.insert(file.path);
    for (const auto& file : shown.files)
      if (wanted.erase(file.path) == 0)
        return caf::make_error(ec::store_damaged,
                               in_quotes(file.path) + " was stored, too");
    if (!wanted.empty())
      return caf::make_error(ec::store_damaged,
                             in_quotes(*wanted.begin()) + " was not stored");
    return {};
  }

  work_on_job& x_;
  const std::string object_;
  storage_list targets_;
  new_version version_;
  borrowed_files borrowed_;
};

inventory_entry entry_of(const work_on_job& x, std::vector<stored_file> files) {
  const auto& job = x.job;
  inventory_entry out;
  out.identifier = job.what.identifier;
  out.collection = x.task.collection->name;
  out.owner = x.task.collection->owner;
  out.local_ids = job.what.local_ids;
  out.version = {.number = job.more.value(left_by_store::version, 0u),
                 .job = job.uuid,
                 .batch = job.batch_uuid,
                 .user = job.user,
                 .title = job.what.title,
                 .creator = job.what.creator,
                 .date = job.what.date,
                 .files = files.size(),
                 .recorded_us = engine_clock::system().now()};
  for (const auto& file : files)
    out.version.bytes += file.bytes;
  out.files = std::move(files);
  return out;
}

} // namespace

std::map<std::string, std::uint32_t> stored_in(const job_document& job) {
  std::map<std::string, std::uint32_t> out;
  const auto at = job.more.find(left_by_store::stored_in);
  if (at == job.more.end() || !at->is_object())
    return out;
  for (const auto& [name, number] : at->items()) {
    if (!number.is_number_unsigned())
      return {};
    out[name] = number.get<std::uint32_t>();
  }
  return out;
}

outcome store_object(work_on_job& x) {
  return storing{x}.run();
}

outcome record_object(work_on_job& x) {
  const auto where = stored_in(x.job);
  if (where.empty())
    return ended(verdict::failed, "the job's object was not stored yet");
  const auto& [name, number] = *where.begin();
  const auto target = x.tools.storage.find(name);
  if (target == x.tools.storage.end())
    return ended(verdict::failed,
                 "no storage " + in_quotes(name) + " is set up here");
  auto version = target->second->show(x.job.what.identifier, number);
  if (!version)
    return ended(version.error(), verdict::failed, "storage " + name);
  auto entry = entry_of(x, std::move(version->files));
  for (const auto& one : where)
    entry.storage.push_back(one.first);
  const auto failure = x.tools.inventory->record(entry);
  if (!failure)
    return ended(verdict::done);
  return failure == ec::already_exists
           ? ended(verdict::failed, depositd::render(failure))
           : ended(failure, verdict::failed, "the inventory");
}

} // namespace depositd::merritt
