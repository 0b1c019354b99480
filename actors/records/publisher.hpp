#pragma once

#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/ports/journal_store.hpp"
#include "messages/ports/record_log.hpp"
#include "messages/records.hpp"
#include "messages/values/sharding.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace depositd::records {

/// To itself: ask the shard where to go on.
struct begin_publishing {};

/// To itself: publish what the journal has by now.
struct publish_more {};

struct publisher_options {
  journal_store* store = nullptr; ///< outlives the actor
  std::shared_ptr<record_sink> sink;
  record_format format;
  shard_number shard = 0;
  shard_actor own;
  projector_actor reads;
  journal_actor journal; ///< keeps the cursor
  /// Set while it waits for the brokers; may be null.
  std::shared_ptr<std::atomic<bool>> waits;
  std::size_t events_max = 20'000;           ///< of the journal per batch
  /// Deposits, batches and jobs per batch whose metadata is in the read model,
  /// where one query finds all of a kind.
  std::size_t lookups_max = 5'000;
  std::chrono::milliseconds look_every{20};  ///< for something new
  std::chrono::milliseconds retry_pause{1000};
  std::chrono::milliseconds publish_wait{10'000};
  std::chrono::milliseconds request_timeout{30'000};
  /// Deposits whose metadata it remembers; and ends of batches and jobs.
  std::size_t known_max = 200'000;
};

using publisher_self
  = publisher_actor::extend<caf::reacts_to<begin_publishing>,
                            caf::reacts_to<publish_more>>;

/// What an outcome needs and the event that ends a deposit does not say.
struct known_deposit {
  depositd::submission submission;
  micros received_us = 0;
};

/// Events on their way out, in the journal's order.
struct publication {
  struct entry {
    sequence at = 0;   ///< of its event, which has no other entry
    bool known = true; ///< else an outcome's metadata must be looked up
    std::variant<outcome_event, dead_letter, ended_batch, ended_job> what;
    /// Nobody has its metadata any more: it was published before they went, and
    /// comes again after a crash.
    bool forgotten = false;
  };
  std::vector<entry> entries;
  sequence last = 0;
};

struct publisher_state {
  using interface = publisher_self;

  publisher_options options;
  sequence cursor = 0;
  /// Records in the next batch: one at first and after a failure, and each time
  /// twice as many. Were it all that there is, one that brokers refuse for good
  /// would have those around it written again and again.
  std::size_t batch_max = 1;
  std::set<std::string> deposit_queues;
  std::unordered_map<item_id, known_deposit> known;
  /// Of failed batches and jobs, which may move on, the last end that was
  /// published, by its event id.
  std::unordered_map<item_id, std::string> ended;
  publisher_report report;

  static inline const char* name = "publisher";
};

/// The journal is the outbox: each outcome is published at least once, under an
/// id by which repetitions are known, in order for each user. Waits for
/// brokers: must be detached outside the deterministic scheduler.
publisher_self::behavior_type publisher(actor_with<publisher_state>* self,
                                        publisher_options options);

} // namespace depositd::records

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::records::begin_publishing)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::records::publish_more)
