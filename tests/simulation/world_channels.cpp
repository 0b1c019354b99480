// Topics with channels: those who publish, consume and order.

#include "messages/topics.hpp"
#include "messages/values/sharding.hpp"
#include "messages/values/topic_names.hpp"
#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"

#include <algorithm>

namespace depositd::simulation {

namespace {

constexpr const char* topics[] = {"t0", "t1"};
constexpr const char* channels[] = {"c0", "c1", "c2"};

} // namespace

void world::step_of_channels() {
  switch (channel_chance_.below(8)) {
    default:
      return publish_messages();
    case 4:
    case 5:
      return add_consumer();
    case 6:
      return order_a_topic();
    case 7:
      return crash_consumer();
  }
}

void world::publish_messages() {
  publish message;
  message.topic = topics[channel_chance_.below(2)];
  message.user = std::string{"u"}.append(
    std::to_string(channel_chance_.below(knobs_.users)));
  if (channel_chance_.one_in(6))
    message.delay_ms = 1 + channel_chance_.below(8000);
  const auto count = 1 + channel_chance_.below(4);
  for (std::uint32_t i = 0; i < count; ++i) {
    auto body = std::string{"m"}.append(std::to_string(++messages_sent_));
    if (channel_chance_.one_in(4))
      body.resize(body.size() + 150, '.');
    tell(attempted{body, topic_queue(message.topic), message.user});
    message.bodies.push_back(std::move(body));
  }
  auto bodies = message.bodies;
  ask(std::move(message),
      [this, bodies = std::move(bodies)](const depositd::published&) {
        for (const auto& body : bodies)
          tell(message_kept{body});
      });
}

void world::add_consumer() {
  const auto alive =
    std::count_if(workers_.begin(), workers_.end(), [](const auto& worker) {
      return !worker->gone && is_topic_queue(worker->queue);
    });
  if (alive >= consumers_max_)
    return publish_messages();
  auto who = std::make_shared<simulated_worker>();
  who->queue = channel_queue(topics[channel_chance_.below(2)],
                             channels[channel_chance_.below(3)]);
  who->slots = 1 + channel_chance_.below(4);
  who->lease_ms = 2000 + channel_chance_.below(8000);
  spawn_worker(std::move(who));
}

void world::crash_consumer() {
  std::vector<simulated_worker*> alive;
  for (const auto& worker : workers_)
    if (!worker->gone && is_topic_queue(worker->queue))
      alive.push_back(worker.get());
  if (alive.empty())
    return add_consumer();
  end_worker(*alive[channel_chance_.below(
    static_cast<std::uint32_t>(alive.size()))]);
}

void world::order_a_topic() {
  static constexpr topic_action actions[] = {
    topic_action::create,  topic_action::create, topic_action::pause,
    topic_action::pause,   topic_action::pause,  topic_action::unpause,
    topic_action::unpause, topic_action::empty,  topic_action::remove};
  order_topic what;
  what.topic = topics[channel_chance_.below(2)];
  if (!channel_chance_.one_in(3))
    what.channel = channels[channel_chance_.below(3)];
  what.what = actions[channel_chance_.below(9)];
  tell(topic_wanted{what.topic, what.channel, what.what});
  ask(std::move(what), [](const done&) {});
}

/// Nothing is paused any more, and each channel has somebody.
void world::consume_all() {
  for (const auto* topic : topics) {
    ask(order_topic{topic, "", topic_action::unpause}, [](const done&) {});
    for (const auto* channel : channels) {
      ask(order_topic{topic, channel, topic_action::unpause},
          [](const done&) {});
      auto who = std::make_shared<simulated_worker>();
      who->queue = channel_queue(topic, channel);
      who->slots = 1000;
      who->quick = true;
      spawn_worker(std::move(who));
    }
  }
  settle();
}

void world::attach_to_channel(simulated_processor::pointer self,
                              const std::shared_ptr<simulated_worker>& who) {
  who->looking = false;
  const auto via = way_in();
  if (!via)
    return look_later(self, *who);
  const auto place = topic_of_queue(who->queue);
  const std::string topic{place.topic};
  const auto again = [=, this](const caf::error&) { look_later(self, *who); };
  const auto open = [=, this] {
    self->request(via, std::chrono::minutes{1}, open_queue{who->queue})
      .then(
        [=, this](const queue_port_actor& x) {
          take_port(self, who, {shard_of(topic, knobs_.shards), x});
        },
        again);
  };
  if (!is_ephemeral(who->queue))
    return open();
  // As the door does: whoever comes knows that the channel is durable.
  self
    ->request(via, std::chrono::minutes{1},
              order_topic{topic, std::string{place.channel},
                          topic_action::create})
    .then([=](const done&) { open(); }, again);
}

} // namespace depositd::simulation
