#pragma once

// What happened in one simulated life, as everybody outside the engines saw it,
// in one order. The checker judges nothing else.

#include "tests/simulation/facts.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace depositd::simulation {

/// How bodies begin that an operator has fed by hand: those may be above the
/// mark.
inline constexpr const char* hand_fed = "by hand ";

struct entry {
  micros at_us = 0;
  fact what;
};

struct history {
  std::deque<entry> entries; ///< that do not move while more come
  /// So long an actor may have been held up: what it was told to stop may go on
  /// for a few times this.
  micros stall_max_us = 0;
  /// Whether topics were written and read to their ends.
  bool with_topics = false;
  /// Whether several engines shared the shards.
  bool with_leases = false;
  /// Whether mail is sent: depositors are told also without a callback.
  bool with_mail = true;
  /// What the clock of the only engine showed at the beginning, if it was never
  /// set after that; 0: nobody can say what it shows.
  micros wall_began_us = 0;
  /// Whether pipelines are changed while jobs are on their way.
  bool with_pipeline_changes = false;
  /// Whether the journal failed now and then, and shards started over for it.
  bool with_failed_appends = false;
  /// Administrators are told of each cause once in so long.
  micros reviews_every_us = 0;
  /// What is over may be forgotten after so long; 0: never.
  micros kept_us = 0;

  void add(micros at_us, fact what) {
    auto& x = entries.emplace_back();
    x.at_us = at_us;
    x.what = std::move(what);
  }
};

/// One line for people.
std::string to_text(const entry& x);

/// A number that two lives share only if they were the same.
std::uint64_t digest_of(const history& x);

} // namespace depositd::simulation
