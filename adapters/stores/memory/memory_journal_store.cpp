#include "adapters/stores/memory/memory_journal_store.hpp"

#include "adapters/stores/files/lost_epochs.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

namespace depositd {

namespace {

/// Shared, so that readers keep it when its segment is dropped.
struct memory_group {
  sequence first = 0;
  sequence last = 0;
  epoch_number epoch = 0;
  std::uint64_t number = 0;
  std::string bytes;
  std::vector<watermark> watermarks;
};

using group_ptr = std::shared_ptr<const memory_group>;

/// Group numbers of a segment are (segment << 32) + 0, 1, ...
struct memory_segment {
  std::vector<group_ptr> groups;
  std::uint64_t bytes = 0;
};

} // namespace

class memory_journal {
public:
  explicit memory_journal(const memory_journal_options& options)
    : segment_bytes(options.segment_bytes) {
    // nop
  }

  const std::uint64_t segment_bytes;
  std::atomic<sequence> last = 0;
  std::mutex mutex; // guards what follows
  std::uint64_t newest = 0;
  epoch_number epoch = 0;
  std::uint32_t failures = 0;
  std::map<std::uint64_t, memory_segment> segments;
  std::map<std::string, std::int64_t> watermarks;
};

namespace {

caf::error not_there(std::string what) {
  return caf::make_error(ec::not_found, std::move(what));
}

caf::error fenced(const memory_journal& log, epoch_number epoch) {
  return caf::make_error(ec::fenced, "epoch " + std::to_string(log.epoch)
                                       + " has taken the journal from "
                                       + std::to_string(epoch));
}

class memory_journal_store final : public journal_store {
public:
  explicit memory_journal_store(std::shared_ptr<memory_journal> log)
    : log_(std::move(log)) {
    const std::lock_guard guard{log_->mutex};
    epoch_ = ++log_->epoch;
  }

  memory_journal_store(std::shared_ptr<memory_journal> log, epoch_number epoch)
    : log_(std::move(log)), epoch_(epoch) {
    // nop
  }

  epoch_number epoch() const override {
    return epoch_;
  }

  sequence last() const override {
    return log_->last.load(std::memory_order_acquire);
  }

  caf::expected<std::uint64_t>
  append(std::string_view bytes, std::uint32_t events,
         const std::vector<watermark>& watermarks) override;

  caf::error
  read(sequence from,
       const std::function<bool(const stored_group&)>& show) override;

  caf::expected<std::string> read_body(const body_location& place) override;

  std::vector<watermark> watermarks() override;

  std::vector<segment> segments() override;

  caf::error drop(std::uint64_t number) override;

  std::uint64_t disk_bytes() override {
    const std::lock_guard guard{log_->mutex};
    std::uint64_t out = 0;
    for (const auto& [number, x] : log_->segments)
      out += x.bytes;
    return out;
  }

  caf::error backup(const std::filesystem::path&) override {
    return caf::make_error(ec::store_failed,
                           std::string{"a journal in memory has no files"});
  }

private:
  std::vector<group_ptr> groups_from(sequence from);

