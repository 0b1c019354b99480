// ingest03_reingest_check: which files the object has already.

#include "adapters/processing/aptrust/ingest/steps.hpp"

#include <unordered_map>

namespace depositd::aptrust {

namespace {

using merritt::ended;

struct found_again {
  std::uint64_t unchanged = 0;
  std::uint64_t changed = 0;
  std::uint64_t added = 0;
};

using known_files = std::unordered_map<std::string, std::string>;

/// Lists what is unchanged, and counts.
caf::expected<found_again> compare(const bag_in_hand& x,
                                   const known_files& known) {
  auto list = list_writer::open(x.files.unchanged());
  if (!list)
    return std::move(list.error());
  found_again out;
  auto failure = each_file(x.files, [&](const listed_file& file) -> caf::error {
    if (!is_kept(file.path))
      return {};
    const auto before = known.find(file.path);
    if (before == known.end()) {
      ++out.added;
      return {};
    }
    if (before->second != file.sha512) {
      ++out.changed;
      return {};
    }
    ++out.unchanged;
    return list->add(file.path);
  });
  if (!failure)
    failure = list->finish();
  if (failure)
    return failure;
  return out;
}

} // namespace

outcome check_reingest(bag_in_hand& x) {
  auto& catalogue = *x.work.tools.inventory;
  const auto objects = catalogue.find({.identifier = x.object()});
  if (!objects)
    return ended_for_now(objects.error(), "the inventory");
  x.work.job.more.erase(left_by_ingest::reingest);
  known_files known;
  std::uint32_t version = 0;
  if (!objects->empty()) {
    if (objects->front().owner != x.work.task.collection->owner)
      return ended(verdict::rejected, x.object() + " is somebody else's");
    auto files = catalogue.files(x.object(), 0);
    if (!files && files.error() != ec::not_found)
      return ended_for_now(files.error(), "the inventory");
    if (files)
      for (auto& file : *files)
        known.emplace(std::move(file.path), std::move(file.sha512));
    if (!objects->front().versions.empty())
      version = objects->front().versions.back().number;
  }
  const auto found = compare(x, known);
  if (!found)
    return ended_by_lists(found.error(), "the list of files");
  if (version > 0)
    x.work.job.more[left_by_ingest::reingest] = {
      {"version", version},
      {"unchanged", found->unchanged},
      {"changed", found->changed},
      {"new", found->added}};
  return ended(verdict::done);
}

} // namespace depositd::aptrust
