#pragma once

#include "actors/journal/command.hpp"
#include "actors/queue/unread.hpp"
#include "actors/rules/ledger/dedup.hpp"
#include "actors/rules/ring/pace.hpp"
#include "actors/rules/ring/ring.hpp"
#include "actors/rules/ring/shares.hpp"
#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/metrics.hpp"
#include "messages/processors.hpp"
#include "messages/queue.hpp"
#include "messages/users.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace depositd::queue {

/// To itself: look whether there is news for those who draw from several doors.
struct tell_again {};

struct queue_options {
  std::string name;
  /// Users' actors write; the queue only waits for what is on its way there.
  journal::journal_access journal;
  queue_number number = 0;
  queue_settings settings;
  bool server_suspended = false;
  std::uint32_t workers = no_cap; ///< as in `configure_queue`
  fair_terms fair;                ///< likewise
  /// A remote processor without a lease of its own gets this one: its claims
  /// must not outlive it should the engine restart meanwhile.
  std::uint32_t remote_lease_ms = 60'000;
};

/// A user as the queue knows it.
struct queue_member {
  std::string user;
  user_actor actor;
  std::uint64_t items = 0;
  std::uint32_t classes_version = 0; ///< that its actor counts by
  std::uint32_t collapsing = 0;      ///< of `items`, as good as gone
  std::uint64_t costs_heard = 0;     ///< reports of them, under these terms
  std::uint64_t parked = 0;          ///< of `items`
};

/// Some of the members. An insertion comes with every item, mostly of those who
/// are in already: 64 of them share a word, so that words stay in the cache.
class member_marks {
public:
  void insert(member_number x) {
    words_[x / 64] |= std::uint64_t{1} << x % 64;
  }

  template <class Visitor>
  void for_each(Visitor visit) const {
    for (const auto& [at, word] : words_)
      for (auto left = word; left != 0; left &= left - 1)
        visit(at * 64 + static_cast<member_number>(std::countr_zero(left)));
  }

private:
  std::unordered_map<member_number, std::uint64_t> words_;
};

/// A processor that takes items of this queue.
struct queue_processor {
  processor_actor actor;
  std::string name;
  criteria wants;
  rules::view_number view = 0;
  std::uint32_t lease_ms = 0;
  std::uint32_t credit = 0;  ///< items it waits for
  std::int64_t holds = 0;    ///< items handed to it and not yet ended by it
  bool local = false;
  bool waits = true; ///< else credit that cannot be served at once is void
  /// How many users it believes can be served here; none: it never asked.
  std::optional<std::uint32_t> told;
  bool asked = false; ///< for items, ever; who has not only watches
  /// Users it ever got an item of: where its claims may be.
  member_marks served;
};

/// What is measured of a user; by member number, and small, because all of
/// them are looked at.
struct measured_member {
  micros oldest_us = never; ///< when the oldest of what is ready came
  rules::share_before before;
};

/// What was found when the last step ended.
struct judged_shares {
  std::vector<user_share> users; ///< who got most, the largest first
  std::uint64_t taken = 0;
  std::uint32_t at_cap = 0;
  std::uint32_t steps = 0; ///< since shares were judged
  bool known = false;      ///< the two below
  double evenness = 1;
  double lag = 0;
};

using queue_self =
  queue_actor::extend<caf::reacts_to<hand_outs_lost>,
                      caf::reacts_to<tell_again>,
                      caf::replies_to<journal::pass_journal>::with<done>>;

struct queue_state {
  using interface = queue_self;

  queue_options options;
  rules::ring ring;
  size_classes classes;
  std::uint32_t classes_version = 0;
  bool begun = false; ///< recovery is over
  bool one_process = true;           ///< all processors are in one
  bool tell_due = false;             ///< a `tell_again` is on its way
  std::vector<queue_member> members; ///< by member number; gaps have no actor
  std::unordered_map<std::uint32_t, queue_processor> processors;
  std::uint32_t processors_last = 0;
  /// Those of them that only watch: few, and told of growth without a pause.
  std::unordered_set<std::uint32_t> watchers;
  /// Users with claims that survived a restart: a processor that is back is
  /// told which of its own are in force, and ends the others.
  std::unordered_set<member_number> survivors;

  /// For receiving doors, whose workers name users by digest.
  std::unordered_multimap<user_digest, member_number> members_by_digest;
  std::optional<rules::view_number> receive_view;

  rules::dedup_index copies; ///< in `between_polls` queues
  /// What users had before recovery was over, to be sorted by age.
  std::vector<std::pair<member_number, arrival>> early;

  std::uint64_t items = 0; ///< claimed, delayed and parked ones included
  std::uint64_t collapsing = 0; ///< of these, as good as gone
  std::uint64_t parked = 0;     ///< of these
  std::uint64_t handed_out = 0;
  std::uint64_t finished = 0;
  std::uint64_t requeued = 0;
  std::uint64_t timed_out = 0;
  rules::pace pace; ///< of `finished`

  queue_counters counters;
  std::vector<measured_member> measures; ///< by member number
  judged_shares judged;

  static inline const char* name = "queue";
};

/// The ring of one queue. Selection is its message handlers: whatever changes
/// who can be served is followed by serving those who wait.
queue_self::behavior_type queue(actor_with<queue_state>* self,
                                queue_options options);

} // namespace depositd::queue

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::queue::tell_again)
