#pragma once

// Compiles what CAF makes of the messages whose headers are included after this
// one, for all who send them (messages/message.hpp). CAF's own templates make
// a hundred functions of a type; these make a dozen, and held.cpp has the rest.

#include "messages/compiled/held.hpp"
#include "messages/compiled/values.hpp"
#include "messages/message.hpp"

#include <caf/deserializer.hpp>
#include <caf/sec.hpp>
#include <caf/serializer.hpp>

#include <cstddef>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

namespace depositd {

template <class T>
const message_kind& kind_of() {
  static_assert(alignof(T) <= alignof(std::max_align_t));
  static_assert(std::is_nothrow_move_constructible_v<T>);
  static const message_kind kind{
    caf::make_rtti_pair<T>(),
    caf::make_type_token<T>(),
    sizeof(T),
    [](void* to, const void* from) {
      ::new (to) T(*static_cast<const T*>(from));
    },
    [](void* to, void* from) {
      ::new (to) T(std::move(*static_cast<T*>(from)));
    },
    [](void* x) { static_cast<T*>(x)->~T(); },
    [](const void* x) {
      return caf::deep_to_string(*static_cast<const T*>(x));
    },
    [](caf::serializer& sink, void* x) -> caf::error {
      if constexpr (stays_in_process<T>)
        return caf::make_error(caf::sec::unknown_type);
      else
        return sink(*static_cast<T*>(x));
    },
    [](caf::deserializer& source, void* x) -> caf::error {
      if constexpr (stays_in_process<T>)
        return caf::make_error(caf::sec::unknown_type);
      else
        return source(*static_cast<T*>(x));
    },
  };
  return kind;
}

template <class T>
caf::mailbox_element_ptr
in_mailbox(caf::strong_actor_ptr&& sender, caf::message_id id,
           caf::mailbox_element::forwarding_stack&& stages, T&& x) {
  return hold_in_mailbox(kind_of<T>(), &x, std::move(sender), id,
                         std::move(stages));
}

template <class T>
caf::message as_message(T&& x) {
  return hold_in_message(kind_of<T>(), &x);
}

template <class T>
caf::type_erased_value_ptr make_value() {
  T x{};
  return hold_as_element(kind_of<T>(), &x);
}

} // namespace depositd

#undef DEPOSITD_COMPILED_HERE
#define DEPOSITD_COMPILED_HERE(type)                                           \
  template caf::mailbox_element_ptr in_mailbox<type>(                          \
    caf::strong_actor_ptr&&, caf::message_id,                                  \
    caf::mailbox_element::forwarding_stack&&, type&&);                         \
  template caf::message as_message<type>(type&&);                              \
  template caf::type_erased_value_ptr make_value<type>()
