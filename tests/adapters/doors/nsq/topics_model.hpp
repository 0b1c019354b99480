#pragma once

// A shard that knows just enough of topics and channels to show what doors ask
// it, and answers when a test lets it.

#include "messages/shard.hpp"
#include "messages/topics.hpp"
#include "messages/values/control.hpp"

#include <caf/event_based_actor.hpp>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace depositd::testing {

/// Tests change it between requests.
struct topics_model {
  struct channel {
    bool paused = false;
    std::uint64_t depth = 0;
    std::uint64_t in_flight = 0;
    std::uint64_t deferred = 0;
    std::uint64_t messages = 0;
  };

  struct topic {
    bool paused = false;
    std::uint64_t depth = 0;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::map<std::string, channel> channels;
  };

  std::mutex guard;
  std::condition_variable changed;
  control_state control;
  std::map<std::string, topic> topics;
  std::vector<publish> published;
  std::size_t arrived = 0;    ///< writes, durable or not
  bool journal_waits = false; ///< nothing becomes durable while true
  ec fails = ec{};            ///< what every write is answered
  ec refuses_intake = ec{};
  std::thread::id thread; ///< in which it has listed topics
};

using model_pointer = std::shared_ptr<topics_model>;

inline void pour(topics_model::topic& to, std::uint64_t count, bool delayed) {
  for (auto& [name, channel] : to.channels) {
    (delayed ? channel.deferred : channel.depth) += count;
    channel.messages += count;
  }
}

inline void take(topics_model& x, const publish& what) {
  x.published.push_back(what);
  x.published.back().charge = nullptr; // nothing of the engine keeps it
  auto& topic = x.topics[what.topic];
  topic.messages += what.bodies.size();
  for (const auto& body : what.bodies)
    topic.bytes += body.size();
  if (topic.paused || topic.channels.empty())
    topic.depth += what.bodies.size();
  else
    pour(topic, what.bodies.size(), what.delay_ms > 0);
}

/// False: there is nothing of these names.
inline bool obey(topics_model& x, const order_topic& what) {
  if (what.what == topic_action::create) {
    auto& topic = x.topics[what.topic];
    if (!what.channel.empty()) {
      auto& made = topic.channels[what.channel];
      made.depth += std::exchange(topic.depth, 0);
    }
    return true;
  }
  const auto found = x.topics.find(what.topic);
  if (found == x.topics.end())
    return false;
  auto& topic = found->second;
  const auto channel = topic.channels.find(what.channel);
  if (!what.channel.empty() && channel == topic.channels.end())
    return false;
  const bool whole = what.channel.empty();
  switch (what.what) {
    case topic_action::remove:
      if (whole)
        x.topics.erase(found);
      else
        topic.channels.erase(channel);
      break;
    case topic_action::empty:
      if (whole) {
        topic.depth = 0;
      } else {
        auto& y = channel->second;
        y.depth = y.in_flight = y.deferred = 0;
      }
      break;
    default: {
      const bool paused = what.what == topic_action::pause;
      (whole ? topic.paused : channel->second.paused) = paused;
      if (whole && !paused)
        pour(topic, std::exchange(topic.depth, 0), false);
    }
  }
  return true;
}

inline topics_listed list(const topics_model& x, const list_topics& what) {
  topics_listed out;
  for (const auto& [name, topic] : x.topics) {
    if (!what.topic.empty() && what.topic != name)
      continue;
    auto& one = out.topics.emplace_back();
    one.name = name;
    one.paused = topic.paused;
    one.depth = topic.depth;
    one.messages = topic.messages;
    one.bytes = topic.bytes;
    for (const auto& [label, y] : topic.channels)
      if (what.channel.empty() || what.channel == label) {
        auto& channel = one.channels.emplace_back();
        channel.name = label;
        channel.paused = y.paused;
        channel.depth = y.depth;
        channel.in_flight = y.in_flight;
        channel.deferred = y.deferred;
        channel.messages = y.messages;
      }
  }
  return out;
}

/// On a thread of its own, so that it may wait.
inline caf::behavior modelled_shard(caf::event_based_actor*, model_pointer x) {
  const auto commit = [x](std::unique_lock<std::mutex>& lock) {
    ++x->arrived;
    x->changed.notify_all();
    x->changed.wait(lock, [&] { return !x->journal_waits; });
    return x->fails == ec{} ? caf::error{}
                            : caf::make_error(x->fails, "as the test wants");
  };
  return {
    [=](const watch_control&) {
      const std::lock_guard lock{x->guard};
      return control_changed{std::make_shared<const control_state>(x->control)};
    },
    [=](const publish& what) -> caf::result<published> {
      std::unique_lock lock{x->guard};
      if (auto wrong = commit(lock))
        return wrong;
      take(*x, what);
      return published{what.bodies.size()};
    },
    [=](const order_topic& what) -> caf::result<done> {
      std::unique_lock lock{x->guard};
      if (auto wrong = commit(lock))
        return wrong;
      if (!obey(*x, what))
        return caf::make_error(ec::not_found, "nothing of this name");
      return done{};
    },
    [=](const list_topics& what) {
      const std::lock_guard lock{x->guard};
      x->thread = std::this_thread::get_id();
      return list(*x, what);
    },
    [=](const check_intake&) -> caf::result<done> {
      const std::lock_guard lock{x->guard};
      if (x->refuses_intake != ec{})
        return caf::make_error(x->refuses_intake, "as the test wants");
      return done{};
    },
    [=](const note_key_use&) { return done{}; },
  };
}

} // namespace depositd::testing
