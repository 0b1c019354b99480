#pragma once

// Topics and channels: what is ordered of them, as changes of the control
// state. A channel is a queue; a topic has one more, in which messages wait
// that no channel can take.

#include "messages/values/control.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/events.hpp"
#include "messages/values/topic_names.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace depositd::rules {

/// How many there may be in one shard.
struct topic_limits {
  std::size_t topics_max = 10'000;
  std::size_t channels_max = 20'000; ///< of all topics
};

/// Of the queues of topics and channels: one message for each user and turn, no
/// cap, no end of attempts, and what is given back without a delay is ready at
/// once.
queue_settings settings_of_topic_queue();

/// Null if there is none of this name.
const topic_changed* find_topic(const control_state& state,
                                const std::string& name);

/// Whether the topic, or this channel of it, is being deleted: nothing can be
/// said about it until that is over. Without a channel: the topic.
bool is_ending(const topic_changed& x, const std::string& channel);

/// What is wrong with the names; `channel` may be empty, if the topic is meant.
caf::error check_topic_names(const std::string& topic,
                             const std::string& channel);

/// Changes that make the topic and, unless it is empty, the channel; none of
/// what is there. The first channel of a topic gets what has waited in it.
/// `ec::too_large`: there are as many as may be.
caf::expected<std::vector<event>> make_topic(const control_state& state,
                                             const std::string& topic,
                                             const std::string& channel,
                                             const topic_limits& limits);

/// Changes that pause the topic or its channel, or end that: what has waited
/// in the topic then goes to all channels that there are. None if it is so
/// already. `ec::not_found`.
caf::expected<std::vector<event>> pause_topic(const control_state& state,
                                              const std::string& topic,
                                              const std::string& channel,
                                              bool paused);

/// Changes with which the end of a topic, or of its channel, begins: it is
/// reached by no message any more, and nothing is handed out. An ephemeral
/// topic ends with its last channel. `ec::not_found`.
caf::expected<std::vector<event>> begin_end(const control_state& state,
                                            const std::string& topic,
                                            const std::string& channel);

/// Those with which a start begins: what is ephemeral ends.
std::vector<event> end_ephemeral(const control_state& state);

/// The next queue to be emptied of a topic of which something ends; empty if
/// nothing does.
std::string next_ending(const topic_changed& x);

/// Changes once that queue is empty. `users` have stood in its ring.
std::vector<event> complete_end(const topic_changed& x,
                                std::vector<std::string> users);

/// Changes once nothing of what was to go to channels waits in the topic.
std::vector<event> complete_backlog(const topic_changed& x);

/// Names of the queues that a message of the topic goes to: of all channels,
/// or of the topic itself if there is none or it is paused.
std::vector<std::string> queues_of_message(const topic_changed& x);

} // namespace depositd::rules
