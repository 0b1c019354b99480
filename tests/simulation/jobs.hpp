#pragma once

// Lives shared out to processes.

#include <atomic>
#include <cstdint>
#include <functional>

namespace depositd::simulation {

/// What lives came to so far; of each process, where all can see it.
struct totals {
  std::atomic<std::uint64_t> lives;
  std::atomic<std::uint64_t> shared;
  std::atomic<std::uint64_t> messages;
  std::atomic<std::uint64_t> entries;
  std::atomic<std::uint64_t> failed;

  void add(const totals& x) {
    lives += x.lives;
    shared += x.shared;
    messages += x.messages;
    entries += x.entries;
    failed += x.failed;
  }
};

/// Runs `live` in so many processes, which end with this one, and adds up what
/// they came to. One that dies has failed. Says now and then on stderr how many
/// of the lives are over.
void share_out(std::uint64_t jobs, std::uint64_t lives,
               const std::function<void(std::uint64_t number, totals&)>& live,
               totals& out);

} // namespace depositd::simulation