  std::shared_ptr<memory_journal> log_;
  epoch_number epoch_ = 0;
};

caf::expected<std::uint64_t>
memory_journal_store::append(std::string_view bytes, std::uint32_t events,
                             const std::vector<watermark>& watermarks) {
  if (events == 0)
    return caf::make_error(ec::invalid_argument,
                           std::string{"a group without events"});
  auto& log = *log_;
  const std::lock_guard guard{log.mutex};
  if (log.epoch != epoch_ && !seeded_bug("fence_is_missing"))
    return fenced(log, epoch_);
  if (log.failures > 0) {
    --log.failures;
    return caf::make_error(ec::store_failed,
                           std::string{"the journal was told to fail"});
  }
  const auto full = [&] {
    const auto& open = log.segments[log.newest];
    return open.bytes > 0 && open.bytes + bytes.size() > log.segment_bytes;
  };
  if (log.newest == 0 || full())
    ++log.newest;
  auto& open = log.segments[log.newest];
  const auto number = (log.newest << 32) + open.groups.size();
  const auto before = log.last.load(std::memory_order_relaxed);
  open.groups.push_back(std::make_shared<const memory_group>(
    memory_group{before + 1, before + events, epoch_, number,
                 std::string{bytes}, watermarks}));
  open.bytes += bytes.size();
  for (const auto& x : watermarks)
    log.watermarks[x.partition] = x.offset;
  log.last.store(before + events, std::memory_order_release);
  return number;
}

std::vector<group_ptr> memory_journal_store::groups_from(sequence from) {
  std::vector<group_ptr> out;
  const std::lock_guard guard{log_->mutex};
  for (const auto& [number, x] : log_->segments)
    for (const auto& group : x.groups)
      if (group->last >= from)
        out.push_back(group);
  return out;
}

caf::error memory_journal_store::read(
  sequence from, const std::function<bool(const stored_group&)>& show) {
  auto next = std::max<sequence>(from, 1);
  const auto end = last();
  const auto groups = groups_from(next);
  for (const auto& x : groups) {
    if (x->first > next || x->first > end)
      break;
    if (!show(
          {x->first, x->last, x->epoch, x->number, x->bytes, x->watermarks}))
      return {};
    next = x->last + 1;
  }
  if (next <= end)
    return not_there("sequence " + std::to_string(next)
                     + " is in the journal no longer");
  return {};
}

caf::expected<std::string>
memory_journal_store::read_body(const body_location& place) {
  const std::lock_guard guard{log_->mutex};
  const auto found = log_->segments.find(place.group >> 32);
  const auto at = place.group & 0xffffffff;
  if (found == log_->segments.end() || at >= found->second.groups.size())
    return not_there("no group " + std::to_string(place.group));
  const auto& bytes = found->second.groups[at]->bytes;
  if (std::uint64_t{place.offset} + place.length > bytes.size())
    return not_there("no body at " + std::to_string(place.group) + "+"
                     + std::to_string(place.offset));
  return bytes.substr(place.offset, place.length);
}

std::vector<watermark> memory_journal_store::watermarks() {
  std::vector<watermark> out;
  const std::lock_guard guard{log_->mutex};
  for (const auto& [partition, offset] : log_->watermarks)
    out.push_back({partition, offset});
  return out;
}

std::vector<segment> memory_journal_store::segments() {
  std::vector<segment> out;
  const std::lock_guard guard{log_->mutex};
  for (const auto& [number, x] : log_->segments)
    out.push_back({.number = number,
                   .first = x.groups.front()->first,
                   .last = x.groups.back()->last,
                   .group_first = number << 32,
                   .group_last = (number << 32) + 0xffffffff,
                   .bytes = x.bytes,
                   .open = number == log_->newest});
  return out;
}

caf::error memory_journal_store::drop(std::uint64_t number) {
  const std::lock_guard guard{log_->mutex};
  // Who has lost the log counts the bodies in it no longer.
  if (log_->epoch != epoch_)
    return fenced(*log_, epoch_);
  const auto found = log_->segments.find(number);
  if (found == log_->segments.end())
    return not_there("no segment " + std::to_string(number));
  if (number == log_->newest)
    return caf::make_error(ec::invalid_argument, "segment "
                                                   + std::to_string(number)
                                                   + " is still written to");
  log_->segments.erase(found);
  return {};
}

} // namespace

std::shared_ptr<memory_journal>
make_memory_journal(const memory_journal_options& options) {
  return std::make_shared<memory_journal>(options);
}

std::unique_ptr<journal_store>
open_memory_journal(std::shared_ptr<memory_journal> log) {
  return std::make_unique<memory_journal_store>(std::move(log));
}

caf::expected<std::unique_ptr<journal_store>>
open_memory_journal(std::shared_ptr<memory_journal> log, epoch_number epoch) {
  {
    const std::lock_guard guard{log->mutex};
    if (log->epoch > epoch)
      return caf::make_error(ec::fenced, "the journal is at epoch "
                                           + std::to_string(log->epoch)
                                           + " already");
    log->epoch = epoch;
  }
  return std::unique_ptr<journal_store>{
    std::make_unique<memory_journal_store>(std::move(log), epoch)};
}

void raise_epoch(memory_journal& log, epoch_number epoch) {
  const std::lock_guard guard{log.mutex};
  log.epoch = std::max(log.epoch, epoch);
}

std::shared_ptr<memory_journal> copy_memory_journal(memory_journal& log) {
  auto out = std::make_shared<memory_journal>(
    memory_journal_options{.segment_bytes = log.segment_bytes});
  const std::lock_guard guard{log.mutex};
  out->last = log.last.load(std::memory_order_relaxed);
  out->newest = log.newest;
  out->epoch = log.epoch;
  if (!seeded_bug("epochs_given_again"))
    out->epoch += lost_epochs_max;
  out->segments = log.segments;
  out->watermarks = log.watermarks;
  return out;
}

void fail_appends(memory_journal& log, std::uint32_t count) {
  const std::lock_guard guard{log.mutex};
  log.failures = count;
}

} // namespace depositd
