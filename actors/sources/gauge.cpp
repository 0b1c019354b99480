#include "actors/sources/gauge.hpp"

#include <chrono>
#include <utility>

namespace depositd::sources {

namespace {

caf::result<gauge_read> read_left(gauge_state& state, const read_gauge& x) {
  if (!state.gauge) {
    auto made = state.options.make_gauge();
    if (!made)
      return std::move(made.error());
    state.gauge = std::move(*made);
  }
  const auto left = state.gauge->left(std::chrono::milliseconds{x.timeout_ms});
  if (!left)
    return left.error();
  return gauge_read{*left};
}

} // namespace

gauge_actor::behavior_type gauge(actor_with<gauge_state>* self,
                                 gauge_options options) {
  self->state.options = std::move(options);
  return {
    [=](const read_gauge& x) { return read_left(self->state, x); },
  };
}

} // namespace depositd::sources
