// What deciding, applying, encoding and folding cost per item, and what a
// pending item takes in memory. Nothing here touches a disk.

#include "actors/rules/fold/slice_fold.hpp"
#include "actors/rules/ledger/ledger.hpp"
#include "messages/values/codec.hpp"

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace depositd {
namespace {

constexpr std::size_t body_bytes_count = 1024;
constexpr item_id backlog = 1'000'000;

rules::incoming an_item(item_id id, bool with_body) {
  static const auto body =
    std::make_shared<const std::string>(body_bytes_count, 'x');
  rules::incoming out;
  out.id = id;
  out.size = body_bytes_count;
  if (with_body)
    out.body = body;
  return out;
}

/// A ledger with `count` pending items that have no bodies in memory.
rules::ledger filled(item_id count) {
  rules::ledger out;
  out.configure("metadata", deposit_queue_defaults(), {});
  item_row row;
  row.queue = "metadata";
  row.user = "ALICE";
  row.place = {1, 2, body_bytes_count};
  for (item_id id = 1; id <= count; ++id) {
    row.id = id;
    out.restore(row);
  }
  return out;
}

pick any_item() {
  pick out;
  out.class_max = size_classes_max - 1;
  return out;
}

queue_settings without_limit() {
  auto out = deposit_queue_defaults();
  out.pending_limit = no_cap;
  return out;
}

/// Accepts items of 1 KiB on top of a backlog, in batches.
void accept_and_apply(benchmark::State& bench) {
  auto books = filled(static_cast<item_id>(bench.range(0)));
  books.configure("metadata", without_limit(), {});
  auto id = static_cast<item_id>(bench.range(0));
  constexpr int batch = 100;
  std::vector<rules::incoming> items(batch);
  for (auto _ : bench) {
    for (auto& x : items)
      x = an_item(++id, true);
    auto events = books.accept(items, 1000);
    for (std::size_t i = 0; i < events.size(); ++i)
      books.apply(event{std::move(events[i])}, items[i].body);
    (void)books.take_changes();
  }
  bench.SetItemsProcessed(bench.iterations() * batch);
}
BENCHMARK(accept_and_apply)->Arg(0)->Arg(backlog);

/// Hands out and then finishes items of a backlog, with a deadline for each.
void choose_settle_and_apply(benchmark::State& bench) {
  auto books = filled(static_cast<item_id>(bench.range(0)));
  auto id = static_cast<item_id>(bench.range(0));
  books.configure("metadata", without_limit(), {});
  micros now = 1'000'000;
  constexpr std::size_t batch = 1000;
  std::vector<rules::incoming> items(batch);
  std::vector<claimed_item> held(batch);
  outcome what;
  for (auto _ : bench) {
    bench.PauseTiming();
    for (auto& x : items)
      x = an_item(++id, false);
    for (auto& x : books.accept(items, now))
      books.apply(event{std::move(x)});
    bench.ResumeTiming();
    for (auto& x : held) {
      auto chosen =
        books.choose(any_item(), {"sp-1", ++now + 30'000'000, false}, now);
      x = std::move(chosen->item);
      books.apply(event{std::move(chosen->claim)});
    }
    for (const auto& x : held) {
      what.id = x.id;
      what.token = x.token;
      books.apply(*books.settle(what, now));
    }
    (void)books.take_changes();
  }
  bench.SetItemsProcessed(bench.iterations()
                          * static_cast<std::int64_t>(batch));
}
BENCHMARK(choose_settle_and_apply)->Arg(0)->Arg(backlog);

/// The whole life of an item of 1 KiB: accept, choose, settle, each applied.
void live_and_die(benchmark::State& bench) {
  const auto count = static_cast<item_id>(bench.range(0));
  auto books = filled(count);
  books.configure("metadata", without_limit(), {});
  auto id = count;
  micros now = 1'000'000;
  outcome what;
  std::vector<rules::incoming> one(1);
  for (auto _ : bench) {
    ++now;
    one[0] = an_item(++id, true);
    auto arrived = books.accept(one, now);
    books.apply(event{std::move(arrived[0])}, one[0].body);
    books.set_place(id, {static_cast<std::uint64_t>(now), 1, 1024});
    auto chosen =
      books.choose(any_item(), {"sp-1", now + 30'000'000, false}, now);
    what.id = chosen->item.id;
    what.token = chosen->item.token;
    books.apply(event{std::move(chosen->claim)});
    auto ended = books.settle(what, now);
    books.apply(*ended);
    (void)books.take_changes();
  }
  bench.SetItemsProcessed(bench.iterations());
}
BENCHMARK(live_and_die)->Arg(0)->Arg(backlog);

/// Places arrive after a commit, for the newest items of a backlog.
void set_place(benchmark::State& bench) {
  auto books = filled(backlog);
  item_id id = 0;
  for (auto _ : bench)
    books.set_place(backlog - (++id % 1000), {id, 1, 1024});
}
BENCHMARK(set_place);

/// Bytes of the heap that one pending item takes without its body.
void memory_per_pending_item(benchmark::State& bench) {
  for (auto _ : bench) {
    const auto before = mallinfo2();
    const auto books = filled(backlog);
    const auto after = mallinfo2();
    bench.counters["bytes_per_item"] =
      static_cast<double>((after.uordblks + after.hblkhd)
                          - (before.uordblks + before.hblkhd))
      / static_cast<double>(books.size());
  }
}
BENCHMARK(memory_per_pending_item)
  ->Iterations(1)
  ->Unit(benchmark::kMillisecond);

/// The same for users that have one item each, ledger included.
void memory_per_small_ledger(benchmark::State& bench) {
  constexpr std::size_t users = 100'000;
  for (auto _ : bench) {
    std::vector<rules::ledger> all;
    all.reserve(users);
    const auto before = mallinfo2();
    for (std::size_t i = 0; i < users; ++i)
      all.push_back(filled(1));
    const auto after = mallinfo2();
    bench.counters["bytes_per_ledger"] =
      static_cast<double>(after.uordblks - before.uordblks) / users;
  }
}
BENCHMARK(memory_per_small_ledger)
  ->Iterations(1)
  ->Unit(benchmark::kMillisecond);

// -- records ------------------------------------------------------------------

item_enqueued enqueued(item_id id, std::size_t body_size) {
  item_enqueued out;
  out.id = id;
  out.queue = "metadata";
  out.size = body_size;
  out.received_us = 1'700'000'000'000'000;
  out.body.assign(body_size, 'x');
  return out;
}

item_claimed claimed(item_id id) {
  item_claimed out;
  out.id = id;
  out.queue = "metadata";
  out.token = (std::uint64_t{1} << 40) + id;
  out.attempt = 1;
  out.claimed_us = 1'700'000'000'000'000;
  out.deadline_us = 1'700'000'030'000'000;
  out.stamp = id;
  out.processor = "worker-12";
  return out;
}

item_finished finished(item_id id) {
  item_finished out;
  out.id = id;
  out.queue = "metadata";
  out.finished_us = 1'700'000'000'000'000;
  return out;
}

void encode_enqueued(benchmark::State& bench) {
  const record x{
    "ALICE", {enqueued(1'000'000, static_cast<std::size_t>(bench.range(0)))}};
  std::string out;
  std::vector<body_slot> slots;
  for (auto _ : bench) {
    if (out.size() > 4'000'000) {
      out.clear();
      slots.clear();
    }
    encode(x, out, slots);
  }
  bench.SetItemsProcessed(bench.iterations());
}
BENCHMARK(encode_enqueued)->Arg(0)->Arg(1024);

void encode_claimed(benchmark::State& bench) {
  const record x{"ALICE", {claimed(1'000'000)}};
  std::string out;
  std::vector<body_slot> slots;
  for (auto _ : bench) {
    if (out.size() > 4'000'000)
      out.clear();
    encode(x, out, slots);
  }
  bench.SetItemsProcessed(bench.iterations());
}
BENCHMARK(encode_claimed);

/// Enqueued, claimed and finished in turn; per event.
void decode_without_bodies(benchmark::State& bench) {
  std::string bytes;
  std::vector<body_slot> slots;
  constexpr item_id items = 1000;
  for (item_id id = 1; id <= items; ++id) {
    record one;
    one.user = "ALICE";
    one.events.emplace_back(enqueued(id, 1024));
    encode(one, bytes, slots);
    encode(record{"ALICE", {claimed(id)}}, bytes, slots);
    encode(record{"ALICE", {finished(id)}}, bytes, slots);
  }
  record read;
  for (auto _ : bench) {
    record_reader reader{bytes, 1, bodies::skipped};
    while (!reader.at_end())
      if (reader.next(read))
        bench.SkipWithError("damaged");
  }
  bench.SetItemsProcessed(bench.iterations() * items * 3);
}
BENCHMARK(decode_without_bodies);

/// Folds items that come and go inside the slice; per event. With an argument,
/// that many items wait in between, so a part survives each slice.
void fold_slice(benchmark::State& bench) {
  constexpr item_id items = 10'000;
  const auto lag = static_cast<item_id>(bench.range(0));
  std::vector<record> log;
  for (item_id id = 1; id <= items; ++id) {
    log.push_back({"USER-" + std::to_string(id % 100), {enqueued(id, 0)}});
    if (id <= lag)
      continue;
    const auto older = id - lag;
    log.push_back({"USER-" + std::to_string(older % 100), {claimed(older)}});
    log.push_back({"USER-" + std::to_string(older % 100), {finished(older)}});
  }
  rules::slice_fold fold{0};
  for (auto _ : bench) {
    for (const auto& x : log)
      fold.add(x);
    benchmark::DoNotOptimize(fold.take());
  }
  bench.SetItemsProcessed(bench.iterations()
                          * static_cast<std::int64_t>(log.size()));
}
BENCHMARK(fold_slice)->Arg(0)->Arg(5000);

/// Folds a drain of items that earlier slices put there; per event.
void fold_drain(benchmark::State& bench) {
  constexpr item_id items = 10'000;
  std::vector<record> log;
  for (item_id id = 1; id <= items; ++id) {
    log.push_back({"USER-" + std::to_string(id % 100), {claimed(id)}});
    log.push_back({"USER-" + std::to_string(id % 100), {finished(id)}});
  }
  rules::slice_fold fold{0};
  if (bench.range(0) == 0)
    fold.without_submissions("metadata");
  for (auto _ : bench) {
    for (const auto& x : log)
      fold.add(x);
    benchmark::DoNotOptimize(fold.take());
  }
  bench.SetItemsProcessed(bench.iterations()
                          * static_cast<std::int64_t>(log.size()));
}
BENCHMARK(fold_drain)->Arg(0)->Arg(1);

} // namespace
} // namespace depositd
