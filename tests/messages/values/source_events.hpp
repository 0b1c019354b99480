#pragma once

// Events of sources, schedulers, their records and of queues that are fair by
// cost, with something in every field, numbers of more than one byte.

#include "messages/values/events.hpp"

#include <vector>

namespace depositd::testing {

inline source_settings a_source() {
  source_settings out;
  out.kind = source_kind::exec;
  out.scheduler = "main";
  out.key = "id";
  out.user_field = "who";
  out.capacity = 300;
  out.replenish_threshold = 200;
  out.timeout_ms = 400;
  out.poll_interval_ms = 500;
  out.retry_delay_ms = 600;
  out.retry_delay_ms_max = 700;
  out.known_max = 800;
  out.ends = true;
  out.from.url = "sqlite:/a";
  out.from.query = "SELECT 1";
  out.from.cursor = "n";
  out.from.cursor_start = "0";
  out.from.has_cursor_start = true;
  out.from.total_query = "SELECT 2";
  out.from.topic = "t";
  out.from.bucket = "b";
  out.from.path = "/in";
  out.from.command = "/bin/true -v";
  return out;
}

inline scheduler_settings a_scheduler() {
  scheduler_settings out;
  out.queue = "q";
  out.strategy = "fair(a, b)";
  out.high = 300;
  out.low = 200;
  out.high_per_user = 150;
  out.downstream = "postgresql://x";
  out.downstream_query = "SELECT 3";
  return out;
}

/// One event of every kind of those.
inline std::vector<event> events_of_sources() {
  return {
    source_changed{"a", a_source(), 1'700'000'000'000'000, true, 300, true},
    scheduler_changed{"main", a_scheduler(), true},
    source_read{"a", 300, true, "17", true, 400, true},
    sources_seen{{{"a", a_source()}}, {{"main", a_scheduler()}}},
    fairness_changed{"q", fair_by::seconds, 300},
    fairness_seen{{{"q", fair_by::bytes, 0}}},
    record_taken{300, "q", "a", 400, "key"},
    record_ended{300, "q", "a", 400, "key", true, 500, "why"},
    record_refused{"q", "a", 400, "key", "ALICE", "why", "body",
                   0xfeed'face'cafe'beef, 500},
    records_forgotten{"a", 400, true, {"key", ""}, {300, 400}},
    ring_paid{"q", 300, 400, 500},
  };
}

} // namespace depositd::testing
