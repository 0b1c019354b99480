// Consumers of channels, as far as channels come and go with them.

#include "actors/rules/topics/topics.hpp"
#include "actors/shard/topics/topics.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace depositd::shard {

namespace {

void end_channel(shard_pointer self, const std::string& topic,
                 const std::string& channel) {
  const auto changes = rules::begin_end(*self->state.control, topic, channel);
  if (!changes)
    return; // it has gone already
  spdlog::info("ephemeral_ended topic={} channel={}", topic, channel);
  commit_control(self, *changes);
  run_end(self, topic);
}

/// What is known of a channel, or null if there is none any more.
shard_topic::channel* find_channel(shard_pointer self, const std::string& topic,
                                   const std::string& channel) {
  const auto* x = rules::find_topic(*self->state.control, topic);
  if (x == nullptr
      || std::find(x->channels.begin(), x->channels.end(), channel)
           == x->channels.end())
    return nullptr;
  return &self->state.topics[topic].channels[channel];
}

void end_if_left(shard_pointer self, const std::string& topic,
                 const std::string& channel);

/// The queue of the channel has said how many are attached to it.
void look(shard_pointer self, const std::string& topic,
          const std::string& channel, std::uint64_t comers,
          std::uint32_t processors) {
  auto& known = *find_channel(self, topic, channel);
  const auto again = known.left; // somebody went after it was asked
  if (processors > 0)
    known.used_us = now(self);
  else if (known.comers == comers // else somebody is about to attach
           && self->state.now == shard_state::phase::serving)
    return end_channel(self, topic, channel);
  if (again)
    end_if_left(self, topic, channel);
}

/// Ends the channel if nobody is attached to it, whatever was told: engines die
/// with their consumers, and what is told of those of a channel that is no more
/// may come when there is another one of its name.
void end_if_left(shard_pointer self, const std::string& topic,
                 const std::string& channel) {
  const auto number = find_queue(self, channel_queue(topic, channel));
  auto* known = find_channel(self, topic, channel);
  if (!number || known == nullptr || std::exchange(known->asked, true))
    return;
  known->left = false;
  const auto generation = self->state.journal.generation;
  /// Null if what was asked of is no more.
  const auto answered = [=]() -> shard_topic::channel* {
    auto* there = self->state.journal.generation == generation
                    ? find_channel(self, topic, channel)
                    : nullptr;
    if (there != nullptr)
      there->asked = false;
    return there;
  };
  self
    ->request(self->state.queues[*number].actor,
              self->state.options.request_timeout, report_queue{})
    .then(
      [=, comers = known->comers](const queue_report& x) {
        if (answered() != nullptr)
          look(self, topic, channel, comers, x.processors);
      },
      [=](const caf::error&) {
        if (auto* there = answered())
          there->left = true; // asked again later
      });
}

} // namespace

caf::result<done> note(shard_pointer self, const note_consumers& x) {
  if (refuse_intake(self))
    return done{}; // what is ephemeral ends at the next start
  auto* channel = find_channel(self, x.topic, x.channel);
  if (channel == nullptr && x.change > 0)
    return caf::make_error(ec::not_found, "topic " + x.topic
                                            + " has no channel " + x.channel);
  if (channel == nullptr)
    return done{};
  channel->used_us = now(self);
  channel->comers += x.change > 0 ? 1 : 0;
  if (x.change < 0 && is_ephemeral(x.channel)) {
    // How many are left its queue knows: what is told may come twice or never.
    channel->left = true;
    end_if_left(self, x.topic, x.channel);
  }
  return done{};
}

void retire_topics(shard_pointer self) {
  auto& state = self->state;
  if (state.now != shard_state::phase::serving)
    return;
  const std::chrono::microseconds idle = state.options.ephemeral_idle_max;
  const auto before = now(self) - idle.count();
  std::vector<std::string> idle_topics;
  for (const auto& [name, x] : state.control->topics) {
    auto& topic = state.topics[name];
    if (is_ephemeral(name) && !x.leaving && x.channels.empty()
        && topic.used_us < before)
      idle_topics.push_back(name);
    for (const auto& channel : x.channels) {
      const auto& known = topic.channels[channel];
      if (is_ephemeral(channel) && (known.left || known.used_us < before))
        end_if_left(self, name, channel);
    }
  }
  for (const auto& name : idle_topics)
    end_channel(self, name, "");
}

} // namespace depositd::shard
