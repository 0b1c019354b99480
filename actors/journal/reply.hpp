#pragma once

// Answers that leave only after a commit: a handler takes the address of its
// request along, and the journal answers it.

#include "messages/answers.hpp"

#include <caf/response_promise.hpp>
#include <caf/result.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace depositd::journal {

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

/// An answer that leaves when `shares` appends are committed; `what` makes it
/// then.
inline std::shared_ptr<shared_reply>
share_reply(reply_address where, std::size_t shares,
            std::function<caf::message()> what) {
  auto out = std::make_shared<shared_reply>();
  out->where = std::move(where);
  out->what = std::move(what);
  out->shares = static_cast<std::uint32_t>(shares);
  return out;
}

} // namespace depositd::journal
