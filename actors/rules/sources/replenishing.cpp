#include "actors/rules/sources/replenishing.hpp"

#include "messages/values/utf8.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace depositd::rules {

namespace {

std::uint64_t digest_of_bad(const bad_record& x) {
  return std::hash<std::string>{}(x.key + '\0' + x.reason + '\0' + x.body);
}

/// Of a body, to tell another one; 0 means that it is not known.
std::uint64_t digest_of(std::string_view body) {
  return std::hash<std::string_view>{}(body) | 1;
}

} // namespace

std::string fault_of(const pulled_record& x, std::uint64_t body_bytes_max) {
  if (x.key.empty())
    return "has no key";
  if (x.key.size() > record_key_bytes_max)
    return "the key has more than " + std::to_string(record_key_bytes_max)
           + " bytes";
  if (find_invalid_utf8(x.key) != std::string::npos)
    return "the key is not UTF-8";
  if (x.user.empty())
    return "has no user";
  if (x.user.size() > record_user_bytes_max)
    return "the user has more than " + std::to_string(record_user_bytes_max)
           + " bytes";
  if (find_invalid_utf8(x.user) != std::string::npos)
    return "the user is not UTF-8";
  if (x.body.size() > body_bytes_max)
    return "has " + std::to_string(x.body.size()) + " bytes, more than "
           + std::to_string(body_bytes_max);
  if (find_invalid_utf8(x.body) != std::string::npos)
    return "is not UTF-8";
  return {};
}

micros retry_wait_us(const source_settings& by, std::uint64_t failures) {
  auto out = by.retry_delay_ms;
  for (std::uint64_t i = 1; i < failures && out < by.retry_delay_ms_max; ++i)
    out *= 2;
  return static_cast<micros>(std::min(out, by.retry_delay_ms_max)) * 1000;
}

replenishing::replenishing(std::string name, const source_settings& by,
                           std::uint64_t body_bytes_max)
  : name_(std::move(name)), by_(by), body_bytes_max_(body_bytes_max),
    known_(by.known_max) {}

void replenishing::set(const source_settings& by) {
  by_ = by;
  known_.set_max(by.known_max);
  not_before_us_ = never; // what was wrong may be mended
}

void replenishing::restore(std::optional<std::string> cursor, bool paused,
                           bool ended) {
  cursor_ = std::move(cursor);
  paused_ = paused;
  ended_ = ended;
  // What the first part of that pass brought is not known any more.
  pass_brought_ = cursor_ && !cursor_->empty();
}

// -- replenishing -------------------------------------------------------------

std::optional<replenish> replenishing::start(micros now_us) {
  if (on_its_way_ || paused_ || ended_ || now_us < not_before_us_
      || buffer_.size() > by_.threshold() || buffer_.size() >= by_.capacity)
    return std::nullopt;
  const auto limit = by_.capacity - buffer_.size();
  const auto deadline_us = now_us + static_cast<micros>(by_.timeout_ms) * 1000;
  on_its_way_ = running{++number_last_, limit, now_us, deadline_us};
  return replenish{number_last_, limit, cursor_.value_or(""), deadline_us};
}

micros replenishing::due_us() const noexcept {
  if (on_its_way_)
    return on_its_way_->deadline_us;
  if (paused_ || ended_ || buffer_.size() > by_.threshold())
    return never;
  return std::max<micros>(not_before_us_, 1);
}

void replenishing::end_one(micros now_us) {
  ++facts_.replenishes;
  facts_.replenish_us_last = static_cast<std::uint64_t>(
    std::max<micros>(now_us - on_its_way_->since_us, 0));
  facts_.replenish_records_last = 0;
  on_its_way_.reset();
}

void replenishing::fail(const std::string& reason, micros now_us) {
  end_one(now_us);
  ++facts_.failures;
  facts_.error = name_ + ": " + reason;
  facts_.error_us = now_us;
  not_before_us_ = now_us + retry_wait_us(by_, facts_.failures);
}

bool replenishing::failed(std::uint64_t number, const std::string& reason,
                          micros now_us) {
  if (!on_its_way_ || on_its_way_->number != number)
    return false;
  fail(reason, now_us);
  return true;
}

std::optional<std::uint64_t> replenishing::expire(micros now_us) {
  if (!on_its_way_ || now_us < on_its_way_->deadline_us)
    return std::nullopt;
  const auto number = on_its_way_->number;
  fail("took longer than timeout_ms " + std::to_string(by_.timeout_ms), now_us);
  return number;
}

// -- what a batch does --------------------------------------------------------

void replenishing::note_bad(bad_record x, batch_taken& out) {
  const auto digest = digest_of_bad(x);
  if (bad_seen_.contains(digest))
    return;
  if (bad_seen_.size() == bad_seen_max) {
    facts_.bad_last = name_ + ": more than " + std::to_string(bad_seen_max)
                      + " are bad: the others are passed over unseen";
    return;
  }
  bad_seen_.insert(digest);
  ++facts_.bad;
  facts_.bad_last =
    name_ + ": " + (x.key.empty() ? "" : x.key + ": ") + x.reason;
  out.bad.push_back(std::move(x));
}

