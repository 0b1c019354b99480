// What the journal in PostgreSQL costs: groups of 1 to 4,000 events of 200 and
// of 1,024 bytes, each committed before the next; the past is dropped as it
// goes, as an engine does.
//
//   scripts/services start
//   depositd_postgres_journal_benchmark URL
//
// Everything is written into the schema that the URL leads to, as shard 999,
// and stays there; use a database of its own.

#include <iostream>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "adapters/stores/postgres/postgres_journal_store.hpp"

namespace {

using namespace depositd;

std::string url;

std::unique_ptr<journal_store> open() {
  auto opened = open_postgres_journal({.server = {.url = url, .shard = 999}});
  if (opened)
    return std::move(*opened);
  std::cerr << render(opened.error()) << "\n";
  std::exit(1);
}

/// Arguments: events of a group, bytes of an event.
void append_groups(benchmark::State& state) {
  const auto events = static_cast<std::uint32_t>(state.range(0));
  const std::string group(events * static_cast<std::size_t>(state.range(1)),
                          'x');
  auto journal = open();
  for (auto _ : state) {
    if (!journal->append(group, events, {}))
      state.SkipWithError("append failed");
    auto segments = journal->segments();
    if (segments.size() > 2)
      (void)journal->drop(segments.front().number);
  }
  state.SetItemsProcessed(state.iterations() * events);
}

void read_body(benchmark::State& state) {
  auto journal = open();
  const auto group = *journal->append(std::string(100 * 1024, 'x'), 100, {});
  std::uint32_t at = 0;
  for (auto _ : state) {
    at = (at + 37) % 100;
    benchmark::DoNotOptimize(journal->read_body({group, at * 1024, 1024}));
  }
}

void replay(benchmark::State& state) {
  auto journal = open();
  const auto from = journal->last() + 1;
  for (auto i = 0; i < 200; ++i)
    (void)journal->append(std::string(100 * 1024, 'x'), 100, {});
  std::uint64_t bytes = 0;
  for (auto _ : state)
    (void)journal->read(from, [&](const stored_group& x) {
      bytes += x.bytes.size();
      return true;
    });
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}

BENCHMARK(append_groups)
  ->ArgsProduct({{1, 10, 100, 1000, 4000}, {200, 1024}})
  ->UseRealTime();
BENCHMARK(read_body)->UseRealTime();
BENCHMARK(replay)->UseRealTime();

} // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc != 2) {
    std::cerr << "usage: depositd_postgres_journal_benchmark URL\n";
    return 2;
  }
  url = argv[1];
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
