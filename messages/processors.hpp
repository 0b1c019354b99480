#pragma once

// What processors and queues say to each other, here or across nodes, and what
// runs the work.

#include "messages/actors.hpp"
#include "messages/message.hpp"
#include "messages/values/control.hpp"
#include "messages/values/types.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace depositd {

// -- attaching ----------------------------------------------------------------

/// A claim that a processor has held since an earlier engine.
struct held_claim {
  item_id id = 0;
  claim_token token = 0;
  std::string user;
};
DEPOSITD_MESSAGE(19, held_claim, id, token, user);

/// Attaches a processor to a queue.
struct attach {
  processor_actor who;
  std::string name; ///< for operators and the journal
  criteria wants;
  std::uint32_t lease_ms = 0; ///< 0: claims last as long as the processor
  /// What it has held since an earlier engine: these claims stay in force, all
  /// others of its name end.
  std::vector<held_claim> holds;
};
DEPOSITD_MESSAGE(12, attach, who, name, wants, lease_ms, holds);

inline constexpr std::uint32_t no_member =
  std::numeric_limits<std::uint32_t>::max();

/// The processor's number in this queue. Its claims end when it dies.
struct attached {
  std::uint32_t processor = 0;
  /// For each held claim, by position: the queue's number of its user now, or
  /// `no_member` if the claim is not in force any more.
  std::vector<std::uint32_t> members;
};
DEPOSITD_MESSAGE(6, attached, processor, members);

struct detach {
  std::uint32_t processor = 0;
};
DEPOSITD_MESSAGE(7, detach, processor);

// -- working ------------------------------------------------------------------

/// Ends claims and asks for items, in one message. `credit` adds to what was
/// asked for before, so that messages on their way in both directions never
/// make the queue hand out more than the processor can hold.
struct settle_and_request {
  std::uint32_t processor = 0; ///< number from `attached`
  std::uint32_t credit = 0;    ///< at most `credit_max` in all
  std::vector<outcome> outcomes;
  /// False: if nothing can be handed out now, the credit is void and an empty
  /// `deliver` says so at once. For those who draw from several queues.
  bool waits = true;
  /// Asks for nothing but `deliver::eligible`, at once and without items.
  bool counts = false;
};
DEPOSITD_MESSAGE(4, settle_and_request, processor, credit, outcomes, waits,
                 counts);

inline constexpr std::uint32_t credit_max = 10'000;

/// Extends claims from now on, never to an earlier end.
struct renew_claims {
  std::uint32_t processor = 0;
  struct claim {
    item_id id = 0;
    claim_token token = 0;
    std::uint32_t member = 0;
  };
  std::vector<claim> claims;
  std::uint32_t lease_ms = 0; ///< 0: what the processor attached with
};
DEPOSITD_FIELDS(renew_claims::claim, id, token, member);
DEPOSITD_MESSAGE(5, renew_claims, processor, claims, lease_ms);

/// Takes back all credit that was not answered yet; what is on its way comes.
struct cancel_credit {
  std::uint32_t processor = 0;
};
DEPOSITD_MESSAGE(18, cancel_credit, processor);

/// Whether the queue took an outcome: false means that the claim was not (or
/// no longer) the one named, and nothing changed.
struct settlement {
  item_id id = 0;
  bool accepted = false;
};
DEPOSITD_FIELDS(settlement, id, accepted);

/// What a commit holds for a processor. Everything in it is durable.
struct deliver {
  std::vector<settlement> settled;
  std::vector<claimed_item> items;
  /// Users of this queue that could be served now, as an answer to a
  /// `settle_and_request` that did not wait. Who draws from several ports
  /// draws by it.
  std::uint32_t eligible = 0;
  bool counted = false; ///< the answer to one that `counts`
  /// Items it holds that somebody else has ended: its outcomes are refused.
  std::vector<item_id> purged;
};
DEPOSITD_MESSAGE(8, deliver, settled, items, eligible, counted, purged);

// -- handlers and slots -------------------------------------------------------

DEPOSITD_NUMBER(13, outcome);

struct handle_item {
  std::string queue;
  std::string processor;
  claimed_item item;
  control_snapshot control; ///< whose accounts apply
};
DEPOSITD_LOCAL(handle_item);

struct report_slots {};
DEPOSITD_MESSAGE(63, report_slots);

struct slots_report {
  struct entry {
    std::string node; ///< empty: inside the engine
    std::string processor;
    std::uint32_t slot = 0;
    std::string queue;
    item_id item = 0; ///< 0: idle
    std::string user;
    micros since_us = never;
    criteria wants;
  };
  std::vector<entry> entries;
};
DEPOSITD_FIELDS(slots_report::entry, node, processor, slot, queue, item, user,
                since_us, wants);
DEPOSITD_MESSAGE(64, slots_report, entries);

} // namespace depositd
