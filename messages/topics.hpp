#pragma once

// Topics and their channels, as NSQ's doors speak of them. A topic, with all
// of its channels, lives in the shard of its name. A channel is a queue of its
// own (`channel_queue`): consumers open and attach to it as processors do.
//
// What a consumer's processor sees there (messages/processors.hpp):
// * `open_queue` with the channel's queue makes topic and channel if need be.
//   `attach::lease_ms` is the message timeout, credit what RDY leaves open.
// * FIN is `verdict::done`. REQ is `verdict::retry` with its `delay_ms`, 0 for
//   at once: the attempt counts, there is no end of attempts, and nothing is
//   ever parked. TOUCH is `renew_claims`: the deadline is the lease from now,
//   never an earlier one. `release` and `not_yet` give back without counting.
// * A claim is over at its deadline, when its processor detaches or dies, when
//   the channel is emptied or deleted, and when the engine ends. What named it
//   then is `settlement::accepted` false, and the message comes again (but for
//   emptied and deleted ones) with an attempt more.
// * `claimed_item::attempt` is what NSQ calls so, `received_us` its time, also
//   in copies and across restarts.
// * A paused channel hands out nothing: credit stays open, claims go on.
// * A deleted channel's port goes down (monitor it), and claims with it:
//   whoever consumed it is let go. A port also goes down when its shard starts
//   over or moves; `list_topics`, which is refused until the shard is back,
//   tells whether the channel is still there. To open it would make it again.
// * Who comes is told by `note_consumers` after attaching, who goes after
//   detaching. Ephemeral ones end at the next start in any case.

#include "messages/message.hpp"
#include "messages/values/topic_names.hpp"
#include "messages/values/types.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace depositd {

/// Messages for every channel of a topic, in one commit, or in parts if there
/// are thousands; the topic comes into being. Where it has no channel yet, or
/// is paused, they wait in the topic: its first channel gets them, or after a
/// pause each that there is by then.
/// `ec::invalid_argument`: a name, or a message without bytes; `ec::too_large`:
/// more than is said here, or as many topics as may be; `ec::overloaded`: the
/// disk is full, or too much is on its way.
struct publish {
  std::string topic;
  std::string user; ///< a user name: whose turn it is when they are handed out
  std::uint32_t delay_ms = 0; ///< before they are handed out first
  std::vector<std::string> bodies; ///< of one byte or more each
  /// What it takes of this process's memory budget; may be null. Kept until all
  /// are durable, however long their publisher waits. Stays in the process.
  std::shared_ptr<const void> charge;
  std::string traceparent = {}; ///< of who publishes; stays in the process
};
inline constexpr std::size_t publish_messages_max = 10'000;
inline constexpr std::size_t publish_bytes_max = 64 << 20;
DEPOSITD_MESSAGE(123, publish, topic, user, delay_ms, bodies);

/// All are durable, or their topic is not (`is_ephemeral`).
struct published {
  std::uint64_t messages = 0;
};
DEPOSITD_MESSAGE(124, published, messages);

enum class topic_action : std::uint8_t {
  create,
  remove,
  empty,
  pause,
  unpause
};

/// Of a topic, or of one of its channels. `create` makes what is missing, the
/// topic of a channel too, and takes what is there as it is; of all others
/// `ec::not_found`. Answered when durable: of `remove` when all of it is gone,
/// and what is said of it meanwhile waits until then. To empty a topic leaves
/// alone what is in its channels. `ec::too_large`: there are as many topics or
/// channels as may be.
struct order_topic {
  static constexpr bool takes_long = true; ///< of very many messages
  std::string topic;
  std::string channel; ///< empty: the topic itself
  topic_action what = topic_action::create;
};
DEPOSITD_MESSAGE(125, order_topic, topic, channel, what);

/// Consumers of channels that came or went; a channel that is ephemeral goes
/// with its last one, and a topic that is ephemeral with its last channel.
/// `ec::not_found` for who comes: it has gone since they attached to it.
struct note_consumers {
  std::string topic;
  std::string channel;
  std::int32_t change = 0;
};
DEPOSITD_MESSAGE(126, note_consumers, topic, channel, change);

struct list_topics {
  std::string topic;   ///< empty: all
  std::string channel; ///< empty: all
};
DEPOSITD_MESSAGE(127, list_topics, topic, channel);

/// In the order of their names. Counts of what happened are since the engine
/// started.
struct topics_listed {
  struct channel {
    std::string name;
    bool paused = false;
    std::uint64_t depth = 0;     ///< ready
    std::uint64_t in_flight = 0; ///< claimed
    std::uint64_t deferred = 0;  ///< delayed
    std::uint64_t messages = 0;
    std::uint64_t requeued = 0;
    std::uint64_t timed_out = 0;
  };
  struct topic {
    std::string name;
    bool paused = false;
    std::uint64_t depth = 0; ///< that wait in the topic itself
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::vector<channel> channels;
  };
  std::vector<topic> topics;
};
DEPOSITD_FIELDS(topics_listed::channel, name, paused, depth, in_flight,
                deferred, messages, requeued, timed_out);
DEPOSITD_FIELDS(topics_listed::topic, name, paused, depth, messages, bytes,
                channels);
DEPOSITD_MESSAGE(128, topics_listed, topics);

} // namespace depositd
