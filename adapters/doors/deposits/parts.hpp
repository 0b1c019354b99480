#pragma once

// Inside the door: what its parts do for each other.

#include "adapters/doors/deposits/answers.hpp"
#include "adapters/doors/deposits/door.hpp"
#include "messages/actor_with.hpp"

#include <string>

namespace depositd::deposits {

using door_pointer = actor_with<door_state>*;

/// Null: nobody is logged in. Valid until the next call.
const kit::session* session_of(door_pointer self, const pass& shown);

inline http::response answer_of(door_pointer self, const caf::error& why) {
  return error_answer(why, self->state.options.retry_after_s);
}

// What the messages of the door ask for.
void log_in(door_pointer self, const log_in_request& given);
void show(door_pointer self, const page_request& given);
void look_ahead(door_pointer self, const file_begun& given);
void take_upload(door_pointer self, const upload_request& given);

// What a user who is logged in asks for.
void list_own(door_pointer self, const page_request& given,
              const std::string& user);
void show_one(door_pointer self, const page_request& given,
              const std::string& user);
void tell_place(door_pointer self, const page_request& given,
                const std::string& user);

} // namespace depositd::deposits
