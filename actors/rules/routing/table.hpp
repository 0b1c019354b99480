#pragma once

// Where every request goes that shards, or their read models, answer: one row
// for each. Messages are but names here.

#include "actors/rules/routing/destinations.hpp"
#include "actors/rules/routing/joins.hpp"

#include <cstdint>

namespace depositd {

// clang-format off
struct carry_items; struct count_pending; struct count_queue; struct enqueue;
struct explain_item; struct ingest; struct list_queues; struct list_users;
struct open_ports; struct park_matching; struct peek_items; struct purge_queue;
struct release_queue; struct renew_items; struct settle_items;
struct submission_query; struct submit;
struct batch_query; struct forget_batches; struct job_query; struct order_batch;
struct order_job; struct order_jobs; struct submit_batch; struct wake_items;
struct cancel_deposit; struct cancel_matching; struct publish;
struct order_topic; struct note_consumers; struct list_topics;
struct feed_records; struct measure_queue; struct count_records;
struct look_up_record; struct report_schedulers; struct find_record;
struct explain_strategy; struct test_source; struct feed_by_hand;
struct failed_query; struct show_rings; struct forget_submissions;
// clang-format on

namespace rules::routing {

/// What may be done with a request that was sent and not answered.
enum class repeats : std::uint8_t { never, harmless };

/// What else there is to a request.
enum class more : std::uint8_t {
  nothing,
  makes_queue,    ///< one that is new comes into being first
  while_draining, ///< it is answered even then
};

template <class To, class Join = decltype(nothing_to_join)>
struct route {
  To to;
  repeats may = repeats::never;
  Join join = {};
  more also = more::nothing;
};

/// Nothing is said of the message.
struct no_route {};

template <class Request>
inline constexpr auto row = no_route{};

using enum repeats;
using enum more;

// clang-format off

// What comes in. What was sent and not answered may be in a journal; of records
// a shard skips what it has applied.
template <> inline constexpr auto row<enqueue>
  = route{to_places_of_items, never, ids_in_place, makes_queue};
template <> inline constexpr auto row<submit> = route{to_user, never};
template <> inline constexpr auto row<count_pending>
  = route{to_user_in_queue, harmless};
template <> inline constexpr auto row<ingest>
  = route{to_users_of_records, harmless, sum_of_records};
template <> inline constexpr auto row<open_ports>
  = route{to_shards_of_queue, harmless, all_ports, makes_queue};

// Batches and jobs are where their user is.
template <> inline constexpr auto row<submit_batch> = route{to_user, never};
template <> inline constexpr auto row<order_job> = route{to_user, never};
template <> inline constexpr auto row<order_batch> = route{to_user, never};
template <> inline constexpr auto row<order_jobs>
  = route{to_user_or_all, harmless, sum_of_orders};
template <> inline constexpr auto row<forget_batches>
  = route{to_user_or_all, harmless, sum_of_matches};
template <> inline constexpr auto row<wake_items> = route{to_user, harmless};

// Moves between shards. What has arrived is skipped.
template <> inline constexpr auto row<carry_items> = route{to_queue, harmless};

// Receiving doors.
template <> inline constexpr auto row<settle_items>
  = route{to_queue_or(to_named_items), never, ends_in_place};
template <> inline constexpr auto row<renew_items>
  = route{to_queue_or(to_named_items), harmless};
template <> inline constexpr auto row<release_queue>
  = route{to_all_of_queue, harmless};
template <> inline constexpr auto row<count_queue>
  = route{to_all_of_queue, harmless, sum_of_items};
template <> inline constexpr auto row<purge_queue>
  = route{to_all_of_queue, harmless};

// Topics, each in the shard of its name.
template <> inline constexpr auto row<publish> = route{to_topic, never};
template <> inline constexpr auto row<order_topic> = route{to_topic, never};
template <> inline constexpr auto row<note_consumers> = route{to_topic, never};
template <> inline constexpr auto row<list_topics>
  = route{to_topic, harmless, topics_together, while_draining};

// Records of sources: where their queue is, of which what has come is known.
template <> inline constexpr auto row<feed_records>
  = route{to_queue, harmless, nothing_to_join, makes_queue};
template <> inline constexpr auto row<measure_queue>
  = route{to_queue, harmless};
template <> inline constexpr auto row<count_records>
  = route{to_queue, harmless};
template <> inline constexpr auto row<look_up_record>
  = route{to_queue, harmless};
template <> inline constexpr auto row<failed_query>
  = route{to_queue, harmless};

// Schedulers, each in the shard of its name.
template <> inline constexpr auto row<report_schedulers>
  = route{to_scheduler, harmless, schedulers_together, while_draining};
template <> inline constexpr auto row<find_record>
  = route{to_scheduler, harmless};
template <> inline constexpr auto row<explain_strategy>
  = route{to_scheduler, harmless};
template <> inline constexpr auto row<test_source>
  = route{to_scheduler, harmless};
template <> inline constexpr auto row<feed_by_hand>
  = route{to_scheduler, never};

// What operators ask.
template <> inline constexpr auto row<park_matching>
  = route{to_matching, never, sum_of_matches};
template <> inline constexpr auto row<cancel_deposit> = route{to_user, never};
template <> inline constexpr auto row<cancel_matching>
  = route{to_matching, never, sum_of_orders};
template <> inline constexpr auto row<explain_item> = route{to_user, harmless};
template <> inline constexpr auto row<list_queues>
  = route{to_all, harmless, queues_together, while_draining};
template <> inline constexpr auto row<list_users>
  = route{to_all, harmless, users_together, while_draining};
template <> inline constexpr auto row<show_rings>
  = route{to_all, harmless, rings_together, while_draining};

// The read model. Where nothing of a queue is, that is said quickly.
template <> inline constexpr auto row<submission_query>
  = route{to_submission, harmless, pages_together};
template <> inline constexpr auto row<batch_query>
  = route{to_submission, harmless, rows_in_turn};
template <> inline constexpr auto row<job_query>
  = route{to_job, harmless, rows_in_turn};
template <> inline constexpr auto row<forget_submissions>
  = route{to_user, harmless};
template <> inline constexpr auto row<peek_items>
  = route{to_all, harmless, items_in_turn};

// clang-format on

/// Whether a request may be sent once more when nobody knows what became of it:
/// as its row says, but for records that an operator feeds by hand. Each of
/// these is a new item, whatever is known of its key.
template <class Request>
repeats may_repeat(const Request& x) {
  if constexpr (requires { x.records.front().by_hand; })
    for (const auto& one : x.records)
      if (one.by_hand)
        return repeats::never;
  return row<Request>.may;
}

} // namespace rules::routing

} // namespace depositd
