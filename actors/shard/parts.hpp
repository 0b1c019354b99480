#pragma once

// The shard's work, by what it is about. Private to actors/shard.

#include "actors/journal/command.hpp"
#include "actors/journal/gather.hpp"
#include "actors/shard/shard.hpp"
#include "messages/metrics.hpp"
#include "messages/operators.hpp"
#include "messages/projection.hpp"
#include "messages/shard.hpp"
#include "messages/work.hpp"

#include <optional>

namespace depositd::shard {

micros now(shard_pointer self);

/// Refuses what cannot be taken now: recovering, draining, backlog full.
caf::error refuse_intake(shard_pointer self);

/// Refuses what makes the log grow for long: the same, and a disk that has no
/// room left but for what frees some.
caf::error refuse_growth(shard_pointer self);

/// Refuses what cannot be told before it is recovered.
caf::error refuse_recovering(shard_pointer self);

// -- members.cpp: queues, users and who is where ------------------------------

caf::error no_queue(const std::string& name);

/// Number of a queue; no value if there is none of this name.
std::optional<queue_number> find_queue(shard_pointer self,
                                       const std::string& name);

/// Those that there are, in the order in which they came.
std::vector<queue_number> queues_here(shard_pointer self);

/// What the queue shares out, by the control state.
fair_terms fair_terms_of(shard_pointer self, const std::string& queue);

/// Spawns the actor of a queue that the control state has.
queue_number spawn_queue(shard_pointer self, const std::string& name);

/// The user's entry with an actor, spawned if need be, that serves the queue
/// unless that has been deleted meanwhile.
shard_user& reach_user(shard_pointer self, const std::string& user,
                       queue_number queue);

/// Runs `deliver` with the user's actor: at once, or when a user's actor that
/// is just retiring has answered.
void with_user(shard_pointer self, const std::string& user, queue_number queue,
               std::function<void(const user_actor&)> deliver);

/// A user's actor with everything that recovery found of the user, which is the
/// actor's from then on.
void restore_user(shard_pointer self, const std::string& user,
                  users::recovered_user found);

/// All users, or one, may be told from now on: whoever has deposits serves the
/// outbox.
void spread_telling(shard_pointer self, const std::string* user);

/// Whether the user's actor has been asked to leave and may do so.
bool is_retiring(shard_pointer self, const std::string& user);

/// Sends the user's actor a message, as `with_user` does.
template <class Message>
void send_to_user(shard_pointer self, const std::string& user,
                  queue_number queue, Message what) {
  if (!is_retiring(self, user)) {
    self->send(reach_user(self, user, queue).actor, std::move(what));
    return;
  }
  auto late = std::make_shared<Message>(std::move(what));
  with_user(self, user, queue, [=](const user_actor& whom) {
    self->send(whom, std::move(*late));
  });
}

/// Runs `act` once it is certain whether anything of the user's lives: at once,
/// or when a user's actor that is just retiring has answered.
void when_certain(shard_pointer self, const std::string& user,
                  std::function<void()> act);

/// Asks the actor of a user, of whom something may live, and gives `take` the
/// answer, or `gone` if nothing does.
template <class Answer, class Request, class Take>
void ask_user(shard_pointer self, const std::string& user, Request what,
              caf::error gone, Take take) {
  when_certain(self, user, [=]() mutable {
    const auto at = self->state.users.find(user);
    if (at == self->state.users.end())
      return take(caf::expected<Answer>{std::move(gone)});
    depositd::ask(
      self, at->second.actor, self->state.options.request_timeout,
      std::move(what),
      [take](caf::expected<Answer> x) mutable { take(std::move(x)); });
  });
}

/// Answers the request that is being handled with what the user's actor says to
/// it, or with `gone`.
template <class Answer, class Request>
caf::result<Answer> answer_by_user(shard_pointer self, const std::string& user,
                                   const Request& what, caf::error gone) {
  const auto at = self->state.users.find(user);
  if (at != self->state.users.end() && !at->second.retiring)
    return self->delegate(at->second.actor, what);
  return journal::answer_later<Answer>(self, [&](auto then) {
    ask_user<Answer>(self, user, what, std::move(gone), then);
  });
}

/// All users that have something to do with the queue, in an order that does
/// not hang on where they are in memory.
std::vector<std::string> members_of(shard_pointer self, queue_number queue);

/// Asks users' actors that were not used lately to leave.
void sweep(shard_pointer self);

// -- settings.cpp: who is told of changed settings ----------------------------

/// Tells the queue's actor what is set, and whether it may hand out.
void send_to_queue(shard_pointer self, queue_number queue);

/// Tells the queue's actor at once, and then everybody who has to do with it:
/// some at a time, and each what is set at that moment. With `limits` the queue
/// is also told the limits of each of them.
void send_settings(shard_pointer self, queue_number queue, bool limits);

/// Tells one user's actor only, if the user has to do with the queue.
void send_settings_to(shard_pointer self, queue_number queue,
                      const std::string& user);

/// Tells the queue the limits of one user.
void send_limits(shard_pointer self, queue_number queue,
                 const std::string& user);

/// While a queue's users are told of its settings: tells this one now, who is
/// about to be used.
void tell_before_others(shard_pointer self, queue_number queue,
                        const std::string& user);

// -- retiring.cpp: queues that came with their first use ----------------------

/// Lets those go that nobody has used lately and that nothing is in.
void retire_queues(shard_pointer self);

/// Everybody who stands in the queue's ring.
std::vector<std::string> ring_of(shard_pointer self, queue_number number);

/// The queue is no more, as the control state says.
void forget_queue(shard_pointer self, const queue_retired& x);

// -- recovery.cpp -------------------------------------------------------------

void start_recovery(shard_pointer self);

/// Serves what was recovered, under the newest settings: those in the journal
/// may be older than what an operator was told is in force.
void bring_up(shard_pointer self, retry_bring_up x);
void start_over(shard_pointer self, const caf::error& why);

// -- control.cpp --------------------------------------------------------------

/// Applies control events at once everywhere and journals them with the answer.
/// The events must have passed rules::check.
void commit_control(shard_pointer self, std::vector<event> changes,
                    std::optional<reply> answer = {});
caf::result<done> change_control(shard_pointer self, const propose& x);

caf::result<done> note_use(shard_pointer self, const note_key_use& x);

/// Takes over what shard 0 says, where it differs.
caf::result<done> follow_control(shard_pointer self, const adopt_control& x);

/// Puts what has been recovered into force, with what differs in the newest
/// settings; a shard that decides the settings itself is given none.
void begin_control(shard_pointer self, control_state recovered,
                   const std::optional<control_changed>& newest);

/// Revisions under an epoch are above this one, and above all of earlier ones.
std::uint64_t first_revision(epoch_number epoch);

caf::result<control_changed> add_watcher(shard_pointer self,
                                         const watch_control& x);

/// Warns of settings that the configuration cannot change any more.
void warn_of_fixed(const control_state& state, const configuration_seen& seen);

/// Tells of pipelines that cannot work, because something else has a queue of
/// theirs.
void warn_of_taken(const control_state& state, const pipelines_seen& seen);

/// Events that carry changed sources and schedulers, and what queues share out
/// fairly, into the control state after these changes. Warns of what does not
/// go with what operators have set.
std::vector<event> feeding_changes(shard_pointer self,
                                   const std::vector<event>& before);

// -- admission/accept.cpp -----------------------------------------------------

/// The queue's number; a queue that is new comes into being with this first
/// use. Of several shards shard 0 decides about that: the others would begin it
/// with other settings than those that are on their way here, and some of them
/// can never change.
caf::expected<queue_number> reach_queue(shard_pointer self,
                                        const std::string& name,
                                        const std::string& user = {});
caf::result<enqueued> accept_batch(shard_pointer self, enqueue& x);
caf::result<enqueued> accept_submission(shard_pointer self, const submit& x);
/// The door of a queue, which comes into being if it is new.
caf::expected<queue_port_actor> open_port(shard_pointer self,
                                          const std::string& name);

// -- admission/ingest.cpp -----------------------------------------------------

/// Answers the current request when all that was decided before is durable.
template <class Answer>
caf::result<Answer> answer_after_commits(shard_pointer self, Answer what) {
  return journal::command{self->state.journal}.commit_and_answer(
    self, std::move(what));
}

/// How far the watermark was applied, or `otherwise` if it never was.
std::int64_t watermark_of(shard_pointer self, const std::string& name,
                          std::int64_t otherwise);

/// Applied up to `to` from now on, unless it was further. To be journalled with
/// what it stands for.
watermark raise_watermark(shard_pointer self, const std::string& name,
                          std::int64_t to, std::int64_t otherwise);

caf::result<ingested> ingest_batch(shard_pointer self, ingest& x);

/// How far each partition is applied; answered when that is durable.
caf::result<watermarks_read> tell_watermarks(shard_pointer self);

// -- operations.cpp -----------------------------------------------------------

/// What a user may have in work at once, wherever it is worked on: nothing of
/// whom, or while, nothing is handed out.
std::uint32_t running_max(const control_state& control, const std::string& name,
                          const std::string& user);
caf::result<pending_counted> count_for(shard_pointer self,
                                       const count_pending& x);
caf::result<item_explained> explain(shard_pointer self, const explain_item& x);
caf::result<queues_listed> list_all_queues(shard_pointer self);
caf::result<shard_measured> measure_queues(shard_pointer self,
                                           const measure_shard& x);
caf::result<users_listed> list_all_users(shard_pointer self,
                                         const list_users& x);
caf::result<rings_shown> show_all_rings(shard_pointer self,
                                        const show_rings& x);
void compact(shard_pointer self, compact_items& x);
/// Asks users' actors for hand-outs whose bodies were not found.
void return_unread(shard_pointer self, queue::look_again& x);
caf::result<done> start_draining(shard_pointer self);

// -- bulk.cpp: very many items, slice by slice --------------------------------

caf::result<matching_parked> park_all(shard_pointer self,
                                      const park_matching& x);
caf::result<done> purge_all(shard_pointer self, const purge_queue& x);

/// That new work would be taken now.
caf::result<done> confirm_intake(shard_pointer self);

// -- cancelling.cpp -----------------------------------------------------------

caf::result<done> cancel_one(shard_pointer self, const cancel_deposit& x);
caf::result<matching_cancelled> cancel_all(shard_pointer self,
                                           const cancel_matching& x);

// -- work.cpp: batches and jobs
// ------------------------------------------------

caf::result<batch_accepted> accept_work(shard_pointer self,
                                        const submit_batch& x);
/// The queue that a batch goes to, whose pipeline is named from then on. Errors
/// as of `submit_batch`; `ec::too_large`: its document is.
caf::expected<queue_number> place_batch(shard_pointer self, submit_batch& x);
caf::result<job_ordered> order_one(shard_pointer self, const order_job& x);
caf::result<batch_ordered> order_one(shard_pointer self, const order_batch& x);
caf::result<jobs_ordered> order_all(shard_pointer self, const order_jobs& x);
caf::result<done> wake(shard_pointer self, const wake_items& x);
caf::result<batches_forgotten> forget_ended(shard_pointer self,
                                            const forget_batches& x);

/// The user's actor serves the queues of all stages, and knows the pipelines.
void begin_work(shard_pointer self, const std::string& user);

/// Pipelines or collections have changed: tells everybody who has batches or
/// jobs, and of a collection that is held now, unless the name is empty.
void spread_terms(shard_pointer self, const std::string& held_collection);

// -- moves/moves.cpp ----------------------------------------------------------

caf::result<move_begun> begin_move(shard_pointer self, const move_queue& x);

/// Starts the oldest move that is in progress, unless one runs: one at a time,
/// or two could hand each other the same items for ever. Of several shards each
/// runs those whose source it has.
void run_moves(shard_pointer self);

/// The move runs no longer: it is told that it has ended.
void finish_move(shard_pointer self, const std::shared_ptr<shard_move>& run);

/// Tries the next step of the move again, after a pause.
void resume_later(shard_pointer self, const std::shared_ptr<shard_move>& run,
                  shard_move::step next, const caf::error& why);
void go_on_moving(shard_pointer self, const resume_move& x);

/// Whether the move is the one that runs, and may go on.
bool still_moves(shard_pointer self, const shard_move& run);

// -- moves/out.cpp: to other shards -------------------------------------------

/// Moves everything by way of an outbox, batch by batch.
void move_away(shard_pointer self, const std::shared_ptr<shard_move>& run);

/// The next step of a move that had to wait.
void go_on_moving_away(shard_pointer self,
                       const std::shared_ptr<shard_move>& run);

/// After recovery: ships what an outbox still has. False if there is nothing.
bool ship_left_over(shard_pointer self);

// -- moves/in.cpp: from other shards ------------------------------------------

caf::result<items_carried> take_carried(shard_pointer self, carry_items& x);

} // namespace depositd::shard
