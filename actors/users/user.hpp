#pragma once

#include "actors/journal/command.hpp"
#include "actors/queue/queue.hpp"
#include "actors/queue/unread.hpp"
#include "actors/rules/ledger/ledger.hpp"
#include "actors/rules/ring/cost_account.hpp"
#include "actors/rules/work/work.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/users.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/memory_budget.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace depositd::users {

/// To itself: a deadline or a delay may be over. Of several on their way one
/// counts, which is for the time that is awaited: each that counted would send
/// further ones.
struct user_due {
  micros at_us = never;
};

struct user_options {
  std::string user;
  journal::journal_access journal;
  epoch_number epoch = 0; ///< claim tokens are above those of earlier
  engine_clock clock = engine_clock::system();
  std::shared_ptr<memory_budget> budget;
  std::uint32_t slice_items = 1000; ///< of a bulk action, done at once
  shard_inside_actor shard; ///< gives numbers, hears what becomes of records
};

/// Which records of sources live items are.
using record_origins =
  std::unordered_map<item_id, std::shared_ptr<const record_origin>>;

/// How a record ends whose item does.
record_ended end_of_record(const item_finished& x, const record_origin& of);

/// What recovery found of the user, by queue name; moved into the user's actor.
struct recovered_user {
  std::map<std::string, rules::ledger> ledgers;
  rules::work work;
  record_origins origins;
};
using recovered_ledgers = std::shared_ptr<recovered_user>;

using user_self =
  user_actor::extend<caf::reacts_to<user_due>,
                     caf::reacts_to<queue::look_again>,
                     caf::replies_to<journal::pass_journal>::with<done>>;

/// One queue of the user.
struct user_queue {
  std::string name;
  queue_actor actor;
  queue_settings settings;
  size_classes classes;
  member_number member = 0;
  std::uint32_t classes_version = 0;
  rules::ledger ledger;
  std::uint64_t items_reported = 0;  ///< how many the queue knows of
  std::uint64_t parked_reported = 0; ///< likewise
  /// Null where turns are shared out.
  std::unique_ptr<rules::cost_account> costs;
};

struct user_state {
  using interface = user_self;

  user_options options;

  /// By the shard's number of the queue.
  std::map<queue_number, user_queue> queues;

  /// Found by recovery and not yet asked for by `serve_queue`.
  recovered_ledgers unclaimed;

  /// Batches and jobs, whose items are in the queues.
  rules::work work;
  /// By which they move; null until the shard has said.
  control_snapshot control;

  /// Items whose body is in memory only until the journal has told its place,
  /// with how many places are to come: of bodies that have been replaced, and
  /// last of this one.
  std::unordered_map<item_id, std::uint32_t> unbudgeted;

  /// Of the items that are records; usually there are none.
  record_origins origins;

  /// Woken while somebody had them in hand, who may be about to say "not yet".
  std::unordered_set<item_id> woken;

  /// Actions on very many items that go on after the next commit.
  std::uint32_t bulk_actions = 0;

  /// When `user_due` is to come; never: no timer runs.
  micros timer_us = never;

  static inline const char* name = "user";
};

using user_pointer = actor_with<user_state>*;

/// Owns the items and claims of one user over all queues.
user_self::behavior_type user(actor_with<user_state>* self,
                              user_options options,
                              recovered_ledgers recovered);

} // namespace depositd::users

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::users::user_due)
