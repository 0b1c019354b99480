// What there is of topics, with the numbers of their queues.

#include "actors/journal/gather.hpp"
#include "actors/shard/topics/topics.hpp"

#include <algorithm>
#include <utility>

namespace depositd::shard {

namespace {

/// What neither waits to be handed out nor is.
std::uint64_t deferred(const queue_report& x) {
  const auto busy = x.ready + x.in_flight;
  return x.items > busy ? x.items - busy : 0;
}

topics_listed::topic listed(shard_pointer self, const topic_changed& x,
                            const std::string& channel) {
  const auto& state = self->state;
  topics_listed::topic out;
  out.name = x.topic;
  out.paused = x.paused;
  const auto known = state.topics.find(x.topic);
  if (known != state.topics.end()) {
    out.messages = known->second.messages;
    out.bytes = known->second.bytes;
  }
  for (const auto& name : x.channels) {
    if (!channel.empty() && name != channel)
      continue;
    auto& one = out.channels.emplace_back();
    one.name = name;
    one.paused =
      state.control->queues.at(channel_queue(x.topic, name)).suspended;
    if (known == state.topics.end())
      continue;
    const auto counts = known->second.channels.find(name);
    if (counts != known->second.channels.end())
      one.messages = counts->second.messages;
  }
  std::sort(out.channels.begin(), out.channels.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

/// Puts the numbers of its queues into the topic at this place of the answer.
void ask_counts(shard_pointer self,
                const journal::gathering<topics_listed>& all, std::size_t at) {
  const auto& state = self->state;
  const auto ask = [&](const std::string& queue, auto take) {
    if (const auto number = find_queue(self, queue))
      all.ask_in_turn<queue_report>(
        self, state.queues[*number].actor, state.options.request_timeout,
        report_queue{}, take, journal::only_counts);
  };
  const auto& topic = all.result().topics[at];
  ask(topic_queue(topic.name), [=](topics_listed& sum, const queue_report& x) {
    sum.topics[at].depth = x.items;
  });
  for (std::size_t i = 0; i < topic.channels.size(); ++i)
    ask(channel_queue(topic.name, topic.channels[i].name),
        [=](topics_listed& sum, const queue_report& x) {
          auto& channel = sum.topics[at].channels[i];
          channel.depth = x.ready;
          channel.in_flight = x.in_flight;
          channel.deferred = deferred(x);
          channel.requeued = x.requeued;
          channel.timed_out = x.timed_out;
        });
}

} // namespace

caf::result<topics_listed> list_all_topics(shard_pointer self,
                                           const list_topics& x) {
  if (auto refused = refuse_recovering(self))
    return refused;
  topics_listed begin;
  for (const auto& [name, topic] : self->state.control->topics)
    if (!topic.leaving && (x.topic.empty() || name == x.topic))
      begin.topics.push_back(listed(self, topic, x.channel));
  const auto count = begin.topics.size();
  return journal::gather<topics_listed>(
    self,
    [&](const journal::gathering<topics_listed>& all) {
      for (std::size_t i = 0; i < count; ++i)
        ask_counts(self, all, i);
    },
    std::move(begin));
}

} // namespace depositd::shard
