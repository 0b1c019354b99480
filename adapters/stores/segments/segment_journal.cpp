#include "adapters/stores/segments/segment_journal.hpp"

#include "messages/values/test_points.hpp"

#include <algorithm>
#include <array>

namespace depositd::segments {

namespace {

// A journal this full asks for its next segment.
constexpr std::uint64_t ask_ahead_divisor = 8;

constexpr std::array<char, page_bytes> zeros{};

caf::error not_there(std::string what) {
  return caf::make_error(ec::not_found, std::move(what));
}

std::uint64_t encoded_bytes(std::string_view partition) {
  return sizeof(std::uint32_t) + sizeof(std::int64_t) + partition.size();
}

} // namespace

segment_journal::segment_journal(disk& io, pool_options options, unique_fd lock,
                                 recovered found)
  : io_(io), options_(options), lock_(std::move(lock)),
    epoch_(found.names.epoch),
    names_(io, options.folder / manifest_name, std::move(found.names)),
    last_(found.last), log_(std::move(found.log)),
    watermarks_(std::move(found.watermarks)),
    pool_(io, names_, std::move(options), std::move(found.ready),
          std::move(found.spares)) {
  if (!log_.empty()) {
    const auto& newest = log_.rbegin()->second;
    current_.file = newest.file;
    current_.first = newest.first;
    current_.last = newest.last;
    current_.used = newest.used;
  }
}

epoch_number segment_journal::epoch() const {
  return epoch_;
}

sequence segment_journal::last() const {
  return last_.load(std::memory_order_acquire);
}

// -- append -------------------------------------------------------------------

caf::expected<std::uint64_t>
segment_journal::append(std::string_view bytes, std::uint32_t events,
                        const std::vector<watermark>& watermarks) {
  // Not left to the next group, which may begin another segment.
  if (refused_)
    if (auto failed = take_back())
      return failed;
  if (events == 0)
    return caf::make_error(ec::invalid_argument,
                           std::string{"a group without events"});
  auto front = sizeof(group_header);
  for (const auto& x : watermarks)
    front += encoded_bytes(x.partition);
  if (front + bytes.size() > group_bytes_max)
    return caf::make_error(
      ec::too_large, "a group of " + std::to_string(bytes.size()) + " bytes");
  if (auto failed = make_room(front + bytes.size()))
    return failed;
  build_front(watermarks, bytes, events);
  if (auto failed = write_group(bytes))
    return failed;
  commit(watermarks);
  return group_number(header_.segment, header_.payload_at());
}

caf::error segment_journal::make_room(std::uint64_t bytes) {
  const auto fits = [&](std::uint64_t more) {
    return current_.used + whole_pages(bytes + more)
           <= current_.file->header.capacity;
  };
  if (current_.file == nullptr || !fits(0)) {
    // The first group of a segment tells how far its predecessors got.
    std::uint64_t base = 0;
    for (const auto& [partition, offset] : watermarks_)
      base += encoded_bytes(partition);
    // An empty one stays the next: the log has no empty ones in between.
    if (current_.file != nullptr && current_.first == 0)
      pool_.put_back(std::move(current_.file));
    current_ = segment_state{};
    auto next = pool_.take(page_bytes + whole_pages(bytes + base));
    if (!next)
      return std::move(next.error());
    crash_point("segment_taken");
    current_.file = std::move(*next);
    asked_ahead_ = false;
  }
  if (!asked_ahead_
      && current_.used > current_.file->header.capacity / ask_ahead_divisor) {
    asked_ahead_ = true;
    pool_.prepare();
  }
  return {};
}

void segment_journal::build_front(const std::vector<watermark>& watermarks,
                                  std::string_view bytes,
                                  std::uint32_t events) {
  front_.assign(sizeof(group_header), '\0');
  // Only this thread changes them, so it reads them without the lock.
  if (current_.first == 0)
    for (const auto& [partition, offset] : watermarks_)
      append_watermark(front_, partition, offset);
  header_ = group_header{};
  header_.base_bytes =
    static_cast<std::uint32_t>(front_.size() - sizeof(group_header));
  for (const auto& x : watermarks)
    append_watermark(front_, x.partition, x.offset);
  header_.own_bytes = static_cast<std::uint32_t>(
    front_.size() - sizeof(group_header) - header_.base_bytes);
  header_.events = events;
  header_.first = last() + 1;
  header_.epoch = epoch_;
  header_.segment = current_.file->header.number;
  header_.offset = current_.used;
  header_.payload_bytes = static_cast<std::uint32_t>(bytes.size());
  seal(front_, header_, bytes, current_.file->header.nonce);
}

caf::error segment_journal::write_group(std::string_view bytes) {
  const auto& file = *current_.file;
  const auto size = front_.size() + bytes.size();
  // Whole pages: a part of one would have to be read from the disk first.
  std::array<iovec, 3> parts{
    iovec{front_.data(), front_.size()},
    iovec{const_cast<char*>(bytes.data()), bytes.size()},
    iovec{const_cast<char*>(zeros.data()), whole_pages(size) - size}};
  const auto fd = file.file.value();
  if (const auto code = io_.write(fd, parts, current_.used))
    return refuse(file_failed("write", file.path, code));
  crash_point("group_unflushed");
  if (const auto code = io_.sync(fd))
    return refuse(file_failed("sync", file.path, code));
  return {};
}

caf::error segment_journal::refuse(caf::error why) {
  refused_ = true;
  if (auto failed = take_back())
    why = caf::make_error(ec::store_failed, render(why) + "; "
                                              + render(failed));
  return why;
}

/// After a failed flush the machine may say that bytes are on the disk which
/// are not, so what counts from now on is written once more and flushed: here
/// the page of the header, without which the rest is no group, and all of the
/// next group.
caf::error segment_journal::take_back() {
  const auto& file = *current_.file;
  const auto fd = file.file.value();
  iovec part{const_cast<char*>(zeros.data()), zeros.size()};
  auto code = io_.write(fd, {&part, 1}, current_.used);
  if (code == 0)
    code = io_.sync(fd);
  if (code != 0)
    return file_failed("take back what was written to", file.path, code);
  refused_ = false;
  return {};
}

void segment_journal::commit(const std::vector<watermark>& watermarks) {
  current_.first = current_.first == 0 ? header_.first : current_.first;
  current_.last = header_.last();
  current_.used = header_.end();
  const std::lock_guard guard{mutex_};
  auto& known = log_[header_.segment];
  if (known.file == nullptr)
    known.file = current_.file;
  known.add(header_);
  for (const auto& x : watermarks)
    watermarks_[x.partition] = x.offset;
  last_.store(current_.last, std::memory_order_release);
}

// -- read ---------------------------------------------------------------------

std::vector<segment_journal::part> segment_journal::parts_from(sequence from) {
  std::vector<part> out;
  const std::lock_guard guard{mutex_};
  for (const auto& [number, x] : log_)
    if (x.last >= from)
      out.push_back({x.file, x.first, x.last,
                     out.empty() ? x.begin_of(from) : page_bytes, x.used});
  return out;
}

caf::error
segment_journal::read(sequence from,
                      const std::function<bool(const stored_group&)>& show) {
  from = std::max<sequence>(from, 1);
  const auto end = last();
  auto go_on = from <= end;
  auto next = from;
  if (!go_on)
    return {};
  for (const auto& x : parts_from(from)) {
    if (x.first > next)
      break;
    if (auto failed = show_part(x, from, go_on, show))
      return failed;
    if (!go_on)
      return {};
    next = x.last + 1;
  }
  if (next <= end)
    return not_there("sequence " + std::to_string(next)
                     + " is in the journal no longer");
  return {};
}

caf::error segment_journal::show_part(
  const part& what, sequence from, bool& go_on,
  const std::function<bool(const stored_group&)>& show) {
  window in{*what.file, what.end};
  found_group found;
  for (auto at = what.begin; at < what.end && go_on; at = found.header.end()) {
    auto holds = in.at(at, look::header, found);
    if (!holds)
      return std::move(holds.error());
    if (*holds == place_holds::group && found.header.last() < from)
      continue;
    if (*holds == place_holds::group)
      holds = in.at(at, look::all, found);
    if (!holds)
      return std::move(holds.error());
    if (*holds != place_holds::group)
      return caf::make_error(ec::store_damaged, what.file->path.string()
                                                  + ": damaged at byte "
                                                  + std::to_string(at));
    const auto& header = found.header;
    go_on = show({header.first, header.last(), header.epoch,
                  group_number(header.segment, header.payload_at()),
                  found.payload, decode_watermarks(found.own)});
  }
  return {};
}

caf::expected<std::string>
segment_journal::read_body(const body_location& place) {
  const auto number = place.group >> 32;
  const auto at = (place.group & 0xffffffff) + place.offset;
  segment_ptr file;
  std::uint64_t end = 0;
  {
    const std::lock_guard guard{mutex_};
    if (const auto found = log_.find(number); found != log_.end()) {
      file = found->second.file;
      end = found->second.used;
    }
  }
  if (file == nullptr || at < page_bytes + sizeof(group_header)
      || at + place.length > end)
    return not_there("no body at " + std::to_string(place.group) + "+"
                     + std::to_string(place.offset));
  std::string out(place.length, '\0');
  auto count = read_file_at(file->file, file->path, out, at);
  if (!count)
    return std::move(count.error());
  if (*count != out.size())
    return caf::make_error(ec::store_damaged, file->path.string()
                                                + ": it ends at byte "
                                                + std::to_string(at + *count));
  return out;
}

std::vector<watermark> segment_journal::watermarks() {
  std::vector<watermark> out;
  const std::lock_guard guard{mutex_};
  for (const auto& [partition, offset] : watermarks_)
    out.push_back({partition, offset});
  return out;
}

} // namespace depositd::segments
