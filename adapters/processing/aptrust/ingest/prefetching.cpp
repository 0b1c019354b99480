// ingest01_prefetch: what is in the bag.

#include "adapters/bagit/reading.hpp"
#include "adapters/processing/aptrust/ingest/steps.hpp"
#include "adapters/stores/files/file.hpp"

#include <system_error>

namespace depositd::aptrust {

namespace {

namespace fs = std::filesystem;
using merritt::ended;

std::string value_of(const std::vector<digest>& all, digest_algorithm wanted) {
  for (const auto& x : all)
    if (x.algorithm == wanted)
      return x.value;
  return {};
}

/// Writes down what goes by.
class file_lister final : public bagit::bag_visitor {
public:
  explicit file_lister(list_writer& to) : to_(to) {
    // nop
  }

  caf::error end(const bagit::bag_file& x) override {
    return to_.add(to_json(listed_file{
      x.path, x.bytes, value_of(x.digests, digest_algorithm::sha256),
      value_of(x.digests, digest_algorithm::sha512)}));
  }

private:
  list_writer& to_;
};

/// An earlier attempt came to its end, but nobody heard of it.
bool is_listed(const bag_in_hand& x) {
  if (x.work.task.item.item.attempt <= 1)
    return false;
  const auto list = list_reader::open(x.files);
  return list && list->bag().etag == x.item.etag
         && list->bag().name == x.item.name;
}

/// What an ingest of other bytes may have left.
caf::error begin_afresh(const bag_in_hand& x) {
  std::error_code code;
  fs::remove_all(x.files.root, code);
  if (code)
    return file_failed("remove", x.files.root, code.value());
  return make_folders(system_disk(), x.files.root);
}

caf::error list_files(bag_in_hand& x) {
  const auto bag = bag_to_read(x);
  if (!bag)
    return bag.error();
  auto list = list_writer::open(x.files.files());
  if (!list)
    return std::move(list.error());
  if (auto failure = list->add(to_json(listed_bag{x.item.name, x.item.etag})))
    return failure;
  file_lister lister{*list};
  bagit::read_options options;
  options.digests = {digest_algorithm::sha256, digest_algorithm::sha512};
  const auto totals =
    bagit::read_bag({bag->path, x.item.name}, options, lister);
  if (!totals)
    return totals.error();
  // What was listed must be the bag that the item speaks of.
  if (auto failure = check_same_bag(x))
    return failure;
  x.work.job.space_needed = static_cast<std::int64_t>(totals->payload_bytes);
  return list->finish();
}

} // namespace

outcome prefetch(bag_in_hand& x) {
  if (is_listed(x))
    return ended(verdict::done);
  if (x.work.task.item.item.attempt <= 1)
    if (auto failure = begin_afresh(x))
      return ended_for_now(failure, "the working folder");
  if (auto failure = make_folders(system_disk(), x.files.root))
    return ended_for_now(failure, "the working folder");
  auto failure = list_files(x);
  give_back_room(x);
  return failure ? ended_reading(failure) : ended(verdict::done);
}

} // namespace depositd::aptrust