replenishing::taken replenishing::take_in(pulled_record& x, batch_taken& out) {
  if (x.user.empty() && by_.user_field.empty())
    x.user = name_;
  auto fault = fault_of(x, body_bytes_max_);
  const auto waits = buffer_.find(x.key);
  const auto digest = known_.digest(x.key);
  if (fault.empty()
      && ((waits && waits->body != x.body)
          || (digest != 0 && digest != digest_of(x.body))))
    fault = "a record of this key waits with another body";
  if (!fault.empty()) {
    note_bad({x.key, x.user, fault, x.body}, out);
    return taken::bad;
  }
  if (waits)
    return taken::waits;
  if (known_.contains(x.key))
    return known_.state(x.key) == record_state::queued ? taken::waits
                                                       : taken::over;
  if (buffer_.size() >= by_.capacity)
    return taken::no_room;
  buffer_.add({x.key, x.user, x.body, positions_.next_number()});
  return taken::added;
}

std::optional<batch_taken>
replenishing::brought(std::uint64_t number, pulled_batch batch, micros now_us) {
  if (!on_its_way_ || on_its_way_->number != number)
    return std::nullopt;
  const bool was_full = batch.records.size() >= on_its_way_->limit;
  end_one(now_us);
  facts_.replenish_records_last = batch.records.size();
  facts_.failures = 0;
  facts_.error.clear();
  facts_.error_us = never;
  if (batch.has_total)
    facts_.total = batch.total;

  batch_taken out;
  std::uint64_t waiting = 0;
  std::size_t at = 0;
  for (; at < batch.records.size(); ++at) {
    const auto what = take_in(batch.records[at], out);
    if (what == taken::no_room)
      break;
    out.added += what == taken::added;
    waiting += what == taken::waits;
    if (what == taken::over)
      out.applied_again.push_back(batch.records[at].key);
  }
  out.duplicates = waiting + out.applied_again.size();
  facts_.duplicates += out.duplicates;
  const bool cut = at < batch.records.size();
  for (auto& x : batch.bad)
    if (!cut || x.at <= at)
      note_bad(std::move(x), out);

  // What had no room is read again: from behind the last one that had, or all
  // over, and then the others are known.
  auto cursor = cursor_;
  if (!cut && batch.has_cursor)
    cursor = batch.cursor;
  else if (cut && at > 0 && !batch.records[at - 1].cursor.empty())
    cursor = batch.records[at - 1].cursor;
  const bool moved = cursor != cursor_;
  cursor_ = cursor;
  // What a position has passed does not come again, but where it is only one in
  // a pass.
  if (moved && by_.kind != source_kind::folder
      && bad_seen_.size() > bad_seen_max / 2)
    bad_seen_.clear();
  positions_.opened(moved ? cursor_ : std::nullopt, out.added);

  // Whoever moves on over known records goes on at once, but waits at the end
  // of a pass. Behind a full batch of records that wait there may be others,
  // which show when those are over.
  const bool passed = batch.ended && !cut;
  const bool still = out.added == 0 && !moved && !cut;
  not_before_us_ = still || (passed && out.added == 0)
                     ? now_us + static_cast<micros>(by_.poll_interval_ms) * 1000
                     : never;
  pass_brought_ = pass_brought_ || out.added > 0 || cut;
  ended_ =
    by_.ends && (passed ? !pass_brought_ : still && !(was_full && waiting > 0));
  pass_brought_ = pass_brought_ && !passed;
  return out;
}

// -- its operator -------------------------------------------------------------

void replenishing::pause() noexcept {
  paused_ = true;
}

void replenishing::resume() noexcept {
  paused_ = false;
  ended_ = false;
  not_before_us_ = never;
}

source_state replenishing::state() const noexcept {
  return paused_               ? source_state::paused
         : ended_              ? source_state::ended
         : facts_.failures > 0 ? source_state::failing
                               : source_state::running;
}

// -- records ------------------------------------------------------------------

std::optional<taken_record> replenishing::take() {
  if (paused_)
    return std::nullopt;
  auto out = buffer_.pop();
  if (out)
    known_.hand_on(out->key, digest_of(out->body));
  return out;
}

void replenishing::forget(std::string_view key) {
  if (const auto waits = buffer_.find(key)) {
    const auto batch = waits->tag;
    buffer_.remove(key);
    positions_.applied(batch);
  }
  known_.forget(key);
}

record_state replenishing::record(std::string_view key) const noexcept {
  return buffer_.contains(key) ? record_state::buffered : known_.state(key);
}

} // namespace depositd::rules
