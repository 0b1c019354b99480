#pragma once

// What makes a struct a message, said once behind it:
//
//   DEPOSITD_MESSAGE(7, detach, processor);  may cross to another process
//   DEPOSITD_LOCAL(append);                  never leaves the process
//
// Numbers are this process's own and have no holes; a new message takes the
// next. Other processes know a message by its name and its fields' order.

#include "messages/compiled/type_lists.hpp"
#include "messages/values/fields.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/detail/stringification_inspector.hpp>
#include <caf/error.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/make_message.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/type_id.hpp>

#include <type_traits>
#include <utility>

namespace depositd {

/// Number and name of a message type; only those that cross processes have one.
template <class T>
struct message_traits;

/// The type that has a number.
template <caf::type_id_t Number>
struct numbered_message;

template <class T>
inline constexpr bool stays_in_process = false;

/// What CAF makes of it (its place in a mailbox, copies, texts and bytes) is
/// compiled in messages/compiled/, where the functions below are. In each
/// source that sends it, that took two fifths of a build.
template <class T>
inline constexpr bool compiled_once = false;

template <>
inline constexpr bool compiled_once<caf::error> = true;

template <class T>
caf::mailbox_element_ptr
in_mailbox(caf::strong_actor_ptr&& sender, caf::message_id,
           caf::mailbox_element::forwarding_stack&&, T&&);

template <class T>
caf::message as_message(T&&);

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
  };                                                                           \
  DEPOSITD_COMPILED_ONCE(message)

/// A message with its number and its fields in the order of the wire.
/// As text it is its name: CAF only asks for it in an error about a message
/// that nobody understood, and texts of all fields took a third of all.
#define DEPOSITD_MESSAGE(id, message, ...)                                     \
  template <class Inspector>                                                   \
  [[gnu::noinline]] typename Inspector::result_type inspect(                   \
    Inspector& f, [[maybe_unused]] message& x) {                               \
    return f(__VA_OPT__(DEPOSITD_SCAN(DEPOSITD_EACH(__VA_ARGS__))));           \
  }                                                                            \
  inline void inspect(caf::detail::stringification_inspector& f, message&) {   \
    f.traverse(caf::meta::type_name("depositd::" #message));                   \
  }                                                                            \
  DEPOSITD_NUMBER(id, message)

/// A message that CAF never serializes: it carries promises to answer, shared
/// bodies or snapshots, or nobody elsewhere wants it.
#define DEPOSITD_LOCAL(message)                                                \
  template <>                                                                  \
  inline constexpr bool stays_in_process<message> = true;                      \
  DEPOSITD_COMPILED_ONCE(message)

/// What CAF makes of a message is compiled in messages/compiled/ alone. Stands
/// in `namespace depositd`.
#define DEPOSITD_COMPILED_ONCE(type)                                           \
  template <>                                                                  \
  inline constexpr bool compiled_once<type> = true;                            \
  DEPOSITD_COMPILED_HERE(type)

/// Nothing, but in messages/compiled/.
#define DEPOSITD_COMPILED_HERE(type) static_assert(true)

namespace caf {

/// Preferred to CAF's own, which take any number of values.
template <class T>
requires depositd::compiled_once<std::remove_cvref_t<T>>
message make_message(T&& x) {
  return depositd::as_message(std::remove_cvref_t<T>(std::forward<T>(x)));
}

template <class T>
requires depositd::compiled_once<std::remove_cvref_t<T>>
mailbox_element_ptr
make_mailbox_element(strong_actor_ptr sender, message_id id,
                     mailbox_element::forwarding_stack stages, T&& x) {
  return depositd::in_mailbox(std::move(sender), id, std::move(stages),
                              std::remove_cvref_t<T>(std::forward<T>(x)));
}

} // namespace caf

namespace depositd {

using caf::make_message; // CAF looks for it where the message is

} // namespace depositd

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
