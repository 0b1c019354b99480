#pragma once

// Kafka on both sides of a shard, as the settings say.

#include "actors/engine/core.hpp"
#include "actors/operators/admin.hpp"
#include "adapters/logs/kafka/kafka_options.hpp"
#include "adapters/stores/files/store_facts.hpp"
#include "config/settings.hpp"

#include <caf/actor_system.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace depositd {

/// Whether deposits come from, and outcomes go to, a log of records.
bool has_record_logs(const depositd_settings& settings);

/// What the settings and the brokers say that all engines of a store must agree
/// on. Brokers that are away are waited for only a moment.
facts_claim facts_of(const depositd_settings& settings);

/// The same of settings with brokers, which have answered: else
/// `ec::store_failed`.
caf::expected<facts_claim> compared_facts_of(const depositd_settings& settings);

kafka_options kafka_options_of(const depositd_settings& settings);

/// Reads dead letters for operators, and sends them back.
letter_desk_actor spawn_letter_desk(caf::actor_system& system,
                                    const depositd_settings& settings);

/// Makes the topics when an operator asks for it.
topics_actor spawn_topics(caf::actor_system& system,
                          const depositd_settings& settings);

/// Watches whether the brokers can be reached; `reached` says so, and is true
/// at first. `silence_ms`: for so long they may be silent.
caf::actor watch_brokers(caf::actor_system& system,
                         const depositd_settings& settings,
                         std::shared_ptr<class log_roster> roster,
                         std::uint32_t silence_ms,
                         std::shared_ptr<std::atomic<bool>> reached);

/// Those that run now; any thread may ask.
class log_roster {
public:
  using flag = std::shared_ptr<std::atomic<bool>>;

  /// `waits`: set while one of the two waits for the brokers.
  void add(const operators::record_log_pair& x, std::vector<flag> waits);
  void remove(const intake_actor& who);
  std::vector<operators::record_log_pair> all() const;
  bool waits() const;
  bool empty() const;

private:
  struct entry {
    operators::record_log_pair actors;
    std::vector<flag> waits;
  };

  mutable std::mutex mutex_;
  std::vector<entry> running_;
};

struct record_logs {
  intake_actor in; ///< null without a log of records
  publisher_actor out;
  std::shared_ptr<log_roster> roster;
};

struct record_logs_options {
  const depositd_settings& settings;
  const depositd::engine::core_actors& core;
  journal_store* journal = nullptr; ///< of the core; outlives the actors
  blob_store* blobs = nullptr;      ///< outlives the actors
  shard_doors_actor deposits;       ///< the core's shard, or a router
  shard_number shard = 0;
  shard_number shards = 1;
  std::shared_ptr<log_roster> roster; ///< they are entered there; may be null
};

/// Reads and publishes for one shard from now on. `ec::bad_setting` names what
/// is wrong in the settings; brokers that are away are waited for.
caf::expected<record_logs> spawn_record_logs(caf::actor_system& system,
                                             record_logs_options options);

/// Takes in and publishes no more; returns when neither touches a store. Blocks
/// for as long as a batch that is on its way to the brokers.
void end_record_logs(caf::actor_system& system, const record_logs& logs);

} // namespace depositd
