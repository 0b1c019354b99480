// Channels that go with their last consumer, and a topic that goes with its
// last channel: those who publish, come, leave and die.

#include "messages/topics.hpp"
#include "messages/values/sharding.hpp"
#include "messages/values/topic_names.hpp"
#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace depositd::simulation {

namespace {

constexpr const char* staying = "e0";
constexpr const char* going = "e1#ephemeral";
constexpr const char* kept_channel = "kept";
constexpr const char* passing_channels[] = {"c0#ephemeral", "c1#ephemeral"};

/// When nobody was heard of for so long, all of it goes.
constexpr auto idle_max = 3'700s;

bool is_of_ephemeral(const std::string& queue) {
  return is_topic_queue(queue) && is_ephemeral(queue);
}

} // namespace

void world::step_of_ephemeral() {
  switch (ephemeral_chance_.below(8)) {
    default:
      return publish_ephemeral();
    case 3:
    case 4:
    case 5:
      return add_ephemeral_consumer();
    case 6:
    case 7:
      return leave_ephemeral(ephemeral_chance_.one_in(4));
  }
}

void world::publish_ephemeral() {
  publish message;
  message.topic = ephemeral_chance_.one_in(2) ? staying : going;
  message.user = "u0";
  auto body = std::string{"m"}.append(std::to_string(++messages_sent_));
  tell(attempted{body, topic_queue(message.topic), message.user});
  message.bodies.push_back(body);
  ask(std::move(message),
      [this, body](const depositd::published&) { tell(message_kept{body}); });
}

void world::add_ephemeral_consumer() {
  const auto alive
    = std::count_if(workers_.begin(), workers_.end(), [](const auto& worker) {
        return !worker->gone && is_of_ephemeral(worker->queue);
      });
  if (alive >= consumers_max_)
    return publish_ephemeral();
  auto who = std::make_shared<simulated_worker>();
  who->queue = channel_queue(ephemeral_chance_.one_in(2) ? staying : going,
                             passing_channels[ephemeral_chance_.below(2)]);
  who->slots = 1 + ephemeral_chance_.below(3);
  who->lease_ms = 2000 + ephemeral_chance_.below(8000);
  spawn_worker(std::move(who));
}

void world::note_consumer(simulated_processor::pointer self,
                          const std::shared_ptr<simulated_worker>& who) {
  const auto again = [=, this] {
    for (const auto& in : who->doors)
      self->demonitor(in.door.address());
    who->doors.clear();
    look_later(self, *who);
  };
  const auto via = way_in();
  if (!via || who->doors.empty())
    return again();
  const auto place = topic_of_queue(who->queue);
  const auto door = who->doors[0].door;
  const auto make_sure = [=, this] {
    self->request(via, std::chrono::minutes{1}, open_queue{who->queue})
      .then(
        [=, this](const queue_port_actor& now) {
          if (who->gone) // and has not heard of it yet
            return;
          if (who->doors.empty() || who->doors[0].door != door || now != door)
            return again();
          tell(consumer_noted{who->number, who->queue, true});
        },
        [=](const caf::error&) { again(); });
  };
  self
    ->request(via, std::chrono::minutes{1},
              note_consumers{std::string{place.topic},
                             std::string{place.channel}, 1})
    .then([=](const done&) { make_sure(); },
          [=](const caf::error&) { again(); });
}

void world::tell_consumer_left(const simulated_worker& who) {
  if (is_of_ephemeral(who.queue))
    tell(consumer_noted{who.number, who.queue, false});
}

/// Quietly: nobody tells the engine, whose queue notices all the same.
void world::leave_ephemeral(bool quietly) {
  std::vector<simulated_worker*> alive;
  for (const auto& worker : workers_)
    if (!worker->gone && is_of_ephemeral(worker->queue))
      alive.push_back(worker.get());
  if (alive.empty())
    return add_ephemeral_consumer();
  auto& who = *alive[ephemeral_chance_.below(
    static_cast<std::uint32_t>(alive.size()))];
  end_worker(who);
  const auto place = topic_of_queue(who.queue);
  if (!quietly)
    ask(note_consumers{std::string{place.topic}, std::string{place.channel},
                       -1},
        [](const done&) {});
}

/// Everybody has left. What came to the topic that stays is taken by somebody.
void world::end_ephemeral() {
  for (const auto* topic : {staying, going})
    for (const auto* channel : passing_channels)
      ask(note_consumers{topic, channel, -1}, [](const done&) {});
  if (is_shared()) { // where an hour takes too long
    tell(topic_wanted{going, "", topic_action::remove});
    ask(order_topic{going, "", topic_action::remove}, [](const done&) {});
  }
  auto who = std::make_shared<simulated_worker>();
  who->queue = channel_queue(staying, kept_channel);
  who->slots = 1000;
  who->quick = true;
  spawn_worker(std::move(who));
  settle();
}

void world::list_left_channels() {
  if (is_shared())
    return;
  let_time_pass(idle_max);
  let_time_pass(60s);
  ask(list_topics{}, [this](const topics_listed& x) {
    for (const auto& topic : x.topics) {
      if (is_ephemeral(topic.name))
        tell(left_over{"topic " + topic.name});
      for (const auto& channel : topic.channels)
        if (is_ephemeral(channel.name))
          tell(left_over{"channel " + channel.name + " of " + topic.name});
    }
  });
  settle();
}

} // namespace depositd::simulation
