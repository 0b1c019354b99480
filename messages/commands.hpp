#pragma once

// Messages that may cross a process border: the native door, processors, and
// the operator's shell.

#include "messages/values/types.hpp"

#include <limits>
#include <string>
#include <vector>

namespace depositd {

// -- native door --------------------------------------------------------------

/// Items for one queue, of any users. At most `enqueue_items_max`.
struct enqueue {
  std::string queue;
  std::vector<new_item> items;
};
inline constexpr std::size_t enqueue_items_max = 10'000;

/// All accepted items are durable. `ids` answers `items` by position; 0 means
/// that this one was refused because of the user's pending limit.
struct enqueued {
  std::vector<item_id> ids;
  std::uint32_t refused = 0;
};

/// Asks for the handle of a queue, which comes into being if it is new.
struct open_queue {
  std::string name;
};

/// Answer to commands that have nothing else to say: it is done and durable.
struct done {};

// -- processors ---------------------------------------------------------------

/// Ends claims and asks for items, in one message. `credit` adds to what was
/// asked for before, so that messages on their way in both directions never
/// make the queue hand out more than the processor can hold.
struct settle_and_request {
  std::uint32_t processor = 0; ///< number from `attached`
  std::uint32_t credit = 0;    ///< at most `credit_max` in all
  std::vector<outcome> outcomes;
  /// False: if nothing can be handed out now, the credit is void and an empty
  /// `handed` says so at once. For those who draw from several queues.
  bool waits = true;
  /// Asks for nothing but `handed::eligible`, at once and without items.
  bool counts = false;
};

inline constexpr std::uint32_t credit_max = 10'000;

/// Extends claims by the lease that the processor attached with.
struct renew_claims {
  std::uint32_t processor = 0;
  struct claim {
    item_id id = 0;
    claim_token token = 0;
    std::uint32_t member = 0;
  };
  std::vector<claim> claims;
};

/// Takes back all credit that was not answered yet; what is on its way comes.
struct cancel_credit {
  std::uint32_t processor = 0;
};

/// A claim that a processor has held since an earlier engine.
struct held_claim {
  item_id id = 0;
  claim_token token = 0;
  std::string user;
};

inline constexpr std::uint32_t no_member
  = std::numeric_limits<std::uint32_t>::max();

/// The processor's number in this queue. Its claims end when it dies.
struct attached {
  std::uint32_t processor = 0;
  /// For each held claim, by position: the queue's number of its user now, or
  /// `no_member` if the claim is not in force any more.
  std::vector<std::uint32_t> members;
};

struct detach {
  std::uint32_t processor = 0;
};

/// Whether the queue took an outcome: false means that the claim was not (or
/// no longer) the one named, and nothing changed.
struct settlement {
  item_id id = 0;
  bool accepted = false;
};

/// What a commit holds for a processor. Everything in it is durable.
struct deliver {
  std::vector<settlement> settled;
  std::vector<claimed_item> items;
  /// Users of this queue that could be served now, as an answer to a `work`
  /// that did not wait. Who draws from several doors visits them by it.
  std::uint32_t eligible = 0;
  bool counted = false; ///< the answer to a `work` that `counts`
};

// -- operator's shell ---------------------------------------------------------

/// A command by its name ("queue list") with its arguments as a JSON object.
struct admin_request {
  std::string command;
  std::string arguments;
};

/// One JSON document with snake_case keys.
struct admin_reply {
  std::string document;
};

/// Asks the admin actor, the one published on the node's port, for the native
/// door.
struct connect_native {};

// -- inspection ---------------------------------------------------------------

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, enqueue& x) {
  return f(x.queue, x.items);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, enqueued& x) {
  return f(x.ids, x.refused);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, open_queue& x) {
  return f(x.name);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, done&) {
  return f();
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, settle_and_request& x) {
  return f(x.processor, x.credit, x.outcomes, x.waits, x.counts);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, cancel_credit& x) {
  return f(x.processor);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, held_claim& x) {
  return f(x.id, x.token, x.user);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, renew_claims::claim& x) {
  return f(x.id, x.token, x.member);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, renew_claims& x) {
  return f(x.processor, x.claims);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, attached& x) {
  return f(x.processor, x.members);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, detach& x) {
  return f(x.processor);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, settlement& x) {
  return f(x.id, x.accepted);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, deliver& x) {
  return f(x.settled, x.items, x.eligible, x.counted);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, admin_request& x) {
  return f(x.command, x.arguments);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, admin_reply& x) {
  return f(x.document);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, connect_native&) {
  return f();
}

} // namespace depositd
