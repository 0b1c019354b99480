#pragma once

// Topics and channels in memory, as small as they can be: what the door asks of
// a shard and of queues, and what tests want to see of it.

#include "messages/processors.hpp"
#include "messages/shard.hpp"
#include "messages/topics.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace depositd::testing {

/// What tests see and change, in any thread.
struct fake_world {
  std::atomic<bool> disk_full{false};
  /// Nobody who publishes is answered yet.
  std::atomic<bool> holds_publishes{false};
  /// So many channels end after they were opened, before anybody attaches; so
  /// many after that.
  std::atomic<int> end_when_opened{0};
  std::atomic<int> end_when_attached{0};
  /// So many channels end after somebody was attached and are made anew before
  /// that is noted; their ends are not heard of.
  std::atomic<int> renew_when_attached{0};
  /// By how much the shard's clock is ahead of the door's.
  std::atomic<micros> clock_ahead_us{0};
  /// Endings of claims are not told yet.
  std::atomic<bool> holds_endings{false};
  std::atomic<std::uint64_t> finished{0};
  std::atomic<std::uint64_t> requeued{0};
  std::atomic<std::uint64_t> timed_out{0};
  std::atomic<std::uint64_t> released{0};
  std::atomic<std::uint64_t> deferred{0}; ///< now
  std::atomic<std::int64_t> consumers{0};
  std::atomic<std::uint64_t> processors{0}; ///< attached now

  void add(const publish& x) {
    const std::lock_guard lock{guard_};
    published_.push_back(x);
    published_.back().charge = nullptr; // nothing of the engine keeps it
  }

  std::vector<publish> published() const {
    const std::lock_guard lock{guard_};
    return published_;
  }

  void add(const renew_claims& x) {
    const std::lock_guard lock{guard_};
    renewals_.push_back(x);
  }

  std::vector<renew_claims> renewals() const {
    const std::lock_guard lock{guard_};
    return renewals_;
  }

  std::size_t messages() const {
    std::size_t out = 0;
    for (const auto& x : published())
      out += x.bodies.size();
    return out;
  }

private:
  mutable std::mutex guard_;
  std::vector<publish> published_;
  std::vector<renew_claims> renewals_;
};

struct fake_item {
  item_id id = 0;
  std::string body;
  std::uint32_t attempt = 0;
};

/// Messages for a channel.
struct put_items {
  std::vector<fake_item> items;
  std::uint32_t delay_ms = 0;
};

/// Takes away all that a channel has.
struct empty_channel {};

struct look_at_clock {};

using fake_channel_actor =
  queue_port_actor::extend<caf::reacts_to<put_items>,
                           caf::reacts_to<empty_channel>,
                           caf::reacts_to<look_at_clock>>;

struct fake_channel_state {
  using time = std::chrono::steady_clock::time_point;

  struct processor {
    processor_actor actor;
    std::uint32_t credit = 0;
    std::uint32_t lease_ms = 0;
  };

  struct claim {
    fake_item item;
    claim_token token = 0;
    std::uint32_t processor = 0;
    time until;
  };

  std::shared_ptr<fake_world> world;
  std::deque<fake_item> ready;
  std::multimap<time, fake_item> deferred;
  std::map<item_id, claim> claims;
  std::map<std::uint32_t, processor> processors;
  std::vector<std::pair<processor_actor, settlement>> endings; ///< not told
  std::uint32_t processor_last = 0;
  claim_token token_last = 0;
};

struct fake_topics_state {
  struct topic {
    std::map<std::string, fake_channel_actor> channels;
    std::vector<fake_item> waiting;
  };

  /// A publish that is not durable yet.
  struct held_publish {
    publish what;
    caf::typed_response_promise<published> answer;
  };

  std::shared_ptr<fake_world> world;
  control_snapshot control;
  std::map<std::string, topic> topics;
  std::vector<held_publish> held;
  item_id id_last = 1'000;
};

shard_topics_actor::behavior_type
fake_topics(shard_topics_actor::stateful_pointer<fake_topics_state> self,
            std::shared_ptr<fake_world> world, control_snapshot control);

} // namespace depositd::testing

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::testing::put_items)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::testing::empty_channel)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::testing::look_at_clock)
