#include "actors/rules/topics/topics.hpp"

#include <algorithm>
#include <utility>

namespace depositd::rules {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

caf::error unknown_topic(const std::string& topic) {
  return caf::make_error(ec::not_found, "there is no topic " + topic);
}

caf::error unknown_channel(const std::string& topic,
                           const std::string& channel) {
  return caf::make_error(ec::not_found,
                         "topic " + topic + " has no channel " + channel);
}

caf::error too_many(const std::string& what, std::size_t count_max) {
  return caf::make_error(ec::too_large, "there are " + std::to_string(count_max)
                                          + " " + what
                                          + ", as many as may be: delete some");
}

/// Of all topics, with those that are being deleted.
std::size_t count_channels(const control_state& state) {
  std::size_t out = 0;
  for (const auto& [name, x] : state.topics)
    out += x.channels.size() + x.ending.size();
  return out;
}

/// The queue's settings as they are, but for whether it hands out.
queue_changed suspended(const control_state& state, const std::string& queue,
                        bool yes) {
  const auto known = state.queues.find(queue);
  queue_changed out{queue, known == state.queues.end()
                             ? settings_of_topic_queue()
                             : known->second};
  out.settings.suspended = yes;
  return out;
}

/// The topic with all of its channels.
std::vector<event> end_topic(const control_state& state, topic_changed x) {
  std::vector<event> out;
  for (const auto& channel : x.channels)
    out.emplace_back(suspended(state, channel_queue(x.topic, channel), true));
  x.ending.insert(x.ending.end(), x.channels.begin(), x.channels.end());
  x.channels.clear();
  x.backlog_to.clear();
  x.leaving = true;
  out.emplace_back(std::move(x));
  return out;
}

std::vector<event> end_channel(const control_state& state, topic_changed x,
                               const std::string& channel) {
  if (is_ephemeral(x.topic) && x.channels.size() == 1)
    return end_topic(state, std::move(x));
  std::erase(x.channels, channel);
  // What was on its way to it alone goes to the others.
  if (std::erase(x.backlog_to, channel) > 0 && x.backlog_to.empty())
    x.backlog_to = x.channels;
  x.ending.push_back(channel);
  return {suspended(state, channel_queue(x.topic, channel), true),
          std::move(x)};
}

} // namespace

queue_settings settings_of_topic_queue() {
  queue_settings out;
  out.retry_delay_ms = 0;
  out.retry_delay_ms_max = 0;
  return out;
}

const topic_changed* find_topic(const control_state& state,
                                const std::string& name) {
  const auto at = state.topics.find(name);
  return at == state.topics.end() ? nullptr : &at->second;
}

bool is_ending(const topic_changed& x, const std::string& channel) {
  return x.leaving || contains(x.ending, channel);
}

caf::error check_topic_names(const std::string& topic,
                             const std::string& channel) {
  if (!is_topic_name(topic))
    return caf::make_error(ec::invalid_argument,
                           "not a topic's name: '" + topic.substr(0, 64) + "'");
  if (!channel.empty() && !is_topic_name(channel))
    return caf::make_error(ec::invalid_argument, "not a channel's name: '"
                                                   + channel.substr(0, 64)
                                                   + "'");
  return {};
}

caf::expected<std::vector<event>> make_topic(const control_state& state,
                                             const std::string& topic,
                                             const std::string& channel,
                                             const topic_limits& limits) {
  std::vector<event> out;
  const auto* known = find_topic(state, topic);
  if (known == nullptr && state.topics.size() >= limits.topics_max)
    return too_many("topics", limits.topics_max);
  topic_changed after;
  if (known != nullptr)
    after = *known;
  else
    out.emplace_back(
      queue_changed{topic_queue(topic), settings_of_topic_queue()});
  after.topic = topic;
  if (!channel.empty() && !contains(after.channels, channel)) {
    if (count_channels(state) >= limits.channels_max)
      return too_many("channels", limits.channels_max);
    out.emplace_back(
      queue_changed{channel_queue(topic, channel), settings_of_topic_queue()});
    if (known != nullptr && after.channels.empty() && !after.paused)
      after.backlog_to = {channel};
    after.channels.push_back(channel);
  }
  if (!out.empty())
    out.emplace_back(std::move(after));
  return out;
}

caf::expected<std::vector<event>> pause_topic(const control_state& state,
                                              const std::string& topic,
                                              const std::string& channel,
                                              bool paused) {
  const auto* known = find_topic(state, topic);
  if (known == nullptr)
    return unknown_topic(topic);
  if (!channel.empty()) {
    if (!contains(known->channels, channel))
      return unknown_channel(topic, channel);
    auto change = suspended(state, channel_queue(topic, channel), paused);
    if (state.queues.at(change.queue) == change.settings)
      return std::vector<event>{};
    return std::vector<event>{std::move(change)};
  }
  if (known->paused == paused)
    return std::vector<event>{};
  auto after = *known;
  after.paused = paused;
  after.backlog_to =
    paused ? std::vector<std::string>{} : std::vector{known->channels};
  return std::vector<event>{std::move(after)};
}

caf::expected<std::vector<event>> begin_end(const control_state& state,
                                            const std::string& topic,
                                            const std::string& channel) {
  const auto* known = find_topic(state, topic);
  if (known == nullptr)
    return unknown_topic(topic);
  if (channel.empty())
    return end_topic(state, *known);
  if (!contains(known->channels, channel))
    return unknown_channel(topic, channel);
  return end_channel(state, *known, channel);
}

std::vector<event> end_ephemeral(const control_state& state) {
  std::vector<event> out;
  for (const auto& [name, known] : state.topics) {
    if (known.leaving)
      continue;
    if (is_ephemeral(name)) {
      for (auto& x : end_topic(state, known))
        out.push_back(std::move(x));
      continue;
    }
    auto now = known;
    for (const auto& channel : known.channels)
      if (is_ephemeral(channel))
        for (auto& x : end_channel(state, now, channel)) {
          if (const auto* after = std::get_if<topic_changed>(&x))
            now = *after;
          out.push_back(std::move(x));
        }
  }
  return out;
}

std::string next_ending(const topic_changed& x) {
  if (!x.ending.empty())
    return channel_queue(x.topic, x.ending.front());
  return x.leaving ? topic_queue(x.topic) : "";
}

std::vector<event> complete_end(const topic_changed& x,
                                std::vector<std::string> users) {
  queue_retired gone{next_ending(x), std::move(users)};
  auto after = x;
  if (after.ending.empty())
    after.removed = true;
  else
    after.ending.erase(after.ending.begin());
  return {std::move(gone), std::move(after)};
}

std::vector<event> complete_backlog(const topic_changed& x) {
  auto after = x;
  after.backlog_to.clear();
  return {std::move(after)};
}

std::vector<std::string> queues_of_message(const topic_changed& x) {
  if (x.paused || x.channels.empty())
    return {topic_queue(x.topic)};
  std::vector<std::string> out;
  for (const auto& channel : x.channels)
    out.push_back(channel_queue(x.topic, channel));
  return out;
}

} // namespace depositd::rules
