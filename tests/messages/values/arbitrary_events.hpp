#pragma once

// Random values of every event for rapidcheck, made through the same `inspect`
// that the codec uses: a new field is covered the day it is added.

#include "messages/values/events.hpp"

#include <rapidcheck.h>

#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace depositd::testing {

template <class T>
constexpr bool carries_body =
  std::is_same_v<T, item_enqueued> || std::is_same_v<T, body_compacted>;

// -- the last value of each enumeration that events hold

inline queue_kind last(queue_kind) {
  return queue_kind::outbox;
}

inline priority_mode last(priority_mode) {
  return priority_mode::across_users;
}

inline dedup_mode last(dedup_mode) {
  return dedup_mode::while_pending;
}

inline body_kind last(body_kind) {
  return body_kind::blob;
}

inline pick_kind last(pick_kind) {
  return pick_kind::required;
}

inline queue_right last(queue_right) {
  return queue_right::any;
}

inline operator_role last(operator_role) {
  return operator_role::node;
}

inline move_status last(move_status) {
  return move_status::error;
}

inline ending last(ending) {
  return ending::collapsed;
}

inline job_state last(job_state) {
  return job_state::deleted;
}

inline batch_state last(batch_state) {
  return batch_state::deleted;
}

inline job_type last(job_type) {
  return job_type::manifest;
}

inline handler_kind last(handler_kind) {
  return handler_kind::external;
}

inline notices last(notices) {
  return notices::none;
}

inline source_kind last(source_kind) {
  return source_kind::exec;
}

inline fair_by last(fair_by) {
  return fair_by::seconds;
}

/// Fills fields with what rapidcheck draws; numbers often lie at the borders.
class arbitrary_filler {
public:
  using result_type = void;

  template <class... Ts>
  void operator()(Ts&... xs) {
    (fill(xs), ...);
  }

  void fill(std::string& x) {
    x = *rc::gen::arbitrary<std::string>();
  }

  void fill(bool& x) {
    x = *rc::gen::arbitrary<bool>();
  }

  template <class T>
  void fill(std::vector<T>& xs) {
    xs.resize(*rc::gen::inRange<std::size_t>(0, 4));
    for (auto& x : xs)
      fill(x);
  }

  template <class T>
  void fill(T& x) {
    if constexpr (std::is_enum_v<T>)
      x = static_cast<T>(
        *rc::gen::inRange<int>(0, static_cast<int>(last(T{})) + 1));
    else if constexpr (std::is_integral_v<T>)
      x = *rc::gen::oneOf(rc::gen::arbitrary<T>(),
                          rc::gen::element<T>(0, 1, 127,
                                              std::numeric_limits<T>::min(),
                                              std::numeric_limits<T>::max()));
    else
      inspect(*this, x);
  }
};

template <std::size_t I>
event draw_event_of_kind() {
  using type = std::variant_alternative_t<I, event_kinds>;
  type out;
  arbitrary_filler filler;
  inspect(filler, out);
  if constexpr (carries_body<type>)
    filler.fill(out.body);
  else if constexpr (std::is_same_v<type, item_copied>)
    out.of = 0; // else of an item of its own record
  return out;
}

/// Draws an event of the kind with this index.
inline event draw_event(std::size_t kind) {
  return []<std::size_t... Is>(std::size_t sought, std::index_sequence<Is...>) {
    event out;
    ((sought == Is && (out = draw_event_of_kind<Is>(), true)) || ...);
    return out;
  }
  (kind, std::make_index_sequence<std::variant_size_v<event_kinds>>{});
}

inline record draw_record() {
  record out;
  out.user = *rc::gen::arbitrary<std::string>();
  const auto kinds = *rc::gen::resize(
    6, rc::gen::container<std::vector<std::size_t>>(
         rc::gen::inRange<std::size_t>(0, std::variant_size_v<event_kinds>)));
  for (const auto kind : kinds)
    out.events.push_back(draw_event(kind));
  return out;
}

} // namespace depositd::testing
