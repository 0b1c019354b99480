#pragma once

// A handler that a test moves by hand.

#include "actors/journal/reply.hpp"
#include "messages/actors.hpp"
#include "messages/processors.hpp"

#include <deque>
#include <memory>

namespace depositd::testing {

/// What handlers were asked to do and have not answered yet.
struct bench {
  struct task {
    handle_item asked;
    caf::strong_actor_ptr slot;
    handler_actor handler;
    reply_address where;
  };
  std::deque<task> tasks;
};

inline handler_actor::behavior_type
patient_handler(handler_actor::pointer self, std::shared_ptr<bench> to) {
  return {
    [=](const handle_item& x) -> caf::result<outcome> {
      const auto slot = self->current_sender();
      to->tasks.push_back({x, slot, self, journal::take_reply(self)});
      return journal::answered_later<outcome>();
    },
  };
}

} // namespace depositd::testing
