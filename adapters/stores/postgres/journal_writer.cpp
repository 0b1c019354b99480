#include "adapters/stores/postgres/journal_writer.hpp"

#include "adapters/stores/postgres/migrations.hpp"
#include "adapters/stores/postgres/shard_epochs.hpp"
#include "adapters/stores/postgres/statements.hpp"
#include "messages/values/tallies.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>

namespace depositd::postgres {

namespace {

using std::chrono::milliseconds;

std::pair<column, column>
columns_of(const std::map<std::string, std::int64_t>& marks) {
  column names{text_type};
  column offsets{number_type};
  for (const auto& [partition, offset] : marks) {
    names.add(partition);
    offsets.add(offset);
  }
  return {std::move(names), std::move(offsets)};
}

/// Of a write that was cut off, and why no other session was begun.
caf::error both(const caf::error& cut, const caf::error& then) {
  return caf::make_error(ec::store_failed, render(cut) + "; " + render(then));
}

} // namespace

journal_writer::journal_writer(const postgres_journal_options& options,
                               std::shared_ptr<journal_view> log)
  : options_(options),
    server_{.url = options.server.url, .name = "journal"},
    log_(std::move(log)) {
  // nop
}

caf::error journal_writer::open() {
  auto opened = connection::open(server_);
  if (!opened)
    return std::move(opened.error());
  to_ = std::move(*opened);
  if (auto error = migrate(*to_))
    return error;
  if (auto error = options_.epoch > 0 ? begin_session() : take_shard())
    return error;
  return load();
}

caf::error journal_writer::begin_session() {
  epoch_ = options_.epoch;
  const auto begun = to_->run(statements::renew_session,
                              parameters{options_.server.shard, epoch_});
  if (!begun)
    return begun.error();
  if (begun->rows() == 0)
    return fenced();
  begun->read(0, 0, session_);
  return {};
}

caf::error journal_writer::take_shard() {
  const auto shard = options_.server.shard;
  if (const auto wait = options_.owner_wait_ms; wait > 0) {
    if (auto error = to_->script("SET lock_timeout = " + std::to_string(wait)))
      return error;
    if (auto error = to_->execute(statements::lock_shard, parameters{shard}))
      return to_->state() != "55P03"
               ? error
               : caf::make_error(ec::store_failed,
                                 "postgres: another engine has shard "
                                   + std::to_string(shard));
    locked_ = true;
    if (auto error = to_->script("SET lock_timeout = 0"))
      return error;
  }
  const auto taken = raise_epoch(*to_, shard);
  if (!taken)
    return taken.error();
  taken->read(0, 0, epoch_);
  taken->read(0, 1, session_);
  return {};
}

caf::error journal_writer::load() {
  auto found = load_journal(*to_, options_.server.shard);
  if (!found)
    return std::move(found.error());
  log_->segments.assign(std::move(found->segments));
  log_->last.store(found->last, std::memory_order_release);
  const std::lock_guard guard{mutex_};
  watermarks_ = std::move(found->watermarks);
  return {};
}

std::vector<watermark> journal_writer::watermarks() {
  std::vector<watermark> out;
  const std::lock_guard guard{mutex_};
  for (const auto& [partition, offset] : watermarks_)
    out.push_back({partition, offset});
  return out;
}

journal_writer::draft
journal_writer::draft_of(std::string_view bytes, std::uint32_t events,
                         const std::vector<watermark>& watermarks) const {
  draft out;
  auto& group = out.group;
  group.first = log_->last.load(std::memory_order_relaxed) + 1;
  group.last = group.first + events - 1;
  group.epoch = epoch_;
  group.bytes = bytes;
  group.watermarks = watermarks;
  out.encoded = encode(watermarks);
  out.checksum = group_checksum(options_.server.shard, group, out.encoded);
  const auto open = log_->segments.open();
  const auto full = open && open->bytes > 0
                    && open->bytes + bytes.size() > options_.segment_bytes;
  out.begins_segment = !open || full;
  out.segment = (open ? open->number : 0) + (out.begins_segment ? 1 : 0);
  return out;
}

caf::expected<std::uint64_t>
journal_writer::append(std::string_view bytes, std::uint32_t events,
                       const std::vector<watermark>& watermarks) {
  if (events == 0)
    return caf::make_error(ec::invalid_argument,
                           std::string{"a group without events"});
  const std::lock_guard turn{session_mutex_};
  return append_in_session(bytes, events, watermarks);
}

caf::expected<std::uint64_t>
journal_writer::append_in_session(std::string_view bytes, std::uint32_t events,
                                  const std::vector<watermark>& watermarks) {
  const auto until
    = clock::now() + milliseconds{options_.server.patience_ms};
  if (auto error = settle(until))
    return error;
  auto x = draft_of(bytes, events, watermarks);
  for (;;) {
    auto failed = write(x);
    crash_point("postgres_committed");
    if (!failed) {
      accept(x);
      return x.group.first;
    }
    if (!to_->lost())
      return failed;
    if (auto error = renew_session(until)) {
      leave_in_doubt(std::move(x));
      return error == ec::store_failed ? both(failed, error) : error;
    }
    const auto there = arrived(x);
    if (there && *there) {
      accept(x);
      return x.group.first;
    }
    if (!there && there.error() == ec::store_damaged)
      return there.error();
    // Proven absent, and nothing can bring it any more: not a blind retry.
    if (there && clock::now() < until)
      continue;
    if (!there)
      leave_in_doubt(std::move(x));
    return failed;
  }
}

void journal_writer::leave_in_doubt(draft x) {
  x.group.bytes = {}; // the caller's
  doubt_ = std::make_unique<draft>(std::move(x));
}

caf::error journal_writer::write(const draft& x) {
  if (!x.begins_segment)
    return insert(x);
  return to_->transact([&]() -> caf::error {
    if (auto error = begin_segment(x))
      return error;
    crash_point("extent_begun");
    return insert(x);
  });
}

caf::error journal_writer::hold_session() {
  const auto owner =
    to_->run(statements::hold_session,
             parameters{options_.server.shard, epoch_, session_});
  if (!owner)
    return owner.error();
  return owner->rows() == 0 ? fenced() : caf::error{};
}

caf::error journal_writer::begin_segment(const draft& x) {
  const auto shard = options_.server.shard;
  if (auto error = hold_session())
    return error;
  if (const auto full = log_->segments.open())
    if (auto error = to_->execute(
          statements::close_segment,
          parameters{shard, full->number, full->last, full->bytes}))
      return error;
  if (auto error = to_->execute(statements::begin_segment,
                                parameters{shard, x.segment, x.group.first}))
    return error;
  return to_->script(
    statements::create_table(statements::table(shard, x.segment)));
}

caf::error journal_writer::insert(const draft& x) {
  const auto shard = options_.server.shard;
  const auto name = statements::table(shard, x.segment);
  parameters given{shard,         epoch_,       session_,
                   x.group.first, x.group.last, x.group.bytes.size(),
                   x.checksum};
  given.bytes(x.encoded).bytes(x.group.bytes);
  auto sql = statements::append_group(name);
  if (!x.group.watermarks.empty()) {
    std::map<std::string, std::int64_t> newest;
    for (const auto& watermark : x.group.watermarks)
      newest[watermark.partition] = watermark.offset;
    const auto [names, offsets] = columns_of(newest);
    given.add(names).add(offsets);
    sql = statements::append_group_with_watermarks(name);
  }
  const auto done = to_->run(sql, given);
  if (!done)
    return done.error();
  return done->changed() == 1 ? caf::error{} : fenced();
}

caf::error journal_writer::fenced() {
  const auto shard = options_.server.shard;
  tally(tally_of::append_fenced, std::to_string(shard));
  const auto owner = to_->run(statements::owner, parameters{shard});
  if (!owner)
    return owner.error();
  const epoch_number now = owner->rows() > 0 ? owner->number(0, 0) : 0;
  if (now < epoch_)
    return fallen_behind("epoch " + std::to_string(now) + " of "
                         + std::to_string(epoch_));
  return caf::make_error(ec::fenced, "epoch " + std::to_string(now)
                                       + " has taken shard "
                                       + std::to_string(shard) + " from "
                                       + std::to_string(epoch_));
}

caf::error journal_writer::fallen_behind(const std::string& what) const {
  return caf::make_error(
    ec::store_damaged,
    "postgres: the server is at " + what + " in shard "
      + std::to_string(options_.server.shard)
      + ", which it has confirmed: has a copy taken over that was behind?");
}

caf::error journal_writer::check_confirmed() {
  const auto found = load_journal(*to_, options_.server.shard);
  if (!found)
    return found.error();
  const auto confirmed = log_->last.load(std::memory_order_relaxed);
  return found->last >= confirmed
           ? caf::error{}
           : fallen_behind("sequence " + std::to_string(found->last) + " of "
                           + std::to_string(confirmed));
}

void journal_writer::accept(const draft& x) {
  if (x.begins_segment)
    log_->segments.begin(x.segment, x.group.first);
  log_->segments.grow(x.group.last, x.group.bytes.size());
  {
    const std::lock_guard guard{mutex_};
    for (const auto& watermark : x.group.watermarks)
      watermarks_[watermark.partition] = watermark.offset;
  }
  log_->last.store(x.group.last, std::memory_order_release);
}

caf::error journal_writer::ask_for_lock() {
  const auto got = to_->run(statements::try_lock_shard,
                            parameters{options_.server.shard});
  if (!got)
    return got.error();
  got->read(0, 0, locked_);
  return {};
}

void journal_writer::keep() {
  const std::unique_lock turn{session_mutex_, std::try_to_lock};
  if (!turn)
    return;
  if (!to_->lost() && renewed_)
    (void)(locked_ ? to_->execute(statements::alive) : ask_for_lock());
  if (to_->lost())
    (void)renew_session(clock::now());
}

caf::error journal_writer::renew_session(clock::time_point until) {
  const auto shard = options_.server.shard;
  renewed_ = false;
  for (;;) {
    const auto left = std::max<std::int64_t>(
      0, std::chrono::duration_cast<milliseconds>(until - clock::now())
           .count());
    if (to_->lost()) {
      auto opened
        = open_patiently(server_, static_cast<std::uint32_t>(left));
      if (!opened)
        return std::move(opened.error());
      to_ = std::move(*opened);
      locked_ = false;
    }
    auto renewed =
      to_->run(statements::renew_session, parameters{shard, epoch_});
    auto failed = !renewed ? std::move(renewed.error())
                  : renewed->rows() == 0 ? fenced()
                                         : check_confirmed();
    if (!failed) {
      renewed->read(0, 0, session_);
      renewed_ = true;
      // The server may not have buried the last session yet; the epoch counts.
      if (holds_by_session() && !locked_)
        (void)ask_for_lock();
    }
    if (!failed || !to_->lost() || clock::now() >= until)
      return failed;
  }
}

caf::expected<bool> journal_writer::arrived(const draft& x) {
  const auto shard = options_.server.shard;
  const auto segments = to_->run(statements::segments, parameters{shard});
  if (!segments)
    return segments.error();
  const auto rows = segments->rows();
  if (rows == 0 || segments->number(rows - 1, 0) != x.segment)
    return false;
  const auto name = statements::table(shard, x.segment);
  const auto found =
    to_->run(statements::group(name), parameters{x.group.first});
  if (!found)
    return found.error();
  if (found->rows() == 0)
    return false;
  if (found->number(0, 0) == x.group.last && found->number(0, 1) == epoch_
      && found->number(0, 2) == x.checksum)
    return true;
  return caf::make_error(ec::store_damaged,
                         "postgres: another group is at sequence "
                           + std::to_string(x.group.first));
}

caf::error journal_writer::retract(const draft& x) {
  const auto shard = options_.server.shard;
  return to_->transact([&]() -> caf::error {
    if (auto error = hold_session())
      return error;
    const auto name = statements::table(shard, x.segment);
    if (auto error = to_->execute(statements::delete_group(name),
                                  parameters{x.group.first, epoch_}))
      return error;
    if (x.group.watermarks.empty())
      return {};
    if (auto error =
          to_->execute(statements::delete_watermarks, parameters{shard}))
      return error;
    const auto [names, offsets] = columns_of(watermarks_);
    return to_->execute(statements::put_watermarks,
                        parameters{shard, names, offsets});
  });
}

caf::error journal_writer::settle(clock::time_point until) {
  if (!doubt_ && renewed_ && !to_->lost())
    return {};
  if (auto error = renew_session(until))
    return error;
  if (!doubt_)
    return {};
  const auto there = arrived(*doubt_);
  if (!there)
    return there.error();
  doubt_->was_there |= *there;
  if (auto error = *there ? retract(*doubt_) : caf::error{})
    return error;
  // The segment that it began stays, and is empty; also if nobody heard of it.
  if (doubt_->was_there && doubt_->begins_segment)
    log_->segments.begin(doubt_->segment, doubt_->group.first);
  doubt_.reset();
  return {};
}

} // namespace depositd::postgres
