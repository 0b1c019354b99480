#pragma once

// Answers that leave only after a commit: a handler takes the address of its
// request along, and the journal answers it.

#include "messages/local.hpp"

#include <caf/response_promise.hpp>
#include <caf/result.hpp>

#include <utility>

namespace depositd {

/// Takes over the duty to answer the current request of `self`.
template <class Self>
reply_address take_reply(Self* self) {
  auto promise = self->make_response_promise();
  return {promise.next(), promise.id()};
}

/// What a handler returns after `take_reply`.
template <class T>
caf::result<T> answered_later() {
  return caf::delegated<T>{};
}

/// Answers a request from whatever actor or thread. Without an address (the
/// message was no request) nothing is sent.
inline void answer(const reply_address& where, caf::message what,
                   const caf::strong_actor_ptr& from = nullptr,
                   caf::execution_unit* context = nullptr) {
  if (where.to && where.id.is_request())
    where.to->enqueue(from, where.id.response_id(), std::move(what), context);
}

inline void answer(const reply_address& where, caf::error why) {
  answer(where, caf::make_message(std::move(why)));
}

} // namespace depositd
