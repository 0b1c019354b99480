// Records of sources: those that live, those that are over and remembered, bad
// ones.

#include "actors/rules/fold/state.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace depositd::rules {

namespace {

/// Of a body whose place the tables know, which need not be asked here.
constexpr std::uint64_t body_bytes_assumed = 1'024;

/// `record_row` and `record_change` name these alike.
template <class Row>
void set_ended(Row& row, const record_ended& x, sequence place) {
  row.state = x.failed ? record_state::failed : record_state::finished;
  row.place = place;
  row.ended_us = x.ended_us;
  row.reason = x.reason;
}

bool has_ended(const record_row& x) {
  return x.state == record_state::finished || x.state == record_state::failed;
}

} // namespace

std::string_view slice_fold::state::key_of_record(const std::string& source,
                                                  micros made_us,
                                                  std::string_view key) {
  record_key.assign(source).append(1, '\n').append(std::to_string(made_us));
  return record_key.append("\nk").append(key);
}

std::string_view slice_fold::state::key_of_refused(const std::string& source,
                                                   micros made_us,
                                                   std::uint64_t digest) {
  record_key.assign(source).append(1, '\n').append(std::to_string(made_us));
  return record_key.append("\nr").append(std::to_string(digest));
}

/// An empty row in place of what was there.
record_row& slice_fold::state::put_record(std::string_view key) {
  auto at = record_puts.find(key);
  if (at == record_puts.end())
    return record_puts.emplace(key, record_row{}).first->second;
  at->second = {};
  return at->second;
}

void slice_fold::state::add(const record_taken& x) {
  auto& row = put_record(key_of_record(x.source, x.made_us, x.key));
  row.source = x.source;
  row.made_us = x.made_us;
  row.key = x.key;
  row.queue = x.queue;
  row.user = user;
  row.id = x.id;
  records_ended[{x.source, x.made_us}].begins = true;
}

void slice_fold::state::keep_place(item_id id) {
  const auto at = entries.find(id);
  body_location place;
  if (at != entries.end() && at->second.put != none)
    place = puts[at->second.put].place;
  else if (at != entries.end() && at->second.change != none)
    place = changes[at->second.change].place;
  failed_bytes += place.length > 0 ? place.length : body_bytes_assumed;
  if (place.length > 0)
    failed[id] = place;
}

void slice_fold::state::add(const record_ended& x) {
  auto& totals = records_ended[{x.source, x.made_us}];
  ++(x.failed ? totals.failed : totals.finished);
  const auto at = record_puts.find(key_of_record(x.source, x.made_us, x.key));
  if (at != record_puts.end() && at->second.id != x.id)
    return; // another item has the key by now
  if (x.failed)
    keep_place(x.id);
  if (at != record_puts.end()) {
    set_ended(at->second, x, from + events);
    return;
  }
  auto& change = record_changes.emplace_back();
  change.source = x.source;
  change.made_us = x.made_us;
  change.key = x.key;
  change.id = x.id;
  set_ended(change, x, from + events);
}

void slice_fold::state::add(const record_refused& x) {
  auto& row = put_record(key_of_refused(x.source, x.made_us, x.digest));
  row.source = x.source;
  row.made_us = x.made_us;
  row.key = x.key;
  row.refused = x.digest;
  row.queue = x.queue;
  row.user = x.user;
  row.state = record_state::failed;
  row.place = from + events;
  row.ended_us = x.refused_us;
  row.reason = x.reason;
  row.body = x.body;
}

void slice_fold::state::forget_source(const records_forgotten& x) {
  const auto is_of = [&](const std::string& source, micros made_us) {
    return source == x.source && made_us <= x.made_us;
  };
  std::erase_if(record_puts, [&](const auto& entry) {
    return is_of(entry.second.source, entry.second.made_us);
  });
  std::erase_if(records_ended, [&](const auto& entry) {
    return is_of(entry.first.first, entry.first.second);
  });
  records_gone.push_back({x.source, x.made_us, true, {}, {}});
}

void slice_fold::state::add(const records_forgotten& x) {
  if (x.all)
    return forget_source(x);
  if (records_gone.empty() || records_gone.back().all
      || records_gone.back().source != x.source
      || records_gone.back().made_us != x.made_us)
    records_gone.push_back({x.source, x.made_us, false, {}, {}});
  auto& gone = records_gone.back();
  for (const auto& key : x.keys) {
    const auto at = record_puts.find(key_of_record(x.source, x.made_us, key));
    if (at != record_puts.end() && !has_ended(at->second))
      continue; // taken again
    if (at != record_puts.end())
      record_puts.erase(at);
    // The tables may have an older one of it.
    gone.keys.push_back(key);
  }
  for (const auto digest : x.refused) {
    const auto at =
      record_puts.find(key_of_refused(x.source, x.made_us, digest));
    if (at != record_puts.end())
      record_puts.erase(at);
    gone.refused.push_back(digest);
  }
}

void slice_fold::state::take_records(slice& to) {
  to.records_put.reserve(record_puts.size());
  for (auto& [key, row] : record_puts)
    to.records_put.push_back(std::move(row));
  const auto by_key = [](const record_row& x) {
    return std::tie(x.source, x.made_us, x.key, x.refused);
  };
  std::sort(
    to.records_put.begin(), to.records_put.end(),
    [&](const auto& a, const auto& b) { return by_key(a) < by_key(b); });
  to.records_changed = std::exchange(record_changes, {});
  to.records_gone = std::exchange(records_gone, {});
  for (auto& [of, totals] : records_ended) {
    totals.source = of.first;
    totals.made_us = of.second;
    to.records_ended.push_back(std::move(totals));
  }
  record_puts.clear();
  records_ended.clear();
  failed_taken = std::exchange(failed, {});
  failed_bytes = 0;
}

} // namespace depositd::rules
