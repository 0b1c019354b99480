#pragma once

// What the shard and the users' actors say to a queue, and what it tells of
// itself.

#include "messages/message.hpp"
#include "messages/values/counts.hpp"
#include "messages/values/scheduling.hpp"
#include "messages/values/types.hpp"

#include <caf/actor_control_block.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace depositd {

// -- from the shard -----------------------------------------------------------

/// A user and what it has in the queue already (after recovery).
struct introduce {
  member_number member = 0;
  std::string user;
  caf::strong_actor_ptr actor; ///< a user_actor
  member_limits limits;
  std::uint64_t stamp = 0;
  std::uint32_t credit = 0;
  cost_sum paid;                   ///< where the queue is fair by cost
  std::vector<ready_change> ready; ///< what the user has already
  std::vector<arrival> arrived;    ///< what waits to be admitted
  std::uint32_t in_flight = 0;
  std::uint64_t items = 0;  ///< in all
  std::uint64_t parked = 0; ///< of these
  micros oldest_us = never; ///< when the oldest of what is ready came
};
DEPOSITD_LOCAL(introduce);

struct forget_member {
  member_number member = 0;
};
DEPOSITD_LOCAL(forget_member);

struct member_forgotten {
  std::uint64_t stamp = 0;
  std::uint32_t credit = 0;
  cost_sum paid; ///< under these terms
  fair_terms fair;
};
DEPOSITD_LOCAL(member_forgotten);

struct configure_queue {
  queue_settings settings;
  bool server_suspended = false;
  /// Of a stage: items at once if several processes work on it. One alone has
  /// no more slots than that.
  std::uint32_t workers = no_cap;
  fair_terms fair;
};
DEPOSITD_LOCAL(configure_queue);

struct change_limits {
  struct entry {
    member_number member = 0;
    member_limits limits;
  };
  std::vector<entry> entries;
};
DEPOSITD_LOCAL(change_limits);

/// Recovery is over. `stamp_last`: highest stamp ever given in this queue;
/// `cost_floor`: where its ring stood, if it is fair by cost.
struct begin {
  std::uint64_t stamp_last = 0;
  std::uint64_t cost_floor = 0;
};
DEPOSITD_LOCAL(begin);

// -- from users ---------------------------------------------------------------

struct counts_changed {
  member_number member = 0;
  std::uint32_t classes_version = 0;
  bool all = false; ///< `ready` are totals that replace what was known
  /// Picks that took an item, by band and, in `cls`, their `class_max`.
  std::vector<ready_change> answered;
  std::vector<ready_change> ready;
  /// Of queues that collapse before receiving, in this order: came and must be
  /// admitted, was handed out for the first time, left without ever being so.
  std::vector<arrival> arrived;
  std::vector<digested> deliver;
  std::vector<digested> left;
  std::uint32_t collapses_done = 0; ///< ids of `collapse_items` dealt with
  std::int32_t claims_ended = 0; ///< negative: claims that survived a restart
  std::uint32_t finished = 0;    ///< of those, items that left the queue
  std::uint32_t requeued = 0;    ///< of those, given back to be tried again
  std::uint32_t timed_out = 0;   ///< of those, past their deadline
  std::int64_t items = 0;        ///< more or fewer of them in all
  std::int64_t parked = 0;       ///< the same of those that are parked
  /// Fair by cost, as in `rules::ring::news`. Nothing if the queue shares out
  /// something else by now.
  std::uint64_t charged = 0;
  std::uint64_t cost = 0;
  std::uint64_t fair_since = 0; ///< as in `fair_terms`
  /// Fair by bytes: of what is pending, on average; 0: nothing is.
  std::uint64_t bytes_each = 0;
  /// Places for claims that were kept for a `renew_named`, and are free again.
  std::uint32_t begins_judged = 0;
  // -- to be counted and no more
  micros oldest_us = never;   ///< when the oldest of what is ready came
  std::uint32_t failed = 0;   ///< of `finished`
  few_times waits;            ///< of items handed out for the first time
  few_times durations;        ///< of `finished`, from their claim
  crowd waited_among = crowd::few; ///< the user's items then
};
DEPOSITD_LOCAL(counts_changed);

