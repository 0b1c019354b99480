#include "actors/shard/topics/topics.hpp"

#include "actors/journal/reply.hpp"
#include "actors/rules/topics/topics.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace depositd::shard {

namespace {

caf::error invalid(std::string text) {
  return caf::make_error(ec::invalid_argument, std::move(text));
}

} // namespace

bool has_to_wait(shard_pointer self, const std::string& topic,
                 const std::string& channel) {
  const auto* x = rules::find_topic(*self->state.control, topic);
  return x != nullptr && rules::is_ending(*x, channel);
}

caf::error make_there(shard_pointer self, const std::string& topic,
                      const std::string& channel, std::optional<reply> answer) {
  auto& state = self->state;
  const auto made =
    rules::make_topic(*state.control, topic, channel, state.options.topics);
  if (!made)
    return made.error();
  auto& known = state.topics[topic];
  known.used_us = now(self);
  if (!channel.empty()) {
    // An ephemeral one waits for its first consumer from now on.
    auto& its = known.channels[channel];
    its.used_us = known.used_us;
    its.left = false;
    ++its.comers;
  }
  if (!made->empty()) {
    commit_control(self, *made, std::move(answer));
    run_backlog(self, topic);
  } else if (answer) { // what was decided before is durable then
    journal::command todo{state.journal};
    todo.deliver(std::move(*answer));
    todo.commit(self);
  }
  return {};
}

// -- ordering -----------------------------------------------------------------

namespace {

caf::expected<std::vector<event>> decide(shard_pointer self,
                                         const order_topic& x) {
  const auto& state = self->state;
  switch (x.what) {
    case topic_action::remove:
      return rules::begin_end(*state.control, x.topic, x.channel);
    case topic_action::pause:
    case topic_action::unpause:
      return rules::pause_topic(*state.control, x.topic, x.channel,
                                x.what == topic_action::pause);
    case topic_action::create:
    case topic_action::empty:
      break;
  }
  // A number that somebody elsewhere made up.
  return invalid("unknown order");
}

/// Claims end too: whoever finishes such a message later is refused.
caf::result<done> empty_out(shard_pointer self, const order_topic& x) {
  const auto queue = x.channel.empty() ? topic_queue(x.topic)
                                       : channel_queue(x.topic, x.channel);
  if (!find_queue(self, queue))
    return caf::make_error(
      ec::not_found, x.channel.empty()
                       ? "there is no topic " + x.topic
                       : "topic " + x.topic + " has no channel " + x.channel);
  return purge_all(self, {queue});
}

caf::result<done> create(shard_pointer self, const order_topic& x) {
  auto where = journal::take_reply(self);
  if (auto wrong = make_there(self, x.topic, x.channel,
                              reply{where, caf::make_message(done{})}))
    journal::answer(where, std::move(wrong));
  return journal::answered_later<done>();
}

/// Answers when what was decided, and all of it that ends, is durable.
caf::result<done> begin_removal(shard_pointer self, const order_topic& x,
                                const std::vector<event>& changes) {
  auto promise = self->make_response_promise<done>();
  commit_control(self, changes);
  await_end(self, x.topic, [=](const caf::error& why) mutable {
    if (why)
      promise.deliver(why);
    else
      promise.deliver(done{});
  });
  return promise;
}

} // namespace

caf::result<done> order(shard_pointer self, const order_topic& x) {
  const bool grows = x.what == topic_action::create;
  if (auto refused = grows ? refuse_growth(self) : refuse_intake(self))
    return refused;
  if (auto wrong = rules::check_topic_names(x.topic, x.channel))
    return wrong;
  if (has_to_wait(self, x.topic, x.channel))
    return after_end<done>(self, x.topic, x);
  if (x.what == topic_action::empty)
    return empty_out(self, x);
  if (x.what == topic_action::create)
    return create(self, x);
  const auto changes = decide(self, x);
  if (!changes)
    return changes.error();
  if (x.what == topic_action::remove)
    return begin_removal(self, x, *changes);
  self->state.topics[x.topic].used_us = now(self);
  if (changes->empty())
    return answer_after_commits(self, done{});
  commit_control(self, *changes,
                 reply{journal::take_reply(self), caf::make_message(done{})});
  run_backlog(self, x.topic);
  return journal::answered_later<done>();
}

caf::result<queue_port_actor> open_channel(shard_pointer self,
                                           const open_queue& x) {
  if (auto refused = refuse_intake(self))
    return refused;
  const auto place = topic_of_queue(x.name);
  const std::string topic{place.topic};
  const std::string channel{place.channel};
  if (channel.empty() || rules::check_topic_names(topic, channel))
    return invalid("not the queue of a channel: " + x.name.substr(0, 255));
  if (has_to_wait(self, topic, channel))
    return after_end<queue_port_actor>(self, topic, x);
  const auto known = find_queue(self, x.name);
  if (auto wrong = make_there(self, topic, channel))
    return wrong;
  queue_port_actor port{self->state.queues[*find_queue(self, x.name)].actor};
  if (known)
    return port;
  // Whoever has made sure that the channel is durable may have come to another
  // one, if that ended meanwhile.
  return answer_after_commits(self, std::move(port));
}

// -- its life -----------------------------------------------------------------

void topic_was_changed(shard_pointer self, const std::string& name) {
  auto& topic = self->state.topics[name];
  topic.to.clear();
  ++topic.changes;
}

void begin_topics(shard_pointer self) {
  const auto& state = self->state;
  if (const auto changes = rules::end_ephemeral(*state.control);
      !changes.empty())
    commit_control(self, changes);
  go_on_with_topics(self, {state.journal.generation});
}

namespace {

void look_if_stuck(shard_pointer self) {
  auto& stuck = self->state.stuck;
  if (stuck.names.empty() && stuck.why.is_over())
    spdlog::info("topics_go_on");
}

} // namespace

void go_on_with_topics(shard_pointer self, const resume_topics& x) {
  auto& state = self->state;
  if (state.journal.generation != x.generation
      || state.now != shard_state::phase::serving)
    return; // the next engine does
  state.stuck.due = false;
  std::vector<std::string> names;
  for (const auto& [name, topic] : state.control->topics)
    names.push_back(name);
  for (const auto& name : names) {
    run_end(self, name);
    run_backlog(self, name);
  }
  state.stuck.names.clear();
  for (const auto& [name, topic] : state.topics)
    if (topic.ending || topic.spreading)
      state.stuck.names.insert(name);
  look_if_stuck(self);
}

void resume_later(shard_pointer self, const std::string& topic,
                  const caf::error& why) {
  if (self->state.now != shard_state::phase::serving)
    return;
  auto& stuck = self->state.stuck;
  stuck.names.insert(topic);
  if (auto reason = render(why); stuck.why.is_new(reason))
    spdlog::warn("topic_waits topic={} reason=\"{}\"", topic, reason);
  // One timer for all: each resumption is of all topics.
  if (!std::exchange(stuck.due, true))
    self->delayed_send(self, std::chrono::seconds{1},
                       resume_topics{self->state.journal.generation});
}

void note_progress(shard_pointer self, const std::string& topic) {
  if (self->state.stuck.names.erase(topic) > 0)
    look_if_stuck(self);
}

void forget_topics(shard_pointer self, const caf::error& why) {
  self->state.stuck.names.clear();
  self->state.stuck.due = false;
  const auto topics = std::exchange(self->state.topics, {});
  for (const auto& [name, topic] : topics)
    for (const auto& go : topic.waiting)
      go(why);
}

} // namespace depositd::shard
