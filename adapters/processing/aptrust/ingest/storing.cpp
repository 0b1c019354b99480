// ingest06_storage and ingest07_storage_validation: the files go into storage,
// and are looked for there.

#include "adapters/processing/aptrust/ingest/steps.hpp"
#include "adapters/processing/merritt/file_digests.hpp"
#include "adapters/processing/merritt/keeping_steps.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/test_points.hpp"

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace depositd::aptrust {

namespace {

using merritt::ended;

caf::expected<std::shared_ptr<storage_target>>
target_of(const bag_in_hand& x, const std::string& name) {
  const auto found = x.work.tools.storage.find(name);
  if (found == x.work.tools.storage.end())
    return caf::make_error(ec::store_failed,
                           "no storage " + name + " is set up here");
  return found->second;
}

/// What is staged must still be what was listed.
caf::expected<new_version> version_of(const bag_in_hand& x) {
  new_version out;
  out.object = x.object();
  out.created_us = engine_clock::system().now();
  out.message = "ingest of " + x.item.name + ", job " + x.work.job.uuid;
  out.user = x.item.institution;
  auto failure = each_file(x.files, [&](const listed_file& file) -> caf::error {
    if (!is_kept(file.path))
      return {};
    auto source = x.files.staged() / file.path;
    const auto found = merritt::digest_file(source, digest_algorithm::sha256);
    if (!found)
      return found.error();
    if (found->sum.value != file.sha256)
      return caf::make_error(ec::store_damaged,
                             file.path + " is not what was staged");
    out.files.push_back({file.path, std::move(source)});
    return {};
  });
  if (failure)
    return failure;
  return out;
}

/// A storage that is away comes back; what is staged does not.
outcome ended_storing(const caf::error& failure, const std::string& about) {
  const bool lost = failure == ec::not_found || failure == ec::store_damaged
                    || failure == ec::malformed
                    || failure == ec::invalid_argument;
  return ended(lost ? verdict::failed : verdict::retry,
               about + ": " + render(failure)
                 + (lost ? ", requeue to ingest04_staging or before" : ""));
}

outcome put_everywhere(bag_in_hand& x) {
  const auto& names = x.work.task.collection->storage;
  if (names.empty())
    return ended(verdict::failed, "the collection names no storage");
  auto numbers = merritt::stored_in(x.work.job);
  if (x.work.task.item.item.attempt <= 1)
    numbers.clear();
  std::optional<new_version> version;
  for (const auto& name : names) {
    if (numbers.contains(name))
      continue;
    const auto to = target_of(x, name);
    if (!to)
      return ended_for_now(to.error(), "storage");
    if (!version) {
      auto made = version_of(x);
      if (!made)
        return ended_storing(made.error(), "what is staged");
      version = std::move(*made);
    }
    // What came before may have taken long: the object must still be ours.
    if (auto ending = merritt::take_locks(x.work))
      return *ending;
    const auto done = (*to)->put(*version);
    if (!done)
      return ended_for_now(done.error(), "storage " + name);
    crash_point("bag_put");
    numbers[name] = done->version;
    x.work.job.more[merritt::left_by_store::stored_in] = numbers;
  }
  return ended(verdict::done);
}

/// Each file of the version once, with its size and the digest that storage
/// has written down. The text is empty if all is well; an error is of the list.
caf::expected<std::string> compare(const bag_in_hand& x,
                                   const object_version& shown) {
  std::unordered_map<std::string_view, const stored_file*> there;
  for (const auto& file : shown.files)
    there.emplace(file.path, &file);
  std::string wrong;
  auto failure = each_file(x.files, [&](const listed_file& file) -> caf::error {
    if (!is_kept(file.path) || !wrong.empty())
      return {};
    const auto at = there.find(file.path);
    if (at == there.end())
      wrong = file.path + " was not stored";
    else if (at->second->bytes != file.bytes
             || at->second->sha512 != file.sha512)
      wrong = file.path + " was stored otherwise";
    else
      there.erase(at);
    return {};
  });
  if (failure)
    return failure;
  if (wrong.empty() && !there.empty())
    wrong = std::string{there.begin()->first} + " was stored, too";
  return wrong;
}

/// What a target shows of the version.
struct target_look {
  std::optional<outcome> ending; ///< none: all of it is there
  bool is_damaged = false;       ///< it has the version, but not all bytes
};

target_look look_into(const bag_in_hand& x, const std::string& name,
                      storage_target& at, std::uint32_t number) {
  const auto trouble = [&](const caf::error& failure) {
    return target_look{ended_for_now(failure, "storage " + name),
                       failure == ec::store_damaged};
  };
  const auto shown = at.show(x.object(), number);
  if (!shown)
    return trouble(shown.error());
  const auto wrong = compare(x, *shown);
  if (!wrong)
    return {ended_by_lists(wrong.error(), "the list of files")};
  if (!wrong->empty())
    return trouble(caf::make_error(ec::store_damaged, *wrong));
  // What is written down are the digests of prefetch; now the bytes.
  if (x.work.tools.is_cold(name))
    return {};
  if (auto failure = at.verify(x.object(), number))
    return trouble(failure);
  return {};
}

/// Bytes that an object has are stored once: what an earlier version brought
/// may have been damaged since, and the bag has it whole.
std::optional<outcome> mend_in(bag_in_hand& x, const std::string& name,
                               storage_target& at, std::string& told) {
  auto out = merritt::locked([&](merritt::work_on_job&) {
    const auto version = version_of(x);
    if (!version)
      return ended_storing(version.error(), "what is staged");
    const auto mended = at.mend(x.object(), version->files);
    if (!mended)
      return ended_for_now(mended.error(), "storage " + name);
    if (*mended > 0)
      told += (told.empty() ? "storage " : "; storage ") + name + ": "
              + std::to_string(*mended)
              + " damaged files were put there anew";
    return ended(verdict::done);
  })(x.work);
  if (out.says == verdict::done)
    return std::nullopt;
  return out;
}

} // namespace

outcome store_files(bag_in_hand& x) {
  return merritt::locked(
    [&](merritt::work_on_job&) { return put_everywhere(x); })(x.work);
}

outcome check_storage(bag_in_hand& x) {
  const auto numbers = merritt::stored_in(x.work.job);
  if (numbers.empty())
    return ended(verdict::failed,
                 "nothing was stored yet, requeue to ingest06_storage");
  std::string mended;
  for (const auto& [name, number] : numbers) {
    const auto at = target_of(x, name);
    if (!at)
      return ended_for_now(at.error(), "storage");
    auto found = look_into(x, name, **at, number);
    if (found.is_damaged && !x.work.tools.is_cold(name)) {
      if (auto ending = mend_in(x, name, **at, mended))
        return *ending;
      found = look_into(x, name, **at, number);
    }
    if (found.ending)
      return *found.ending;
  }
  return ended(verdict::done, mended);
}

} // namespace depositd::aptrust
