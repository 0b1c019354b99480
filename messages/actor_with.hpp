#pragma once

// The class of an actor that has a state.

#include <caf/stateful_actor.hpp>

namespace depositd {

/// An actor with this state, that answers what the state has as `interface`.
/// It is CAF's `stateful_actor` by a short name. CAF's repeats the whole
/// interface, thousands of characters that would be in the name of each
/// function and each lambda which has the actor among its arguments: names were
/// half of what compilers wrote (docs/decisions/0061).
template <class State>
class actor_with final
  : public State::interface::template stateful_base<State> {
  using base = typename State::interface::template stateful_base<State>;

public:
  using base::base;
};

} // namespace depositd
