#include "actors/shard/shard.hpp"

#include "actors/journal/reply.hpp"
#include "actors/rules/control/pipelines.hpp"
#include "actors/shard/feeding/feeding.hpp"
#include "actors/shard/parts.hpp"
#include "actors/shard/topics/topics.hpp"
#include "messages/values/free_memory.hpp"
#include "messages/values/tallies.hpp"

namespace depositd::shard {

micros now(shard_pointer self) {
  return self->state.options.clock.at(self->clock().now());
}

caf::error refuse_recovering(shard_pointer self) {
  if (self->state.now != shard_state::phase::recovering)
    return {};
  return caf::make_error(ec::store_failed,
                         std::string{"the engine is recovering"});
}

caf::error refuse_growth(shard_pointer self) {
  if (auto refused = refuse_intake(self))
    return refused;
  const auto& backlog = self->state.journal.backlog;
  if (backlog && backlog->store != nullptr && backlog->store->nearly_full())
    return caf::make_error(ec::overloaded,
                           std::string{"the disk is full: nothing new is taken "
                                       "until there is room"});
  return {};
}

caf::error refuse_intake(shard_pointer self) {
  const auto& state = self->state;
  if (auto refused = refuse_recovering(self))
    return refused;
  if (state.now == shard_state::phase::draining)
    return caf::make_error(ec::draining,
                           std::string{"the engine is shutting down"});
  const auto& backlog = state.journal.backlog;
  if (backlog && backlog->bytes > state.options.backlog_bytes_max)
    return caf::make_error(ec::overloaded,
                           std::string{"the journal is behind"});
  return {};
}

namespace {

bool serves_outside(shard_pointer self, const std::string& queue) {
  return rules::serves_outside(*self->state.control, queue);
}

/// What receiving doors do goes to the queue that they name, which answers it.
/// `nothing` answers for a queue that is not there: none comes into being.
template <class Answer, class Request>
caf::result<Answer> pass_on(shard_pointer self, Request& x, Answer nothing) {
  if (auto refused = refuse_intake(self))
    return refused;
  const auto number = find_queue(self, x.queue);
  if (!number)
    return nothing;
  auto& queue = self->state.queues[*number];
  queue.used_us = now(self);
  return self->delegate(queue.actor, std::move(x));
}

caf::result<items_received> receive(shard_pointer self, receive_items& x) {
  if (!serves_outside(self, x.queue))
    return items_received{};
  return pass_on(self, x, items_received{});
}

/// What workers say of claims. A stage may have become one that is worked on
/// here while they had its items: none of it would be done then.
template <class Answer, class Request>
caf::result<Answer> pass_on_claims(shard_pointer self, Request& x,
                                   Answer nothing) {
  if (find_queue(self, x.queue) && !serves_outside(self, x.queue))
    return caf::make_error(ec::invalid_argument,
                           "queue " + x.queue.substr(0, 255)
                             + " is not worked on by workers outside");
  return pass_on(self, x, std::move(nothing));
}

caf::result<items_settled> settle_by_name(shard_pointer self, settle_items& x) {
  items_settled none;
  none.accepted.resize(x.items.size());
  return pass_on_claims(self, x, std::move(none));
}

caf::result<ports_opened> open_here(shard_pointer self, const open_ports& x) {
  auto port = open_port(self, x.name);
  if (!port)
    return std::move(port.error());
  return ports_opened{{{self->state.options.number, *port}}};
}

caf::result<queue_port_actor> open_one(shard_pointer self,
                                       const open_queue& x) {
  if (is_topic_queue(x.name))
    return open_channel(self, x);
  return open_port(self, x.name);
}

caf::result<done> answer_when_ready(shard_pointer self) {
  if (self->state.now != shard_state::phase::recovering)
    return done{};
  self->state.awaiting_ready.push_back(journal::take_reply(self));
  return journal::answered_later<done>();
}

caf::result<id_reserved> number(shard_pointer self, const number_jobs& x) {
  if (auto refused = refuse_intake(self))
    return refused;
  const auto first = self->state.id_last + 1;
  self->state.id_last += x.count;
  return id_reserved{first};
}

void watch_others(shard_pointer self) {
  // Queues and users' actors are linked: they end with the shard, and one that
  // fails takes with it what nobody else knows, so everything starts over.
  self->set_exit_handler([=](const caf::exit_msg& x) {
    if (x.reason == caf::exit_reason::user_shutdown)
      self->quit(x.reason);
    else if (x.reason != caf::exit_reason::normal)
      start_over(self, x.reason);
  });
  self->set_down_handler([=](const caf::down_msg& x) {
    std::erase_if(self->state.watchers,
                  [&](const auto& who) { return who->address() == x.source; });
  });
}

void look_for_idle(shard_pointer self) {
  sweep(self);
  retire_queues(self);
  retire_topics(self);
  free_memory_if_asked();
  self->delayed_send(self, self->state.options.idle_max / 2, sweep_idle{});
}

/// What is refused at once; users' actors count what is beyond their limits.
template <class Answer>
caf::result<Answer> counting(shard_pointer self, const std::string& queue,
                             caf::result<Answer> out) {
  if (out.flag == caf::rt_error) {
    // No more names than there are queues.
    const auto known = find_queue(self, queue).has_value();
    tally(tally_of::submission_rejected, known ? queue : "(none)",
          out.err.category() == caf::atom("depositd")
            ? to_string(static_cast<ec>(out.err.code()))
            : "other");
  }
  return out;
}

void meet(shard_pointer self, const meet_schedulers& x) {
  self->state.schedulers = caf::actor_cast<schedulers_actor>(x.who);
}

std::string split_queue_of(const submit_batch& x) {
  return stage_queue_name(x.info.pipeline, split_stage);
}

} // namespace

// CAF tries handlers one after the other: what comes with each item is first.
shard_self::behavior_type shard(shard_pointer self, shard_options options) {
  self->state.journal = options.journal;
  self->state.options = std::move(options);
  self->state.control = std::make_shared<control_state>();
  self->delayed_send(self, self->state.options.idle_max / 2, sweep_idle{});
  watch_others(self);
  start_recovery(self);
  return {
    [=](enqueue& x) { return counting(self, x.queue, accept_batch(self, x)); },
    [=](receive_items& x) { return receive(self, x); },
    [=](settle_items& x) { return settle_by_name(self, x); },
    [=](const submit& x) {
      return counting(self, x.queue, accept_submission(self, x));
    },
    [=](const submit_batch& x) {
      return counting(self, split_queue_of(x), accept_work(self, x));
    },
    [=](const number_jobs& x) { return number(self, x); },
    [=](const open_queue& x) { return open_one(self, x); },
    [=](publish& x) { return publish_all(self, x); },
    [=](const order_topic& x) { return order(self, x); },
    [=](const note_consumers& x) { return note(self, x); },
    [=](const list_topics& x) { return list_all_topics(self, x); },
    [=](const open_ports& x) { return open_here(self, x); },
    [=](ingest& x) { return ingest_batch(self, x); },
    [=](read_watermarks) { return tell_watermarks(self); },
    [=](carry_items& x) { return take_carried(self, x); },
    [=](const feed_records& x) { return take_records(self, x); },
    [=](const measure_queue& x) { return measure_one(self, x); },
    [=](const count_records& x) { return count_known(self, x); },
    [=](const look_up_record& x) { return look_up_one(self, x); },
    [=](report_schedulers& x) { return ask_schedulers(self, x); },
    [=](find_record& x) { return ask_schedulers(self, x); },
    [=](explain_strategy& x) { return ask_schedulers(self, x); },
    [=](test_source& x) { return ask_schedulers(self, x); },
    [=](feed_by_hand& x) { return ask_schedulers(self, x); },
    [=](const meet_schedulers& x) { meet(self, x); },
    [=](const keep_position& x) { return note_position(self, x); },
    [=](const records_moved& x) { note_moved(self, x); },
    [=](const adopt_control& x) { return follow_control(self, x); },
    [=](const propose& x) { return change_control(self, x); },
    [=](const watch_control& x) { return add_watcher(self, x); },
    [=](const note_key_use& x) { return note_use(self, x); },
    [=](const count_pending& x) { return count_for(self, x); },
    [=](const park_matching& x) { return park_all(self, x); },
    [=](const cancel_deposit& x) { return cancel_one(self, x); },
    [=](const cancel_matching& x) { return cancel_all(self, x); },
    [=](const purge_queue& x) { return purge_all(self, x); },
    [=](renew_items& x) { return pass_on_claims(self, x, done{}); },
    [=](release_queue& x) { return pass_on_claims(self, x, done{}); },
    [=](count_queue& x) { return pass_on(self, x, queue_counted{}); },
    [=](const move_queue& x) { return begin_move(self, x); },
    [=](const order_job& x) { return order_one(self, x); },
    [=](const order_batch& x) { return order_one(self, x); },
    [=](const order_jobs& x) { return order_all(self, x); },
    [=](const forget_batches& x) { return forget_ended(self, x); },
    [=](const wake_items& x) { return wake(self, x); },
    [=](const explain_item& x) { return explain(self, x); },
    [=](list_queues) { return list_all_queues(self); },
    [=](const measure_shard& x) { return measure_queues(self, x); },
    [=](const list_users& x) { return list_all_users(self, x); },
    [=](const show_rings& x) { return show_all_rings(self, x); },
    [=](compact_items& x) { compact(self, x); },
    [=](const journal_failed& x) { start_over(self, x.reason); },
    [=](await_ready) { return answer_when_ready(self); },
    [=](check_intake) { return confirm_intake(self); },
    [=](const drain&) { return start_draining(self); },
    [=](sweep_idle) { look_for_idle(self); },
    [=](retry_recovery) { start_recovery(self); },
    [=](retry_bring_up& x) { bring_up(self, std::move(x)); },
    [=](queue::look_again& x) { return_unread(self, x); },
    [=](const resume_move& x) { go_on_moving(self, x); },
    [=](const resume_topics& x) { go_on_with_topics(self, x); },
    [=](publish_part& x) { return take_part(self, x); },
    [=](journal::pass_journal) { return answer_after_commits(self, done{}); },
  };
}

} // namespace depositd::shard
