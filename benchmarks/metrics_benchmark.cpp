// What metrics cost: counting an item at its arrival, hand-out and end (at most
// 0.1 us in all), and what grows with users and queues when somebody scrapes.

#include "actors/rules/ledger/ledger.hpp"
#include "actors/rules/ring/ring.hpp"
#include "adapters/doors/operations/engine_numbers.hpp"
#include "messages/values/counts.hpp"

#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

namespace depositd {

namespace {

constexpr std::int64_t users_max = 1'000'000;

/// One item in a command of its own, the dearest case: its user's actor notes
/// two times, the queue adds them up.
void count_item(benchmark::State& state) {
  queue_counters to;
  micros wait = 1;
  for (auto _ : state) {
    wait = wait * 7 % 90'000'000'000;
    few_times waits, durations;
    waits.add(wait);
    durations.add(wait / 3);
    ++to.n[count_entered];
    ++to.n[count_granted];
    ++to.n[count_finished];
    const auto among = static_cast<std::size_t>(
      crowd_of(static_cast<std::uint64_t>(wait) & 2047));
    to.add(count_waits + among * time_slots, waits);
    to.add(count_durations, durations);
    benchmark::DoNotOptimize(to);
  }
}
BENCHMARK(count_item);

/// What is asked of the ledger for each report to a queue.
void oldest_of_a_user(benchmark::State& state) {
  rules::ledger ledger;
  ledger.configure("q", {}, {});
  std::vector<rules::incoming> items;
  for (item_id id = 1; id <= 1000; ++id)
    items.push_back({id, static_cast<std::uint8_t>(id % 3), 10, 0,
                     body_kind::inline_bytes, nullptr});
  for (auto& x : ledger.accept(items, 1))
    ledger.apply(event{std::move(x)});
  for (auto _ : state)
    benchmark::DoNotOptimize(ledger.oldest_ready());
}
BENCHMARK(oldest_of_a_user);

/// At the end of each step, every ten seconds: a look at every user.
void look_at_all_users(benchmark::State& state) {
  rules::ring ring;
  ring.settle_order();
  const auto users = static_cast<member_number>(state.range(0));
  for (member_number m = 0; m < users; ++m) {
    ring.join(m, "user-" + std::to_string(m), {});
    ring.change_ready(m, {0, 0, 5});
  }
  for (auto _ : state) {
    std::uint64_t sum = 0;
    for (member_number m = 0; m < users; ++m) {
      const auto x = ring.look(m);
      sum += x.picks + (x.eligible ? 1 : 0);
    }
    benchmark::DoNotOptimize(sum);
  }
}
BENCHMARK(look_at_all_users)->Arg(users_max)->Unit(benchmark::kMillisecond);

/// At each scrape: who waits longest, of as many numbers as there are users.
void find_who_waits_longest(benchmark::State& state) {
  std::vector<micros> since(static_cast<std::size_t>(state.range(0)));
  std::mt19937_64 chance{42};
  for (auto& x : since)
    x = static_cast<micros>(chance() % 1'000'000'000'000);
  for (auto _ : state) {
    auto oldest = since[0];
    for (const auto x : since)
      oldest = std::min(oldest, x);
    benchmark::DoNotOptimize(oldest);
  }
}
BENCHMARK(find_who_waits_longest)
  ->Arg(users_max)
  ->Unit(benchmark::kMillisecond);

/// The text for so many queues.
void write_text(benchmark::State& state) {
  shard_measured shard;
  shard.serving = true;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    auto& ring = shard.rings.emplace_back();
    ring.report.name = "queue-" + std::to_string(i);
    ring.judged = true;
    ring.waits.push_back({"user-" + std::to_string(i), 1});
    ring.shares.push_back({"user-" + std::to_string(i), 1});
  }
  lasting_counters counters;
  counters.take(shard, 1);
  engine_numbers x;
  x.shards.push_back(shard);
  x.doors.push_back({"http", {}});
  x.intakes.push_back({{{"deposits/0", 1, 2}}, 1, 0, ""});
  x.publishers.emplace_back();
  x.stores.emplace_back();
  for (auto _ : state)
    benchmark::DoNotOptimize(metrics_text(x, counters));
}
BENCHMARK(write_text)->Arg(2)->Arg(500)->Unit(benchmark::kMillisecond);

} // namespace

} // namespace depositd
