// What is over leaves the read model when it is old enough, while all else goes
// on: nothing that is not over goes with it.

#include "messages/projection.hpp"
#include "tests/simulation/world.hpp"
#include "tests/simulation/world_ask.hpp"

#include <limits>
#include <memory>

namespace depositd::simulation {

void world::step_of_ages() {
  if (age_chance_.one_in(3))
    return send_deposit();
  if (age_chance_.one_in(3)) // most of it is old then
    return let_time_pass(std::chrono::milliseconds{
      1 + age_chance_.below(1'000 * knobs_.kept_s)});
  if (!is_shared() && engine_)
    ask_for_lists(engine_->core.projector);
}

/// At the end everything is over.
void world::list_aged() {
  constexpr int patience = 30; // an end may be written a minute late
  read_model_actor reads;
  if (!is_shared())
    reads = engine_->core.projector;
  else if (const auto* engine = some_engine())
    reads = engine->reader;
  auto left = std::make_shared<std::size_t>(0);
  submission_query all;
  all.count_max = std::numeric_limits<std::uint32_t>::max();
  all.with_documents = false;
  for (int i = 0; i < patience; ++i) {
    *left = std::numeric_limits<std::size_t>::max();
    caf::anon_send(outside_, act{[=](caf::event_based_actor* self) {
                     self->request(reads, std::chrono::minutes{1}, all)
                       .then([=](const submissions_found& x) {
                         *left = x.rows.size();
                       },
                             [](const caf::error&) { /* asked again */ });
                   }});
    settle();
    if (*left == 0)
      return;
    let_time_pass(10s);
  }
  tell(left_over{std::to_string(*left)
                 + " submissions that are older than anything is kept"});
}

} // namespace depositd::simulation
