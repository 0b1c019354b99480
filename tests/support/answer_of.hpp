#pragma once

// Asks an actor and hands on what it says, whatever that is. CAF's `request`
// makes some fifty functions of each pair of question and answer; this makes
// two, so that a test program compiles in half of the time.

#include <caf/actor_cast.hpp>
#include <caf/blocking_actor.hpp>
#include <caf/detail/blocking_behavior.hpp>
#include <caf/error.hpp>
#include <caf/make_message.hpp>
#include <caf/scoped_actor.hpp>

#include <utility>

namespace depositd::testing {

/// A question that `self` has asked.
inline caf::message_id ask_whole(caf::scoped_actor& self,
                                 const caf::strong_actor_ptr& whom,
                                 caf::message question) {
  const auto id = self->new_request_id(caf::message_priority::normal);
  whom->enqueue(self->ctrl(), id, std::move(question), self->context());
  return id.response_id();
}

/// Its answer; waits for it. What else came stays in the mailbox.
inline caf::message take_whole(caf::scoped_actor& self, caf::message_id id) {
  struct whatever : caf::detail::blocking_behavior {
    using blocking_behavior::blocking_behavior;
    caf::result<caf::message> fallback(caf::message_view& x) override {
      said = x.move_content_to_message();
      return caf::message{};
    }
    caf::message said;
  };
  caf::behavior nothing;
  whatever handler{nothing};
  caf::blocking_actor::accept_one_cond once;
  self->receive_impl(once, id, handler);
  return std::move(handler.said);
}

/// The answer as what it should be. An error if it is one, and
/// `caf::sec::unexpected_response` if it is something else.
template <class T>
caf::expected<T> unwrap(caf::message said) {
  if (said.match_elements<T>())
    return std::move(said.get_mutable_as<T>(0));
  if (said.match_elements<caf::error>())
    return std::move(said.get_mutable_as<caf::error>(0));
  return caf::make_error(caf::sec::unexpected_response);
}

} // namespace depositd::testing