/// Somebody else than its processor has ended a claim, with its item.
struct purged_claim {
  item_id id = 0;
  std::string processor;
};

/// From the journal, once that is durable: whoever had these items is to know.
struct claims_purged {
  std::vector<purged_claim> claims;
};
DEPOSITD_LOCAL(claims_purged);

struct picks_declined {
  std::vector<pick> picks;
  std::uint32_t processor = 0;
  std::uint64_t fair_since = 0; ///< of the terms that they were charged under
};
DEPOSITD_LOCAL(picks_declined);

// -- reports ------------------------------------------------------------------

struct report_queue {};
DEPOSITD_LOCAL(report_queue);

struct queue_report {
  std::string name;
  queue_settings settings;
  bool server_suspended = false;
  std::uint64_t ready = 0;
  std::uint64_t in_flight = 0;
  std::uint32_t users = 0;
  std::uint32_t eligible_users = 0;
  std::uint32_t processors = 0;
  std::uint64_t handed_out = 0; ///< since the engine started
  std::uint64_t finished = 0;   ///< since the engine started
  std::uint64_t items = 0;      ///< all that live, whatever keeps them
  std::uint64_t requeued = 0;   ///< since the engine started
  std::uint64_t timed_out = 0;  ///< since the engine started
};
DEPOSITD_FIELDS(queue_report, name, settings, server_suspended, ready,
                in_flight, users, eligible_users, processors, handed_out,
                finished, items, requeued, timed_out);
DEPOSITD_LOCAL(queue_report);

/// How much is left to be done.
struct measure_left {};
DEPOSITD_LOCAL(measure_left);

struct left_measured {
  std::uint64_t left = 0; ///< pending, claimed and delayed; not parked ones
};
DEPOSITD_LOCAL(left_measured);

struct report_members {};
DEPOSITD_LOCAL(report_members);

struct members_report {
  struct entry {
    std::string user;
    eligibility_report report;
  };
  std::string queue;
  std::vector<entry> entries;
};
DEPOSITD_FIELDS(members_report::entry, user, report);
DEPOSITD_FIELDS(members_report, queue, entries);
DEPOSITD_LOCAL(members_report);

/// Of a queue: who is next, and who is not in the rotation.
struct report_ring {
  std::uint32_t count_max = 0;     ///< of each
  std::optional<member_number> of; ///< this user too
};
DEPOSITD_LOCAL(report_ring);

struct ring_report {
  std::string queue;
  bool suspended = false;
  bool server_suspended = false;
  std::uint32_t processors = 0;
  std::uint32_t eligible_users = 0;
  std::uint64_t ready = 0;
  std::uint64_t in_flight = 0;
  std::uint64_t turns_taken = 0;              ///< since the engine started
  std::uint64_t finished_per_hour = 0;        ///< a moving average
  std::vector<members_report::entry> in_turn; ///< in the order of their turns
  std::vector<members_report::entry> out_of_turn;
};
DEPOSITD_FIELDS(ring_report, queue, suspended, server_suspended, processors,
                eligible_users, ready, in_flight, turns_taken,
                finished_per_hour, in_turn, out_of_turn);
DEPOSITD_LOCAL(ring_report);

struct explain_member {
  member_number member = 0;
  std::uint64_t size = 0; ///< of the item in question
};
DEPOSITD_LOCAL(explain_member);

struct member_explained {
  eligibility_report report;
  bool suspended = false;
  bool server_suspended = false;
  std::uint32_t processors = 0;          ///< attached to the queue
  std::uint32_t processors_matching = 0; ///< whose criteria admit the item
};
DEPOSITD_LOCAL(member_explained);

struct report_processors {};
DEPOSITD_LOCAL(report_processors);

struct processors_report {
  struct entry {
    std::string name;
    std::string queue;
    std::string node; ///< empty: inside the engine
    criteria wants;
    std::uint32_t credit = 0; ///< items it waits for
    std::uint32_t holds = 0;  ///< items it has
    bool local = false;
  };
  std::vector<entry> entries;
};
DEPOSITD_LOCAL(processors_report);

} // namespace depositd
