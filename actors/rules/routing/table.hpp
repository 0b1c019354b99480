#pragma once

// Where every request goes that a shard, or a read model, answers: one row for
// each. A message that stays with one user or one queue needs its name, its
// destination, and whether it may be repeated; one that is about more needs to
// say how the answers become one. Messages are but names here.

#include "actors/rules/routing/destinations.hpp"
#include "actors/rules/routing/joins.hpp"

#include <cstdint>

namespace depositd {

struct count_pending;
struct count_queue;
struct settle_items;
struct enqueue;
struct explain_item;
struct renew_items;
struct ingest;
struct list_queues;
struct list_users;
struct open_ports;
struct park_matching;
struct peek_items;
struct purge_queue;
struct record_submission;
struct release_queue;
struct reserve_id;
struct submission_query;
struct submit;

namespace rules::routing {

/// What may be done with a request that was sent and not answered.
enum class repeats : std::uint8_t { never, harmless };

template <class To, class Join = decltype(nothing)>
struct route {
  To to;
  repeats may = repeats::never;
  Join join = {};
  bool makes_queue = false;    ///< one that is new comes into being first
  bool while_draining = false; ///< answered even then
};

/// Nothing is said of the message.
struct no_route {};

template <class Request>
inline constexpr auto row = no_route{};

// -- what comes in ------------------------------------------------------------

/// What was sent and not answered may be in a journal.
template <>
inline constexpr auto row<enqueue> = route{
  .to = to_queue_or(to_users_of_items),
  .join = ids_in_place,
  .makes_queue = true,
};

template <>
inline constexpr auto row<submit> = route{.to = to_user};

template <>
inline constexpr auto row<record_submission> = route{.to = to_user};

template <>
inline constexpr auto row<reserve_id> =
  route{.to = to_user, .may = repeats::harmless};

template <>
inline constexpr auto row<count_pending> =
  route{.to = to_user, .may = repeats::harmless};

/// A shard skips what it has applied.
template <>
inline constexpr auto row<ingest> = route{
  .to = to_users_of_records,
  .may = repeats::harmless,
  .join = sum_of_records,
};

template <>
inline constexpr auto row<open_ports> = route{
  .to = to_shards_of_queue,
  .may = repeats::harmless,
  .join = all_doors,
  .makes_queue = true,
};

// -- doors whose workers poll -------------------------------------------------

template <>
inline constexpr auto row<settle_items> =
  route{.to = to_queue_or(to_named_items), .join = ends_in_place};

template <>
inline constexpr auto row<renew_items> =
  route{.to = to_queue_or(to_named_items), .may = repeats::harmless};

template <>
inline constexpr auto row<release_queue> =
  route{.to = to_queue_or(to_all), .may = repeats::harmless};

template <>
inline constexpr auto row<count_queue> = route{
  .to = to_queue_or(to_all),
  .may = repeats::harmless,
  .join = sum_of_items,
};

template <>
inline constexpr auto row<purge_queue> =
  route{.to = to_queue_or(to_all), .may = repeats::harmless};

// -- what operators ask -------------------------------------------------------

template <>
inline constexpr auto row<park_matching> =
  route{.to = to_matching, .join = sum_of_matches};

template <>
inline constexpr auto row<explain_item> =
  route{.to = to_user, .may = repeats::harmless};

template <>
inline constexpr auto row<list_queues> = route{
  .to = to_all,
  .may = repeats::harmless,
  .join = queues_together,
  .while_draining = true,
};

template <>
inline constexpr auto row<list_users> = route{
  .to = to_all,
  .may = repeats::harmless,
  .join = users_together,
  .while_draining = true,
};

// -- the read model -----------------------------------------------------------

template <>
inline constexpr auto row<submission_query> = route{
  .to = to_submission,
  .may = repeats::harmless,
  .join = submissions_by_time,
};

/// Whether the queue is in one shard or in all: those that have nothing of it
/// say so quickly.
template <>
inline constexpr auto row<peek_items> =
  route{.to = to_all, .may = repeats::harmless, .join = items_in_turn};

} // namespace rules::routing

} // namespace depositd
