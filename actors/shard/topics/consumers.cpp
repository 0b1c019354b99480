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

/// Nobody has told of a consumer that went, as an engine has died with it.
void end_if_left(shard_pointer self, const std::string& topic,
                 const std::string& channel, queue_number number) {
  const auto generation = self->state.journal.generation;
  self
    ->request(self->state.queues[number].actor,
              self->state.options.request_timeout, report_queue{})
    .then(
      [=](const queue_report& x) {
        auto& state = self->state;
        if (state.journal.generation != generation)
          return;
        if (rules::find_topic(*state.control, topic) == nullptr)
          return;
        auto& known = state.topics[topic].channels[channel];
        known.asked = false;
        if (x.processors > 0)
          known.used_us = now(self);
        else if (state.now == shard_state::phase::serving)
          end_channel(self, topic, channel);
      },
      [](const caf::error&) { /* the queue is gone, and its channel */ });
}

} // namespace

caf::result<done> note(shard_pointer self, const note_consumers& x) {
  if (refuse_intake(self))
    return done{}; // what is ephemeral ends at the next start
  const auto* topic = rules::find_topic(*self->state.control, x.topic);
  if (topic == nullptr
      || std::find(topic->channels.begin(), topic->channels.end(), x.channel)
           == topic->channels.end())
    return done{};
  auto& channel = self->state.topics[x.topic].channels[x.channel];
  channel.used_us = now(self);
  channel.consumers = std::max<std::int64_t>(channel.consumers + x.change, 0);
  if (x.change < 0 && channel.consumers == 0 && is_ephemeral(x.channel))
    end_channel(self, x.topic, x.channel);
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
      auto& known = topic.channels[channel];
      const auto number = find_queue(self, channel_queue(name, channel));
      if (is_ephemeral(channel) && number && known.used_us < before
          && !std::exchange(known.asked, true))
        end_if_left(self, name, channel, *number);
    }
  }
  for (const auto& name : idle_topics)
    end_channel(self, name, "");
}

} // namespace depositd::shard
