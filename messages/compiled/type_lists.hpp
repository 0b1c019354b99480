#pragma once

// Whether one list of types is within another, as CAF asks whenever a handle of
// an actor becomes one with fewer messages. Its own way makes a type for each
// pair that it compares: a third of the time of what connects many actors.

#include <caf/detail/type_list.hpp>

#include <type_traits>

namespace caf {
namespace detail {

template <class X, class... Ts>
inline constexpr bool is_among = (std::is_same_v<X, Ts> || ...);

template <class T0, class T1, class... Ts, class U0, class U1, class... Us>
struct tl_subset_of<type_list<T0, T1, Ts...>, type_list<U0, U1, Us...>, true>
  : std::bool_constant<is_among<T0, U0, U1, Us...>  //
                       && is_among<T1, U0, U1, Us...>
                       && (is_among<Ts, U0, U1, Us...> && ...)> {};

} // namespace detail
} // namespace caf
