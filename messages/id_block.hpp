#pragma once

// All messages that cross processes, by their numbers, as CAF is told of them.

#include "messages/actors.hpp"
#include "messages/cluster.hpp"
#include "messages/journal.hpp"
#include "messages/operators.hpp"
#include "messages/processors.hpp"
#include "messages/projection.hpp"
#include "messages/queue.hpp"
#include "messages/receiving.hpp"
#include "messages/records.hpp"
#include "messages/shard.hpp"
#include "messages/sources.hpp"
#include "messages/stores.hpp"
#include "messages/topics.hpp"
#include "messages/users.hpp"
#include "messages/work.hpp"

namespace depositd {

template <caf::type_id_t Number>
concept given = requires {
  typename numbered_message<Number>::type;
};

/// How many numbers are given without a hole, from this one on.
template <caf::type_id_t Number = 0>
consteval caf::type_id_t count_messages() {
  if constexpr (given<Number>)
    return 1 + count_messages<Number + 1>();
  else
    return 0;
}

template <caf::type_id_t... Numbers>
consteval bool none_given(std::integer_sequence<caf::type_id_t, Numbers...>) {
  return !(given<count_messages() + Numbers> || ...);
}

static_assert(none_given(std::make_integer_sequence<caf::type_id_t, 100>{}),
              "a number of a message was left out");

} // namespace depositd

namespace caf::id_block {

struct depositd {
  static constexpr type_id_t begin = first_custom_type_id;
  static constexpr type_id_t end = begin + ::depositd::count_messages();
};

} // namespace caf::id_block
