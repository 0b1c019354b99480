// What the embedded journal costs: groups of 1 to 4,000 items of 1 KiB.
//
//   depositd_journal_benchmark [FOLDER]
//
// The folder should be on the disk that will be used; default is the system's
// for temporary files. `recycled` overwrites segments that were used before,
// the steady state of a queue that is emptied as fast as it fills; `fresh`
// only grows. `read_body` and `replay` read what is in the machine's memory.

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>

#include <benchmark/benchmark.h>

#include "adapters/stores/segments/segments.hpp"

namespace {

using namespace depositd;

namespace fs = std::filesystem;

constexpr std::size_t item_bytes = 1024;
constexpr std::uint64_t segment_bytes = 64ULL * 1024 * 1024;

fs::path base_folder = fs::temp_directory_path();

/// A journal in a folder of its own.
class scratch_journal {
public:
  scratch_journal() {
    auto name = (base_folder / "depositd-benchmark-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      std::abort();
    folder_ = name;
    auto opened =
      open_segments({.folder = folder_, .segment_bytes = segment_bytes});
    if (!opened)
      std::abort();
    store_ = std::move(*opened);
  }

  ~scratch_journal() {
    store_.reset();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  journal_store* operator->() {
    return store_.get();
  }

  /// Drops all but the newest segments.
  void keep(std::size_t count) {
    auto segments = store_->segments();
    for (std::size_t i = 0; i + count < segments.size(); ++i)
      (void)store_->drop(segments[i].number);
  }

  /// Writes and drops until every further segment is a recycled one.
  void warm_up() {
    const std::string group(1024 * 1024, 'w');
    for (std::uint64_t bytes = 0; bytes < 5 * segment_bytes;
         bytes += group.size())
      if (!store_->append(group, 1000, {}))
        std::abort();
    keep(1);
  }

private:
  fs::path folder_;
  std::unique_ptr<journal_store> store_;
};

void append_groups(benchmark::State& state, bool recycled) {
  const auto items = static_cast<std::uint32_t>(state.range(0));
  const std::string group(items * item_bytes, 'x');
  scratch_journal journal;
  if (recycled)
    journal.warm_up();
  std::uint64_t since_drop = 0;
  for (auto _ : state) {
    if (!journal->append(group, items, {}))
      state.SkipWithError("append failed");
    since_drop += group.size();
    if (recycled && since_drop > segment_bytes / 2) {
      state.PauseTiming();
      journal.keep(1);
      since_drop = 0;
      state.ResumeTiming();
    }
  }
  state.SetItemsProcessed(state.iterations() * items);
}

void recycled(benchmark::State& state) {
  append_groups(state, true);
}

void fresh(benchmark::State& state) {
  append_groups(state, false);
}

void read_body(benchmark::State& state) {
  scratch_journal journal;
  const std::string group(100 * item_bytes, 'x');
  std::vector<std::uint64_t> groups;
  for (auto i = 0; i < 500; ++i)
    groups.push_back(*journal->append(group, 100, {}));
  std::minstd_rand random;
  for (auto _ : state) {
    const auto at = groups[random() % groups.size()];
    const auto offset = static_cast<std::uint32_t>(random() % 100 * item_bytes);
    benchmark::DoNotOptimize(journal->read_body({at, offset, item_bytes}));
  }
}

void replay(benchmark::State& state) {
  scratch_journal journal;
  const std::string group(100 * item_bytes, 'x');
  for (auto i = 0; i < 500; ++i)
    (void)journal->append(group, 100, {});
  std::uint64_t bytes = 0;
  for (auto _ : state)
    (void)journal->read(1, [&](const stored_group& x) {
      bytes += x.bytes.size();
      return true;
    });
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}

BENCHMARK(recycled)->ArgsProduct({{1, 10, 100, 1000, 4000}})->UseRealTime();
BENCHMARK(fresh)->ArgsProduct({{1, 10, 100, 1000, 4000}})->UseRealTime();
BENCHMARK(read_body);
BENCHMARK(replay);

} // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc > 1)
    base_folder = argv[1];
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
