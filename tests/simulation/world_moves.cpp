// Operators move what queues hold to other queues, in the same shard or not.

#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"

namespace depositd::simulation {

/// Random ones would make no two lives the same.
std::string world::next_reference() {
  const auto digits = std::to_string(++references_);
  return std::string(32 - digits.size(), '0') + digits;
}

void world::move_a_queue() {
  const auto from = move_chance_.below(3);
  const auto to = (from + 1 + move_chance_.below(2)) % 3;
  const move_queue wish{queue_names[from], queue_names[to], {}};
  tell(move_wanted{wish.from, wish.to});
  ask(wish, [this](const move_begun& x) { tell(move_promised{x.reference}); });
}

} // namespace depositd::simulation
