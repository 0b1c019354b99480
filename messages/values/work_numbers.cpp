#include "messages/values/work_numbers.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>

namespace depositd {

namespace {

struct live_batch {
  batch_state state = batch_state::none;
  micros received_us = never;
};

struct work_book {
  std::mutex mutex;
  std::unordered_map<item_id, live_batch> batches;
  std::array<std::uint64_t, batch_states> moves{};
  batch_times times;
  /// Jobs may move very often: without the lock.
  std::array<std::atomic<std::uint64_t>, job_states> job_moves{};
};

work_book& kept_work() {
  static work_book out;
  return out;
}

std::size_t number_of(batch_state x) {
  return static_cast<std::size_t>(x);
}

void note_time(batch_times& to, micros took) {
  took = std::max<micros>(took, 0);
  ++to.n[time_bucket(took)];
  to.n[time_buckets] += static_cast<std::uint64_t>(took);
}

} // namespace

void uncount_batches(shard_number shard) {
  auto& to = kept_work();
  const std::lock_guard guard{to.mutex};
  std::erase_if(to.batches, [=](const auto& x) {
    return shard_of_item(x.first) == shard;
  });
}

void restore_batch(item_id id, batch_state state) {
  auto& to = kept_work();
  const std::lock_guard guard{to.mutex};
  to.batches[id] = {state, never};
}

void batch_came(item_id id, micros received_us) {
  auto& to = kept_work();
  const std::lock_guard guard{to.mutex};
  to.batches[id] = {batch_state::pending, received_us};
  ++to.moves[number_of(batch_state::pending)];
}

void batch_moves(item_id id, const batch_status& x, bool lives) {
  auto& to = kept_work();
  const std::lock_guard guard{to.mutex};
  auto& batch = to.batches[id];
  if (batch.state != x.state)
    ++to.moves[number_of(x.state)];
  batch.state = x.state;
  if (lives)
    return;
  if (batch.received_us != never && x.changed_us != never)
    note_time(to.times, x.changed_us - batch.received_us);
  to.batches.erase(id);
}

void job_moves_to(job_state state) {
  kept_work().job_moves[static_cast<std::size_t>(state)].fetch_add(
    1, std::memory_order_relaxed);
}

work_numbers count_work(const std::vector<shard_number>& shards) {
  auto& from = kept_work();
  work_numbers out;
  for (std::size_t i = 0; i < job_states; ++i)
    out.job_moves[i] = from.job_moves[i].load(std::memory_order_relaxed);
  const std::lock_guard guard{from.mutex};
  out.batch_moves = from.moves;
  out.times = from.times;
  for (const auto& [id, batch] : from.batches)
    if (std::find(shards.begin(), shards.end(), shard_of_item(id))
        != shards.end())
      ++out.batches[number_of(batch.state)];
  return out;
}

} // namespace depositd
