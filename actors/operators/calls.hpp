#pragma once

// What the parts of the admin actor share: asking, answering, auditing.

#include "actors/operators/admin.hpp"
#include "messages/actor_with.hpp"
#include "messages/ask.hpp"
#include "messages/shard.hpp"

#include <caf/expected.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace depositd::operators {

using admin_pointer = actor_with<admin_state>*;

void deliver(const admin_call_ptr& call, const document& x);

/// Answers with an error that says something to an operator. The audit log has
/// it if it is an order, whoever refuses it.
void refuse(const admin_call_ptr& call, const caf::error& problem);

void refuse(const admin_call_ptr& call, ec code, std::string text);

/// The same as a value.
inline caf::error refuse(ec code, std::string text) {
  return caf::make_error(code, std::move(text));
}

/// One line of ASCII per order: who, what, before, after, result.
void audit(const admin_call_ptr& call, const document& before,
           const document& after, const std::string& result);

/// Who gives a command, and what is granted to them.
using rules::access::caller;

/// For as long as it is held, a command counts among those that its node has at
/// once. Null: that one has as many as it may.
std::shared_ptr<const void> place_for(admin_pointer self,
                                      const caf::strong_actor_ptr& sender);

/// Goes on with who sent a message; an error if nobody knows what is set.
void with_caller(admin_pointer self, const caf::strong_actor_ptr& sender,
                 std::function<void(const caf::expected<caller>&)> use);

/// Whose connection a node's messages come over; nothing if that is unknown.
std::optional<peer> peer_at(admin_pointer self,
                            const caf::strong_actor_ptr& sender);

/// Checks the password; the connection that it came over is the operator's from
/// then on.
caf::result<signed_in> sign_in_there(admin_pointer self, const sign_in& x);

/// Who tells that somebody is known has to be one of us. `ec::not_allowed`, and
/// logged.
caf::error check_door(admin_pointer self, const caf::strong_actor_ptr& sender,
                      const char* what);

/// Goes on with the operator whom a door of this process speaks for, as the
/// register has them now.
void with_operator_at_door(
  admin_pointer self, const caf::strong_actor_ptr& sender, const command_as& x,
  std::function<void(const caf::expected<caller>&)> use);

/// The same check as of `sign_in`, for a door of this process.
caf::result<logged_in> log_in_at_door(admin_pointer self, const log_in& x);

/// Whose token it is.
caf::result<logged_in> know_holder(admin_pointer self, const know_token& x);

/// One line for what somebody may not do; of many in a second only some.
void log_refusal(admin_pointer self, const caller& who, const std::string& what,
                 const caf::error& why);

/// Asks somebody; `use` gets the answer, an error ends the call.
template <class Handle, class Message, class F>
void ask(admin_pointer self, const admin_call_ptr& call, const Handle& whom,
         Message what, F use, std::chrono::seconds patience) {
  depositd::ask(self, whom, patience, std::move(what),
                [call, use = std::move(use)](auto x) mutable {
                  if (x)
                    use(*x);
                  else
                    refuse(call, x.error());
                });
}

/// The same of who answers soon.
template <class Handle, class Message, class F>
void ask(admin_pointer self, const admin_call_ptr& call, const Handle& whom,
         Message what, F use) {
  ask(self, call, whom, std::move(what), std::move(use),
      self->state.options.timeout);
}

/// Goes on with what is set now; whoever keeps it has it as it is.
template <class F>
void with_control(admin_pointer self, const admin_call_ptr& call, F use) {
  ask(self, call, self->state.options.shard, watch_control{nullptr},
      [use = std::move(use)](const control_changed& x) { use(x.state); });
}

/// The same for what may take long and changes something: audited.
template <class Handle, class Message, class F>
void act(admin_pointer self, const admin_call_ptr& call, const Handle& whom,
         Message what, F use) {
  depositd::ask(self, whom, self->state.options.timeout_long, std::move(what),
                [=](auto x) {
                  if (!x)
                    return refuse(call, x.error());
                  audit(call, nullptr, nullptr, "done");
                  use(*x);
                });
}

/// All slots, here and on nodes that have joined.
struct slots_gathered {
  slots_report slots;
  std::vector<std::string> nodes;  ///< that have joined
  std::vector<std::string> silent; ///< of these, that did not answer in time
};

/// Asks every manager at once and goes on when all have answered or the time is
/// up. An error of the engine's own manager ends the call.
void gather_slots(admin_pointer self, const admin_call_ptr& call,
                  std::function<void(const slots_gathered&)> use);

/// What a user has in a queue, delayed and parked items too. Of a queue that is
/// one shard's own business, or has gone meanwhile, `in_ring` is what is known.
void count_theirs(admin_pointer self, const admin_call_ptr& call,
                  count_pending what, const pending_counted& in_ring,
                  std::function<void(const pending_counted&)> use);

/// Goes on with the ring of a queue, of which it has one user at most, without
/// a look at all the others: there may be many thousand. Only counts, of a
/// topic's queue that only one of several shards has. Null if there is no such
/// queue.
void with_ring(admin_pointer self, const admin_call_ptr& call,
               const std::string& queue,
               std::function<void(const ring_report*)> use);

/// What reads and publishes for one shard.
struct log_report {
  shard_number shard = 0;
  intake_report in;
  publisher_report out;
};

/// Goes on with what the logs of records of this engine do; none if there are
/// none. One that does not answer says so in its trouble.
void gather_logs(admin_pointer self,
                 std::function<void(const std::vector<log_report>&)> use);

/// The same of all engines, as documents by shard.
struct logs_gathered {
  document logs = document::array();
  document silent = document::array(); ///< names that did not answer in time
};

void gather_all_logs(admin_pointer self,
                     std::function<void(const logs_gathered&)> use);

} // namespace depositd::operators
