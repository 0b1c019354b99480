#pragma once

// Inside the door: what its parts do for each other.

#include "adapters/doors/poster/answers.hpp"
#include "adapters/doors/poster/door.hpp"
#include "messages/actor_with.hpp"

#include <functional>
#include <string>

namespace depositd::poster {

using door_pointer = actor_with<door_state>*;

/// Whoever waits for a login; `refuse` gets the answer.
struct login_waiter {
  std::function<void(const std::string& user)> use;
  std::function<void(http::response)> refuse;
};

/// Goes on with `use` if the login is right.
void with_login(door_pointer self, const accounts::credentials& who,
                const std::string& peer, login_waiter then);

inline http::response answer_of(door_pointer self, const caf::error& why) {
  return error_answer(why, self->state.options.retry_after_s);
}

/// Whether the user may make one more request to the pipeline; if so, it
/// counts.
bool within_quota(door_pointer self, const std::string& pipeline,
                  const std::string& user);

http::response over_quota();

// What the messages of the door ask for.
void take_submission(door_pointer self, const submit_request& given);
void look_ahead(door_pointer self, const submit_begun& given);
void find_document(door_pointer self, const document_request& given);
void take_order(door_pointer self, const order_request& given);

} // namespace depositd::poster
