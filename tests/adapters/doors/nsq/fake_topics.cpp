#include "tests/adapters/doors/nsq/fake_topics.hpp"

#include "messages/values/clock.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <utility>

namespace depositd::testing {

namespace {

using channel_pointer =
  fake_channel_actor::stateful_pointer<fake_channel_state>;
using topics_pointer = shard_topics_actor::stateful_pointer<fake_topics_state>;

constexpr std::chrono::milliseconds tick{5};

fake_channel_state::time now() {
  return std::chrono::steady_clock::now();
}

claimed_item lend(fake_channel_state& state, std::uint32_t to,
                  std::uint32_t lease_ms) {
  auto item = std::move(state.ready.front());
  state.ready.pop_front();
  ++item.attempt;
  claimed_item out;
  out.id = item.id;
  out.token = ++state.token_last;
  out.attempt = item.attempt;
  out.received_us = 1'700'000'000'000'000;
  out.user = "u";
  out.body = item.body;
  const std::chrono::milliseconds lease{lease_ms};
  out.deadline_us = engine_clock::system().now() + state.world->clock_ahead_us
                    + std::chrono::microseconds{lease}.count();
  state.claims[item.id] = {std::move(item), out.token, to, now() + lease};
  return out;
}

void serve(channel_pointer self) {
  auto& state = self->state;
  for (auto& [number, x] : state.processors) {
    deliver what;
    while (x.credit > 0 && !state.ready.empty()) {
      --x.credit;
      what.items.push_back(lend(state, number, x.lease_ms));
    }
    if (!what.items.empty())
      self->send(x.actor, std::move(what));
  }
}

void put_back(fake_channel_state& state, fake_item item,
              std::uint32_t delay_ms) {
  if (delay_ms == 0)
    state.ready.push_front(std::move(item));
  else
    state.deferred.emplace(now() + std::chrono::milliseconds{delay_ms},
                           std::move(item));
  state.world->deferred = state.deferred.size();
}

bool settle(fake_channel_state& state, const outcome& x) {
  const auto at = state.claims.find(x.id);
  if (at == state.claims.end() || at->second.token != x.token)
    return false;
  auto item = std::move(at->second.item);
  state.claims.erase(at);
  if (x.says == verdict::done) {
    ++state.world->finished;
  } else if (x.says == verdict::retry) {
    ++state.world->requeued;
    put_back(state, std::move(item), x.delay_ms);
  } else {
    ++state.world->released;
    --item.attempt;
    put_back(state, std::move(item), 0);
  }
  return true;
}

void tell_endings(channel_pointer self) {
  if (self->state.world->holds_endings)
    return;
  for (auto& [to, what] : std::exchange(self->state.endings, {})) {
    deliver out;
    out.settled.push_back(what);
    self->send(to, std::move(out));
  }
}

void work(channel_pointer self, const settle_and_request& x) {
  auto& state = self->state;
  const auto at = state.processors.find(x.processor);
  if (at == state.processors.end())
    return;
  for (const auto& one : x.outcomes)
    state.endings.emplace_back(at->second.actor,
                               settlement{one.id, settle(state, one)});
  at->second.credit += x.credit;
  tell_endings(self);
  serve(self);
}

void renew(fake_channel_state& state, const renew_claims& x) {
  state.world->add(x);
  const auto& who = state.processors.at(x.processor);
  const std::chrono::milliseconds lease{x.lease_ms != 0 ? x.lease_ms
                                                        : who.lease_ms};
  for (const auto& one : x.claims)
    if (const auto at = state.claims.find(one.id);
        at != state.claims.end() && at->second.token == one.token)
      at->second.until = std::max(at->second.until, now() + lease);
}

void leave(channel_pointer self, std::uint32_t number) {
  auto& state = self->state;
  if (state.processors.erase(number) == 0)
    return;
  --state.world->processors;
  for (auto at = state.claims.begin(); at != state.claims.end();) {
    if (at->second.processor == number) {
      state.ready.push_front(std::move(at->second.item));
      at = state.claims.erase(at);
    } else {
      ++at;
    }
  }
  serve(self);
}

void look(channel_pointer self) {
  auto& state = self->state;
  const auto time = now();
  for (auto at = state.claims.begin(); at != state.claims.end();) {
    if (at->second.until <= time) {
      ++state.world->timed_out;
      state.ready.push_front(std::move(at->second.item));
      at = state.claims.erase(at);
    } else {
      ++at;
    }
  }
  while (!state.deferred.empty() && state.deferred.begin()->first <= time)
    state.ready.push_back(
      std::move(state.deferred.extract(state.deferred.begin()).mapped()));
  state.world->deferred = state.deferred.size();
  tell_endings(self);
  serve(self);
  self->delayed_send(self, tick, look_at_clock{});
}

fake_channel_actor::behavior_type fake_channel(channel_pointer self,
                                               std::shared_ptr<fake_world> x) {
  self->state.world = std::move(x);
  self->delayed_send(self, tick, look_at_clock{});
  self->set_down_handler([=](const caf::down_msg& down) {
    for (const auto& [number, each] : self->state.processors)
      if (each.actor.address() == down.source)
        return leave(self, number);
  });
  return {
    [=](const attach& what) -> caf::result<attached> {
      const auto number = ++self->state.processor_last;
      self->state.processors[number] = {what.who, 0, what.lease_ms};
      ++self->state.world->processors;
      self->monitor(what.who);
      return attached{number, {}};
    },
    [=](const settle_and_request& what) { work(self, what); },
    [=](const cancel_credit& what) {
      self->state.processors[what.processor].credit = 0;
    },
    [=](const renew_claims& what) { renew(self->state, what); },
    [=](const detach& what) -> caf::result<done> {
      leave(self, what.processor);
      return done{};
    },
    [=](const put_items& what) {
      for (const auto& item : what.items)
        if (what.delay_ms > 0)
          put_back(self->state, item, what.delay_ms);
        else
          self->state.ready.push_back(item);
      serve(self);
    },
    [=](const empty_channel&) {
      self->state.ready.clear();
      self->state.claims.clear();
    },
    [=](const look_at_clock&) { look(self); },
  };
}

fake_channel_actor open_channel(topics_pointer self, const std::string& topic,
                                const std::string& channel) {
  auto& x = self->state.topics[topic];
  auto& out = x.channels[channel];
  if (!out) {
    out = self->spawn<caf::linked>(fake_channel, self->state.world);
    self->send(out, put_items{std::exchange(x.waiting, {}), 0});
  }
  return out;
}

void end_channel(topics_pointer self, fake_topics_state::topic& topic,
                 const std::string& channel) {
  const auto at = topic.channels.find(channel);
  self->unlink_from(at->second);
  self->send_exit(at->second, caf::exit_reason::user_shutdown);
  topic.channels.erase(at);
}

bool is_next(std::atomic<int>& count) {
  return count > 0 && count-- > 0;
}

caf::result<done> note(topics_pointer self, const note_consumers& x) {
  auto& state = self->state;
  if (x.change > 0 && is_next(state.world->end_when_attached)) {
    end_channel(self, state.topics[x.topic], x.channel);
    return caf::make_error(ec::not_found, x.channel);
  }
  if (x.change > 0 && is_next(state.world->renew_when_attached)) {
    state.topics[x.topic].channels.erase(x.channel);
    open_channel(self, x.topic, x.channel);
  }
  state.world->consumers += x.change;
  return done{};
}

queue_port_actor open_port(topics_pointer self, const open_queue& x) {
  const auto slash = x.name.find('/', 4);
  const auto topic = x.name.substr(4, slash - 4);
  const auto channel = x.name.substr(slash + 1);
  const auto out = open_channel(self, topic, channel);
  if (is_next(self->state.world->end_when_opened))
    end_channel(self, self->state.topics[topic], channel);
  return out;
}

void release(topics_pointer self) {
  for (auto& x : std::exchange(self->state.held, {}))
    x.answer.deliver(published{x.what.bodies.size()});
}

caf::result<published> take(topics_pointer self, const publish& x) {
  auto& state = self->state;
  if (state.world->holds_publishes) {
    auto answer = self->make_response_promise<published>();
    state.held.push_back({x, answer});
    return answer;
  }
  release(self);
  if (state.world->disk_full)
    return caf::make_error(ec::overloaded, std::string{"the disk is full"});
  put_items what;
  what.delay_ms = x.delay_ms;
  for (const auto& body : x.bodies)
    what.items.push_back({++state.id_last, body, 0});
  auto& topic = state.topics[x.topic];
  for (const auto& [name, channel] : topic.channels)
    self->send(channel, what);
  if (topic.channels.empty())
    topic.waiting.insert(topic.waiting.end(), what.items.begin(),
                         what.items.end());
  state.world->add(x);
  return published{x.bodies.size()};
}

caf::result<done> order(topics_pointer self, const order_topic& x) {
  auto& topics = self->state.topics;
  if (x.what == topic_action::create) {
    topics[x.topic];
    if (!x.channel.empty())
      open_channel(self, x.topic, x.channel);
    return done{};
  }
  const auto topic = topics.find(x.topic);
  if (topic == topics.end())
    return caf::make_error(ec::not_found, x.topic);
  const auto channel = topic->second.channels.find(x.channel);
  if (channel == topic->second.channels.end())
    return caf::make_error(ec::not_found, x.channel);
  if (x.what == topic_action::empty) {
    self->send(channel->second, empty_channel{});
  } else if (x.what == topic_action::remove) {
    end_channel(self, topic->second, x.channel);
  }
  return done{};
}

} // namespace

shard_topics_actor::behavior_type
fake_topics(shard_topics_actor::stateful_pointer<fake_topics_state> self,
            std::shared_ptr<fake_world> world, control_snapshot control) {
  self->state.world = std::move(world);
  self->state.control = std::move(control);
  return {
    [=](const open_ports&) -> caf::result<ports_opened> {
      return ports_opened{};
    },
    [=](const watch_control&) -> caf::result<control_changed> {
      return control_changed{self->state.control, 1};
    },
    [=](const publish& x) { return take(self, x); },
    [=](const order_topic& x) { return order(self, x); },
    [=](const note_consumers& x) { return note(self, x); },
    [=](const list_topics&) -> caf::result<topics_listed> {
      return topics_listed{};
    },
    [=](const open_queue& x) -> caf::result<queue_port_actor> {
      return open_port(self, x);
    },
  };
}

} // namespace depositd::testing
