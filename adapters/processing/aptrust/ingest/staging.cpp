// ingest04_staging: files of the bag, one by one.

#include "adapters/bagit/reading.hpp"
#include "adapters/processing/aptrust/ingest/steps.hpp"
#include "adapters/processing/merritt/file_digests.hpp"
#include "adapters/stores/files/file.hpp"
#include "messages/values/payload_paths.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>
#include <system_error>

#include <fcntl.h>

namespace depositd::aptrust {

namespace {

namespace fs = std::filesystem;
using merritt::ended;

caf::error other_bag(const std::string& path) {
  return caf::make_error(ec::store_damaged,
                         path + " is not what it was when it was listed");
}

/// Writes files as they go by, each beside the line that prefetch wrote of it.
/// What an earlier try has written and is right stays.
class unpacker final : public bagit::bag_visitor {
public:
  /// `all` was opened before anything is written: it is told what fails.
  unpacker(const bag_in_hand& bag, list_reader list, unique_fd all)
    : bag_(bag), files_(bag.files), list_(std::move(list)),
      all_(std::move(all)) {
    // nop
  }

  caf::error begin(const bagit::bag_file& x) override {
    const auto listed = list_.next(expected_);
    if (!listed)
      return list_failure_ = listed.error();
    if (!*listed || expected_.path != x.path)
      return other_bag(x.path);
    to_ = {};
    if (!is_kept(x.path) || is_there())
      return {};
    return open();
  }

  caf::error bytes(std::string_view part) override {
    if (!to_)
      return {};
    iovec one{const_cast<char*>(part.data()), part.size()};
    if (const auto code = io_.write(to_.value(), {&one, 1}, at_))
      return file_failed("write", part_path(), code);
    at_ += part.size();
    bag_.with.room->arrived({files_.root}, part.size());
    return {};
  }

  caf::error end(const bagit::bag_file& x) override {
    if (x.digests.empty() || x.digests.front().value != expected_.sha256)
      return other_bag(x.path);
    if (!to_)
      return {};
    to_ = {};
    crash_point("file_unstaged");
    std::error_code code;
    fs::rename(part_path(), path(), code);
    return code ? file_failed("rename", part_path(), code.value())
                : caf::error{};
  }

  /// That the list cannot be read, which is not the bag's fault.
  const caf::error& list_failure() const {
    return list_failure_;
  }

  /// Every line had its file; all of it is on the disk.
  caf::error finish() {
    const auto is_there = list_.next(expected_);
    if (!is_there)
      return list_failure_ = is_there.error();
    if (*is_there)
      return other_bag("the bag");
    const auto code = io_.sync_all(all_.value());
    if (code == 0)
      return {};
    // What the disk did not take is still read as if it had, and no other flush
    // fails: the next try must find none of it.
    std::error_code ignored;
    fs::remove_all(files_.staged(), ignored);
    return file_failed("sync", files_.staged(), code);
  }

private:
  fs::path path() const {
    return files_.staged() / expected_.path;
  }

  fs::path part_path() const {
    return files_.part_of_staged();
  }

  bool is_there() const {
    std::error_code code;
    if (fs::file_size(path(), code) != expected_.bytes || code)
      return false;
    const auto found = merritt::digest_file(path(), digest_algorithm::sha256);
    return found && found->sum.value == expected_.sha256;
  }

  caf::error open() {
    // Validation refuses such names; nothing is ever written outside.
    if (auto fault = payload_path_fault(expected_.path); !fault.empty())
      return caf::make_error(ec::malformed, expected_.path + ": " + fault);
    std::error_code code;
    fs::create_directories(path().parent_path(), code);
    if (code)
      return file_failed("make", path().parent_path(), code.value());
    fs::remove(part_path(), code);
    auto file = open_file(part_path(), O_WRONLY | O_CREAT | O_EXCL);
    if (!file)
      return std::move(file.error());
    to_ = std::move(*file);
    at_ = 0;
    return {};
  }

  disk& io_ = system_disk();
  const bag_in_hand& bag_;
  const interim_folder& files_;
  list_reader list_;
  const unique_fd all_; ///< the folder of all of them
  caf::error list_failure_;
  listed_file expected_;
  unique_fd to_; ///< none: the file is not written
  std::uint64_t at_ = 0;
};

/// Of the files that are kept, less what an earlier try has staged.
caf::expected<std::uint64_t> bytes_to_come(const interim_folder& files) {
  const auto here = merritt::bytes_below(files.staged());
  if (!here)
    return here.error();
  std::uint64_t all = 0;
  auto failure = each_file(files, [&](const listed_file& file) {
    all += is_kept(file.path) ? file.bytes : 0;
    return caf::error{};
  });
  if (failure)
    return failure;
  return all - std::min(all, *here);
}

outcome unpack(const bag_in_hand& x) {
  auto list = list_reader::open(x.files);
  if (!list)
    return ended_by_lists(list.error(), "the list of files");
  const auto bytes = bytes_to_come(x.files);
  if (!bytes)
    return ended_by_lists(bytes.error(), "the list of files");
  const auto bag = bag_to_read(x, *bytes);
  if (!bag)
    return ended_reading(bag.error());
  if (auto failure = make_folders(system_disk(), x.files.staged()))
    return ended_reading(failure);
  auto all = open_file(x.files.staged(), O_RDONLY | O_DIRECTORY);
  if (!all)
    return ended_reading(all.error());
  unpacker into{x, std::move(*list), std::move(*all)};
  bagit::read_options options;
  options.digests = {digest_algorithm::sha256};
  const auto totals = bagit::read_bag({bag->path, x.item.name}, options, into);
  const auto failure = totals ? into.finish() : totals.error();
  if (into.list_failure())
    return ended_by_lists(into.list_failure(), "the list of files");
  return failure ? ended_reading(failure) : ended(verdict::done);
}

} // namespace

outcome stage_files(bag_in_hand& x) {
  auto out = unpack(x);
  give_back_room(x);
  if (out.says == verdict::done) {
    // From here on the files count, not the bag.
    std::error_code ignored;
    fs::remove(x.files.bag(), ignored);
  } else if (out.says != verdict::retry || merritt::is_last_attempt(x.work)) {
    // Whoever has it tried again begins anew; others need the disk. So do they
    // if it waits for room: two that keep what they have would wait for each
    // other.
    forget_copies(x);
  }
  return out;
}

} // namespace depositd::aptrust
