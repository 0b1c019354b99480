#pragma once

// Topics of the core, as NSQ's doors use them.

#include "messages/topics.hpp"
#include "tests/support/engine_fixture.hpp"
#include "tests/support/watched_engine.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace depositd::testing {

class topics_fixture : public watching<engine_fixture> {
protected:
  using milliseconds = std::chrono::milliseconds;

  void SetUp() override {
    start();
  }

  /// Moves the clock, which goes on across a restart.
  void pass(milliseconds time) {
    advance(time);
    passed_us_ += std::chrono::microseconds{time}.count();
  }

  void restart() {
    crash();
    time_us += std::exchange(passed_us_, 0);
    start();
  }

  caf::expected<depositd::published> send(const std::string& topic,
                                          std::vector<std::string> bodies,
                                          std::uint32_t delay_ms = 0,
                                          const std::string& user = "ann") {
    return ask<depositd::published>(
      core, publish{topic, user, delay_ms, std::move(bodies)});
  }

  caf::expected<done> say(topic_action what, const std::string& topic,
                          const std::string& channel = "") {
    return ask<done>(core, order_topic{topic, channel, what});
  }

  void make(const std::string& topic, const std::string& channel) {
    const auto made = say(topic_action::create, topic, channel);
    EXPECT_TRUE(made) << (made ? "" : render(made.error()));
  }

  /// "prefix1", "prefix2", ...
  static std::vector<std::string> numbered(const std::string& prefix,
                                           int count) {
    std::vector<std::string> out;
    for (int i = 1; i <= count; ++i)
      out.push_back(prefix + std::to_string(i));
    return out;
  }

  topics_listed listed(const std::string& topic = "",
                       const std::string& channel = "") {
    auto out = ask<topics_listed>(core, list_topics{topic, channel});
    EXPECT_TRUE(out);
    return out ? *out : topics_listed{};
  }

  bool is_there(const std::string& topic) {
    return !listed(topic).topics.empty();
  }

  topics_listed::topic topic_of(const std::string& topic) {
    const auto all = listed(topic);
    EXPECT_EQ(all.topics.size(), 1u) << topic;
    return all.topics.empty() ? topics_listed::topic{} : all.topics.front();
  }

  topics_listed::channel channel_of(const std::string& topic,
                                    const std::string& channel) {
    const auto all = listed(topic, channel);
    EXPECT_TRUE(all.topics.size() == 1
                && all.topics.front().channels.size() == 1)
      << topic << "/" << channel;
    if (all.topics.empty() || all.topics.front().channels.empty())
      return {};
    return all.topics.front().channels.front();
  }

  /// Depth, in flight, deferred.
  std::vector<std::uint64_t> counts_of(const std::string& topic,
                                       const std::string& channel) {
    const auto x = channel_of(topic, channel);
    return {x.depth, x.in_flight, x.deferred};
  }

  test_processor consume(const std::string& topic, const std::string& channel,
                         std::uint32_t credit = 0,
                         std::uint32_t lease_ms = 60'000) {
    test_processor out;
    out.actor = spawn(recording_processor, out.got);
    auto found =
      ask<queue_port_actor>(core, open_queue{channel_queue(topic, channel)});
    EXPECT_TRUE(found) << (found ? "" : render(found.error()));
    if (!found)
      return out;
    out.door = *found;
    auto reply =
      ask<attached>(out.door, attach{out.actor, "consumer", {}, lease_ms, {}});
    EXPECT_TRUE(reply) << (reply ? "" : render(reply.error()));
    out.number = reply ? reply->processor : 0;
    if (credit > 0)
      want(out, credit);
    return out;
  }

  /// FIN or REQ of what it got at this place.
  void answer(const test_processor& who, std::size_t at,
              verdict says = verdict::done, std::uint32_t delay_ms = 0) {
    ASSERT_LT(at, who.got->items.size());
    auto what = outcome_of(who.got->items[at], says);
    what.delay_ms = delay_ms;
    caf::anon_send(who.door, settle_and_request{who.number, 0, {what}});
    settle();
  }

  void finish_all(const test_processor& who) {
    for (std::size_t i = 0; i < who.got->items.size(); ++i)
      answer(who, i);
  }

  void leave(const test_processor& who) {
    ASSERT_TRUE(ask<done>(who.door, detach{who.number}));
  }

  void note(const std::string& topic, const std::string& channel, int change) {
    ASSERT_TRUE(ask<done>(core, note_consumers{topic, channel, change}));
  }

  static std::vector<std::string> sorted(std::vector<std::string> x) {
    std::sort(x.begin(), x.end());
    return x;
  }

  /// Everything that the channel hands out now, which is finished.
  std::vector<std::string> drain_channel(const std::string& topic,
                                         const std::string& channel) {
    const auto who = consume(topic, channel, 10'000);
    finish_all(who);
    auto out = sorted(who.got->bodies());
    leave(who);
    return out;
  }

private:
  micros passed_us_ = 0;
};

} // namespace depositd::testing
