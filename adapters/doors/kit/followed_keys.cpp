#include "adapters/doors/kit/followed_keys.hpp"

#include "messages/receiving.hpp"
#include "messages/shard.hpp"
#include "messages/values/clock.hpp"

#include <caf/scoped_actor.hpp>

#include <chrono>
#include <utility>

namespace depositd::kit {

namespace {

/// For the first answer: the shard may still be reading its journal.
constexpr std::chrono::seconds first_patience{30};

} // namespace

caf::error followed_keys::learn(caf::actor_system& system,
                                const control_source_actor& source,
                                const gateway& asked) {
  caf::scoped_actor self{system};
  caf::error out;
  self->request(source, first_patience, watch_control{asked.self()})
    .receive(
      [&](const control_changed& x) {
        // News that came before are newer.
        std::shared_ptr<const key_ring> none;
        ring_.compare_exchange_strong(
          none, std::make_shared<const key_ring>(x.state, anonymous_));
      },
      [&](caf::error& why) { out = std::move(why); });
  return out;
}

void followed_keys::take(core_answer news) {
  auto* changed = news.as<control_changed>();
  if (!changed)
    return;
  const auto before = ring_.load();
  ring_.store(std::make_shared<const key_ring>(std::move(changed->state),
                                               anonymous_, before.get()));
}

void note_use(const api_key& key, gateway& asked,
              const shard_receiving_actor& engine) {
  const auto now = engine_clock::system().now();
  if (engine && key.is_news(now))
    asked.ask(engine, note_key_use{key.id, now}, [](core_answer) {
      // Kept or not: it is told again in an hour.
    });
}

} // namespace depositd::kit
