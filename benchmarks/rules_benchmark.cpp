// What a pick costs: by number of users, by how many of them are blocked, by
// how many views name users, and where bytes are shared out instead of turns.
// Users stand in the ring in random order, so that memory is not walked in
// sequence. Then what a record of a source costs: its pick and its buffer.

#include "actors/rules/ring/ring.hpp"
#include "actors/rules/sources/fifo_set.hpp"
#include "actors/rules/sources/strategy.hpp"

#include <benchmark/benchmark.h>

#include <malloc.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>

namespace depositd::rules {

namespace {

constexpr std::int32_t plenty = 1'000'000'000;

std::string name_of(member_number m) {
  return "user-" + std::to_string(m);
}

/// `users` in random order with plenty to do; of ten thousand, all but one are
/// at their cap if `blocked`.
ring crowded(std::uint32_t users, bool blocked) {
  ring out;
  out.settle_order();
  std::vector<member_number> order(users);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), std::mt19937{42});
  const auto open = std::max(users / 10'000, 1u);
  for (member_number m = 0; m < users; ++m)
    out.join(m, name_of(m), {.allocation = 1 + m % 2});
  for (std::uint32_t i = 0; i < users; ++i) {
    const auto m = order[i];
    if (blocked && i >= open) {
      out.set_limits(m, {.concurrency = 1});
      out.change_in_flight(m, 1);
    }
    out.change_ready(m, {0, 0, plenty});
  }
  return out;
}

/// As many users as criteria may name, spread over all; and one more who is in
/// no other view, or equal criteria would share one.
criteria requiring(std::uint32_t users, std::int64_t view) {
  criteria out;
  const auto count = std::min<std::uint32_t>(users, criteria_users_max - 1);
  for (std::uint32_t i = 0; i < count; ++i)
    out.required.push_back(name_of(i * (users / count)));
  out.required.push_back("only-" + std::to_string(view));
  return out;
}

void pick_and_answer(ring& queue, view_number view) {
  const auto what = queue.next(view);
  const ready_change taken{0, 0, -1};
  const ready_change answered{0, 0, 1};
  queue.report(
    what->member,
    {.ready = {&taken, 1}, .answered = {&answered, 1}, .claims_ended = 1});
}

void pick(benchmark::State& state) {
  const auto users = static_cast<std::uint32_t>(state.range(0));
  auto queue = crowded(users, state.range(1) != 0);
  for (std::int64_t i = 0; i < state.range(2); ++i)
    queue.open_view(requiring(users, i), 0);
  const auto anybody = queue.open_view({}, 0);
  for (auto _ : state)
    benchmark::DoNotOptimize(queue.next(anybody));
}

void pick_answer_and_end(benchmark::State& state) {
  auto queue =
    crowded(static_cast<std::uint32_t>(state.range(0)), state.range(1) != 0);
  const auto anybody = queue.open_view({}, 0);
  for (auto _ : state)
    pick_and_answer(queue, anybody);
}

/// A pick, its answer and its end, of queues that share out turns (0), bytes
/// (1) or seconds (2) between users with small and large items.
void pick_fairly_by(benchmark::State& state) {
  auto queue = crowded(static_cast<std::uint32_t>(state.range(0)), false);
  const auto by = static_cast<fair_by>(state.range(1));
  queue.set_fair_by(by);
  const auto anybody = queue.open_view({}, 0);
  for (auto _ : state) {
    const auto what = queue.next(anybody);
    const ready_change taken{0, 0, -1};
    const ready_change answered{0, 0, 1};
    const auto cost = 100u + what->member % 7 * 1000u;
    ring::news at_once{.ready = {&taken, 1}, .answered = {&answered, 1}};
    ring::news at_its_end{.claims_ended = 1};
    if (by != fair_by::turns) {
      auto& settled = by == fair_by::bytes ? at_once : at_its_end;
      settled.charged = what->charge;
      settled.cost = cost;
    }
    queue.report(what->member, at_once);
    queue.report(what->member, at_its_end);
  }
}

/// Everybody served is named by `views` views.
void pick_required(benchmark::State& state) {
  const auto users = static_cast<std::uint32_t>(state.range(0));
  auto queue = crowded(users, false);
  const auto required = queue.open_view(requiring(users, 0), 0);
  for (std::int64_t i = 1; i < state.range(1); ++i)
    queue.open_view(requiring(users, i), 0);
  for (auto _ : state)
    benchmark::DoNotOptimize(queue.next(required));
}

/// A user gets an item, the first of many waiting takers gets it and waits
/// again.
void wake(benchmark::State& state) {
  ring queue;
  queue.settle_order();
  queue.join(0, "ann", {});
  const auto anybody = queue.open_view({}, 0);
  for (std::int64_t i = 0; i < state.range(0); ++i)
    queue.wait(anybody, static_cast<std::uint64_t>(i), 1);
  for (auto _ : state) {
    queue.change_ready(0, {0, 0, 1});
    const auto match = queue.next_match();
    const ready_change taken{0, 0, -1};
    const ready_change answered{0, 0, 1};
    queue.report(
      0, {.ready = {&taken, 1}, .answered = {&answered, 1}, .claims_ended = 1});
    queue.wait(anybody, match->taker, 1);
    benchmark::DoNotOptimize(queue.next_match());
  }
}

/// One record after the other of three sources, which are never empty.
void strategy_pick(benchmark::State& state) {
  constexpr std::array texts{
    "fair(x, y, z)", "weighted(x:5, y:3, z:1)",
    "prefer z else fair(x, weighted(y:3, limit(1000000/s, z2):1))"};
  const std::vector<std::string> sources{"x", "y", "z", "z2"};
  const auto tree = std::get<strategy_tree>(
    parse_strategy(texts[static_cast<std::size_t>(state.range(0))],
                   [](std::string_view) { return true; }));
  strategy run{tree, sources};
  const std::vector<std::uint64_t> ready{9, 9, 0, 9};
  micros now_us = 1;
  for (auto _ : state)
    benchmark::DoNotOptimize(run.pick(ready, ++now_us));
  state.SetItemsProcessed(state.iterations());
}

/// A record into the buffer of a source and out of it again.
void buffer_record(benchmark::State& state) {
  fifo_set set;
  std::uint64_t number = 0;
  const auto add = [&] {
    const auto key = std::to_string(10'000'000'000'000'000 + number++);
    set.add({key, "user", "{\"a\":1}", 0});
  };
  for (std::int64_t i = 0; i < state.range(0); ++i)
    add();
  for (auto _ : state) {
    add();
    benchmark::DoNotOptimize(set.pop());
  }
  state.SetItemsProcessed(state.iterations());
}

/// Bytes of a queue with one class and one band, per user.
void memory(benchmark::State& state) {
  const auto users = static_cast<std::uint32_t>(state.range(0));
  const auto in_use = [] {
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  for (auto _ : state) {
    const auto before = in_use();
    ring queue;
    queue.settle_order();
    for (member_number m = 0; m < users; ++m) {
      queue.join(m, name_of(m), {});
      queue.change_ready(m, {0, 0, 1});
    }
    state.counters["bytes_per_user"] =
      static_cast<double>(in_use() - before) / users;
  }
}

} // namespace

BENCHMARK(pick)
  ->ArgNames({"users", "blocked", "views"})
  ->ArgsProduct({{10, 1000, 1'000'000}, {0, 1}, {0, 2, 8}});
BENCHMARK(pick_answer_and_end)
  ->ArgNames({"users", "blocked"})
  ->ArgsProduct({{10, 1000, 1'000'000}, {0, 1}});
BENCHMARK(pick_fairly_by)
  ->ArgNames({"users", "by"})
  ->ArgsProduct({{10, 1000, 100'000, 1'000'000}, {0, 1, 2}});
BENCHMARK(pick_required)
  ->ArgNames({"users", "views"})
  ->ArgsProduct({{10, 1000, 1'000'000}, {1, 2, 8}});
BENCHMARK(strategy_pick)->ArgName("strategy")->DenseRange(0, 2);
BENCHMARK(buffer_record)->ArgName("records")->Arg(10'000)->Arg(1'000'000);
BENCHMARK(wake)->ArgName("takers")->Arg(1)->Arg(1000);
BENCHMARK(memory)->ArgName("users")->Arg(1'000'000)->Iterations(1)->Unit(
  benchmark::kMillisecond);

} // namespace depositd::rules
