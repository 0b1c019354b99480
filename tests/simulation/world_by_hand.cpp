// What operators do to sources by hand: they feed records that they have
// edited, try what a source would bring, and give it to another scheduler.

#include "messages/sources.hpp"
#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"
#include "tests/simulation/world_question.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace depositd::simulation {

namespace {

constexpr const char* fed_scheduler = "puller";
constexpr const char* fed_queue = "pulled";

bool has_come(const history& told, const std::string& body) {
  return std::any_of(
    told.entries.begin(), told.entries.end(), [&](const entry& x) {
      const auto* record = std::get_if<journalled>(&x.what);
      const auto* item = record == nullptr
                           ? nullptr
                           : std::get_if<item_enqueued>(&record->what);
      return item != nullptr && item->body == body;
    });
}

} // namespace

void world::step_by_hand() {
  shards_actor shards;
  if (!is_shared() && engine_)
    shards = engine_->core.shard;
  else if (const auto* engine = is_shared() ? some_engine() : nullptr)
    shards = engine->router;
  else
    return; // nobody is reached
  auto& any = hand_chance_;
  if (any.one_in(4))
    return move_source();
  const auto source
    = std::string{"s"}.append(std::to_string(any.below(knobs_.pulls)));
  if (any.one_in(3))
    return question<source_tested>(
      "test_source", shards,
      test_source{fed_scheduler, source, 1 + any.below(5)}, not_judged);
  feed_some(shards, source);
}

/// Under keys that were fed before, too: each is a new item.
void world::feed_some(const shards_actor& to, const std::string& source) {
  auto& any = hand_chance_;
  feed_by_hand what{fed_scheduler, source, {}};
  std::vector<std::string> bodies;
  const auto count = 1 + any.below(3);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto user = std::string{"u"}.append(
      std::to_string(any.below(knobs_.users)));
    bodies.push_back(hand_fed + std::to_string(++fed_));
    tell(attempted{bodies.back(), fed_queue, user});
    what.records.push_back({std::string{"h"}.append(
                              std::to_string(any.below(3))),
                            user, bodies.back(), ""});
  }
  question<fed_by_hand>(
    "feed_by_hand", to, std::move(what), [=, this](const fed_by_hand& x) {
      if (x.fed + x.bad.size() != bodies.size())
        tell(left_over{"some that were fed by hand are not answered for"});
      for (const auto& body : bodies)
        if (x.bad.empty() && !has_come(told_, body))
          tell(left_over{body + " was fed, and is not there"});
    });
}

} // namespace depositd::simulation
