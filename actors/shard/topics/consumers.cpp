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

/// Ends the channel if nobody is attached to it, whatever was told: engines die
/// with their consumers, and what is told of those of a channel that is no more
/// may come when there is another one of its name.
void end_if_left(shard_pointer self, const std::string& topic,
                 const std::string& channel) {
  const auto number = find_queue(self, channel_queue(topic, channel));
  auto* known = find_channel(self, topic, channel);
  if (!number || known == nullptr || std::exchange(known->asked, true))
    return;
  const auto generation = self->state.journal.generation;
  const auto look = [=, used_us = known->used_us](std::uint32_t processors) {
    const auto& state = self->state;
    auto* there = state.journal.generation == generation
                    ? find_channel(self, topic, channel)
                    : nullptr;
    if (there == nullptr)
      return;
    there->asked = false;
    if (processors > 0)
      there->used_us = now(self);
    else if (there->used_us == used_us // else somebody is about to attach
             && state.now == shard_state::phase::serving)
      end_channel(self, topic, channel);
  };
  self
    ->request(self->state.queues[*number].actor,
              self->state.options.request_timeout, report_queue{})
    .then([=](const queue_report& x) { look(x.processors); },
          [=](const caf::error&) { look(1); }); // asked again later
}

} // namespace

caf::result<done> note(shard_pointer self, const note_consumers& x) {
  if (refuse_intake(self))
    return done{}; // what is ephemeral ends at the next start
  auto* channel = find_channel(self, x.topic, x.channel);
  if (channel == nullptr)
    return done{};
  channel->used_us = now(self);
  channel->consumers = std::max<std::int64_t>(channel->consumers + x.change, 0);
  channel->left = x.change < 0 && channel->consumers == 0;
  if (channel->left && is_ephemeral(x.channel))
    end_if_left(self, x.topic, x.channel);
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
