#pragma once

// What makes a struct a message, said once behind it:
//
//   DEPOSITD_MESSAGE(7, detach, processor);  may cross to another process
//   DEPOSITD_LOCAL(append);                  never leaves the process
//
// Numbers are this process's own and have no holes; a new message takes the
// next. Other processes know a message by its name and its fields' order.

#include "messages/values/fields.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/detail/tuple_vals.hpp>
#include <caf/detail/type_erased_value_impl.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/type_id.hpp>

#include <type_traits>

namespace depositd {

/// Number and name of a message type; only those that cross processes have one.
template <class T>
struct message_traits;

/// The type that has a number.
template <caf::type_id_t Number>
struct numbered_message;

template <class T>
inline constexpr bool stays_in_process = false;

} // namespace depositd

/// A handle, or a message whose `inspect` is written by hand or stands with a
/// value type. The same number twice does not compile.
#define DEPOSITD_NUMBER(id, message)                                           \
  template <>                                                                  \
  struct message_traits<message> {                                             \
    static constexpr caf::type_id_t number = id;                               \
    static constexpr const char* name = "depositd::" #message;                 \
  };                                                                           \
  template <>                                                                  \
  struct numbered_message<id> {                                                \
    using type = message;                                                      \
  }

/// A message with its number and its fields in the order of the wire.
#define DEPOSITD_MESSAGE(id, message, ...)                                     \
  DEPOSITD_FIELDS(message __VA_OPT__(, ) __VA_ARGS__);                         \
  DEPOSITD_NUMBER(id, message);                                                \
  DEPOSITD_COMPILED_ONCE(message)

/// A message that CAF never serializes: it carries promises to answer, shared
/// bodies or snapshots, or nobody elsewhere wants it.
#define DEPOSITD_LOCAL(message)                                                \
  template <>                                                                  \
  inline constexpr bool stays_in_process<message> = true;                      \
  DEPOSITD_COMPILED_ONCE(message)

/// What CAF makes of a message (its place in a mailbox, its copies, texts and
/// bytes) is compiled in messages/compiled/ alone. In each source that sends
/// it, that took two fifths of a build. Stands in `namespace depositd`, and
/// leaves it: only from outside can CAF's templates be named.
#define DEPOSITD_COMPILED_ONCE(type)                                           \
  } /* namespace depositd */                                                   \
  DEPOSITD_ELSEWHERE template class caf::detail::tuple_vals_impl<              \
    caf::detail::message_data, depositd::type>;                                \
  DEPOSITD_ELSEWHERE template class caf::detail::tuple_vals_impl<              \
    caf::type_erased_tuple, depositd::type>;                                   \
  DEPOSITD_ELSEWHERE template class caf::detail::tuple_vals<                   \
    depositd::type>;                                                           \
  DEPOSITD_ELSEWHERE template caf::message                                     \
  caf::mailbox_element_vals<depositd::type>::move_content_to_message();        \
  DEPOSITD_ELSEWHERE template caf::message                                     \
  caf::mailbox_element_vals<depositd::type>::copy_content_to_message()         \
    const;                                                                     \
  DEPOSITD_ELSEWHERE template class caf::detail::type_erased_value_impl<       \
    depositd::type>;                                                           \
  namespace depositd {                                                         \
  static_assert(true)

/// Nothing in messages/compiled/, where messages are compiled.
#define DEPOSITD_ELSEWHERE extern

namespace caf {

template <class T>
requires requires {
  depositd::message_traits<T>::number;
}
struct type_id<T> {
  static constexpr type_id_t value =
    first_custom_type_id + depositd::message_traits<T>::number;
};

template <type_id_t Id>
requires(Id >= first_custom_type_id) struct type_by_id<Id>
  : depositd::numbered_message<Id - first_custom_type_id> {
};

template <class T>
requires requires {
  depositd::message_traits<T>::name;
}
struct type_name<T> {
  static constexpr const char* value = depositd::message_traits<T>::name;
};

template <type_id_t Id>
requires(Id >= first_custom_type_id) struct type_name_by_id<Id>
  : type_name<typename type_by_id<Id>::type> {
};

template <class T>
requires depositd::stays_in_process<T>
struct allowed_unsafe_message_type<T> : std::true_type {
};

} // namespace caf

namespace depositd {

/// Answer to commands that have nothing else to say: it is done and durable.
struct done {};
DEPOSITD_MESSAGE(3, done);

} // namespace depositd
