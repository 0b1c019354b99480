#pragma once

// All that one scrape has brought, and the counts that outlive what counted.

#include "adapters/doors/http/server.hpp"
#include "messages/cluster.hpp"
#include "messages/metrics.hpp"
#include "messages/processors.hpp"
#include "messages/projection.hpp"
#include "messages/records.hpp"
#include "messages/values/tallies.hpp"
#include "messages/values/work_numbers.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace depositd {

/// Of an HTTP door, by the name that operators know.
struct door_numbers {
  std::string door;
  http::server_numbers numbers;
};

/// Of a certificate, by what it is used for.
struct certificate_numbers {
  std::string use;
  std::int64_t until_s = 0; ///< since 1970
  bool due = false;         ///< it should have been renewed
};

/// What this process takes, as the system says.
struct process_numbers {
  double cpu_seconds = 0;
  double started_s = 0; ///< since 1970
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t open_files = 0;
  std::uint64_t threads = 0;
};

/// Reads /proc; zeros where it says nothing.
process_numbers read_process_numbers();

/// Whoever was asked, and how long the answer took: it waits behind what was
/// there before.
struct answer_time {
  std::string part;
  std::chrono::microseconds took{0};
  bool silent = false;
};

/// More names of queues than these are counted as one.
inline constexpr std::size_t queues_named_max = 500;
inline constexpr const char* others = "(others)";

/// Counts of queues by name. They never fall: not when a queue is removed, nor
/// when its shard recovers or goes to another engine.
class lasting_counters {
public:
  /// What a shard tells of all of its queues. `question` rises with each time
  /// that it is asked: what it said earlier than what is known changes nothing.
  void take(const shard_measured& x, std::uint64_t question);

  /// Of queues that are counted under one name.
  struct entry {
    queue_counters counters;
    bool deposits = true; ///< of what comes from outside
  };
  const std::map<std::string, entry>& queues() const noexcept {
    return queues_;
  }

  /// The queue's name, or `others`.
  const std::string& label_of(const std::string& queue) const;

  /// Of all queues, without those that only tell others.
  queue_counters sum() const;

private:
  entry& entry_of(const queue_report& x);

  std::map<std::string, entry> queues_;
  struct seen {
    std::uint64_t question = 0;
    std::pair<epoch_number, std::uint32_t> of; ///< epoch and generation
    std::map<std::string, queue_counters> queues;
  };

  std::map<std::uint32_t, seen> last_; ///< by shard
};

struct shard_store {
  std::uint32_t shard = 0;
  store_report report;
};

struct engine_numbers {
  micros now_us = 0;
  std::string version;
  std::vector<shard_measured> shards;
  std::vector<shard_store> stores;
  std::vector<intake_report> intakes;
  std::vector<publisher_report> publishers;
  slots_report slots;
  lease_table leases; ///< empty if there is one shard
  std::vector<door_numbers> doors;
  std::vector<certificate_numbers> certificates;
  std::vector<answer_time> answers;
  std::uint64_t memory_used = 0; ///< of the budget
  process_numbers process;
  std::array<std::vector<tallied>, static_cast<std::size_t>(tally_of::kinds)>
    seldom;
  group_sizes groups;
  work_numbers work;

  const std::vector<tallied>& tallied_of(tally_of what) const {
    return seldom[static_cast<std::size_t>(what)];
  }
};

/// What the process has tallied, and what is known of batches in the shards
/// that were asked.
void read_tallies(engine_numbers& to);

/// In the text format of Prometheus.
std::string metrics_text(const engine_numbers& x,
                         const lasting_counters& counts);

} // namespace depositd
