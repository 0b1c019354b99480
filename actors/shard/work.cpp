// Batches and jobs: the way in, what operators want of many of them, and what
// their users' actors have to know.

#include "actors/journal/gather.hpp"
#include "actors/rules/control/pipelines.hpp"
#include "actors/rules/lifecycle/batches.hpp"
#include "actors/rules/orders/deletions.hpp"
#include "actors/shard/admission/admission.hpp"
#include "messages/values/test_points.hpp"

#include <memory>
#include <set>
#include <utility>

namespace depositd::shard {

namespace {

/// Asked of the read model at once.
constexpr std::uint32_t batches_per_slice = 100;

caf::error no_such(const char* what, item_id id) {
  return caf::make_error(ec::not_found, std::string{what} + " "
                                          + std::to_string(id)
                                          + " is not there, or at its end");
}

template <class Answer, class Order>
caf::result<Answer> pass_on(shard_pointer self, const Order& x,
                            const char* what) {
  if (auto refused = refuse_intake(self))
    return refused;
  return answer_by_user<Answer>(self, x.user, x, no_such(what, x.id));
}

} // namespace

caf::expected<queue_number> place_batch(shard_pointer self, submit_batch& x) {
  if (auto wrong = check_item(x.user, x.priority))
    return wrong;
  const auto& control = *self->state.control;
  if (auto wrong = rules::check_submitter(control, x.info.collection, x.user);
      wrong && !seeded_bug("submitter_not_checked"))
    return wrong;
  if (x.document.size() > inline_body_bytes_max)
    return caf::make_error(ec::too_large,
                           "a batch is described in at most "
                             + std::to_string(inline_body_bytes_max)
                             + " bytes");
  auto& info = x.info;
  if (info.pipeline.empty())
    info.pipeline = control.collections.at(info.collection).pipeline;
  const auto queue = stage_queue_name(info.pipeline, split_stage);
  const auto number = find_queue(self, queue);
  if (!number || !control.pipelines.contains(info.pipeline)
      || control.queues.at(queue).kind != queue_kind::stage)
    return caf::make_error(ec::not_found, "no such pipeline: '"
                                            + info.pipeline.substr(0, 64)
                                            + "'");
  return *number;
}

caf::result<batch_accepted> accept_work(shard_pointer self,
                                        const submit_batch& given) {
  if (auto refused = refuse_growth(self))
    return refused;
  auto x = given;
  const auto number = place_batch(self, x);
  if (!number)
    return number.error();
  admission one{self};
  one.add_batch(*number, x.user, x.priority, std::move(x.info),
                std::move(x.document));
  return one.commit<batch_accepted>(
    [](const auto& of) -> caf::expected<batch_accepted> {
      if (of.ids[0] == 0 && !of.refusal.empty())
        return caf::make_error(ec::already_exists, of.refusal);
      if (of.ids[0] == 0)
        return caf::make_error(ec::quota_reached,
                               std::string{"The user has as much waiting as "
                                           "may be"});
      return batch_accepted{of.ids[0]};
    });
}

caf::result<job_ordered> order_one(shard_pointer self, const order_job& x) {
  return pass_on<job_ordered>(self, x, "job");
}

caf::result<batch_ordered> order_one(shard_pointer self, const order_batch& x) {
  return pass_on<batch_ordered>(self, x, "batch");
}

// -- many of them -------------------------------------------------------------

namespace {

struct bulk_order {
  order_jobs what;
  reply_address where;
  std::uint32_t generation = 0;
  item_id id_last = 0; ///< newer ones were not meant
  jobs_ordered done;
};

using running = std::shared_ptr<bulk_order>;

void order_slice(shard_pointer self, const running& run);

void order_found(shard_pointer self, const running& run,
                 const jobs_found& found) {
  const bool more = found.rows.size() == self->state.options.slice_items
                    && found.rows.back().id < run->id_last;
  const auto next = [=](const caf::expected<jobs_ordered>& slice) {
    if (!slice)
      return journal::answer(run->where, slice.error());
    run->done.moved += slice->moved;
    if (self->state.journal.generation != run->generation)
      return journal::answer(
        run->where,
        caf::make_error(ec::store_failed, "the engine has started over"));
    if (more)
      return order_slice(self, run);
    journal::answer(run->where, caf::make_message(run->done));
  };
  const journal::gathering<jobs_ordered> all{next};
  for (const auto& row : found.rows) {
    if (row.id > run->id_last)
      continue;
    run->what.which.after = {row.id};
    ++run->done.matched;
    if (run->what.count_only)
      continue;
    ask_user<job_ordered>(
      self, row.user,
      order_job{row.id, row.user, run->what.action, run->what.stage,
                run->what.note},
      no_such("job", row.id),
      all.expect<job_ordered>(
        [](jobs_ordered& sum, const job_ordered&) { ++sum.moved; },
        journal::only_counts)); // it is somewhere else by now
  }
  all.close();
}

void order_slice(shard_pointer self, const running& run) {
  const auto& options = self->state.options;
  self->request(options.projector, options.request_timeout, run->what.which)
    .then([=](const jobs_found& x) { order_found(self, run, x); },
          [=](const caf::error& why) { journal::answer(run->where, why); });
}

} // namespace

caf::result<jobs_ordered> order_all(shard_pointer self, const order_jobs& x) {
  if (auto refused = refuse_intake(self))
    return refused;
  auto run = std::make_shared<bulk_order>();
  run->what = x;
  run->what.which.after.clear();
  run->what.which.newest_first = false;
  run->what.which.count_max = self->state.options.slice_items;
  run->where = journal::take_reply(self);
  run->generation = self->state.journal.generation;
  run->id_last = self->state.id_last;
  order_slice(self, run);
  return journal::answered_later<jobs_ordered>();
}

// -- at their end -------------------------------------------------------------

namespace {

struct forgetting {
  forget_batches what;
  reply_address where;
  item_id id_last = 0;
  std::uint64_t count = 0;
};

void forget_slice(shard_pointer self, const std::shared_ptr<forgetting>& run,
                  std::vector<item_id> after);

/// By it the reconciler knows that it was queued.
bool is_needed(shard_pointer self, const batch_row& x) {
  return rules::deletions::is_needed(*self->state.control, x.info)
         && !seeded_bug("deletion_order_forgotten");
}

/// Why the only batch that is meant does not go.
caf::error why_kept(shard_pointer self, const forgetting& run,
                    const batches_found& found) {
  if (found.rows.empty())
    return no_such("batch", run.what.id);
  if (is_needed(self, found.rows.front()))
    return caf::make_error(ec::invalid_argument,
                           std::string{"its request for deletion has orders "
                                       "that are not queued yet"});
  const auto state = found.rows.front().status.state;
  return caf::make_error(
    ec::invalid_argument,
    "the batch is " + word(state)
      + (rules::deletable(state)
           ? ", but one of its jobs is not tidied up after: try again"
           : ": only a completed or deleted one is removed"));
}

/// `busy` are those of which a job is still in a stage, whose end would find
/// nothing of it.
void forget_rows(shard_pointer self, const std::shared_ptr<forgetting>& run,
                 const batches_found& found, const std::set<item_id>& busy) {
  journal::command todo{self->state.journal};
  for (const auto& row : found.rows)
    if (row.id <= run->id_last && rules::deletable(row.status.state)
        && !busy.contains(row.id) && !is_needed(self, row)) {
      todo.note(batch_forgotten{row.id});
      ++run->count;
    }
  const bool more = found.rows.size() == batches_per_slice;
  if (more) {
    todo.commit(self);
    return forget_slice(self, run, {found.rows.back().id});
  }
  if (run->what.id != 0 && run->count == 0)
    return journal::answer(run->where, why_kept(self, *run, found));
  todo.deliver(
    reply{run->where, caf::make_message(batches_forgotten{run->count})});
  crash_point("batches_forgotten");
  todo.commit(self);
}

void forget_found(shard_pointer self, const std::shared_ptr<forgetting>& run,
                  const batches_found& found) {
  using batches = std::set<item_id>;
  const journal::gathering<batches> all{
    [=](const caf::expected<batches>& busy) {
      if (busy)
        forget_rows(self, run, found, *busy);
      else
        journal::answer(run->where, busy.error());
    }};
  const auto& options = self->state.options;
  for (const auto& row : found.rows) {
    if (!rules::deletable(row.status.state))
      continue;
    // A job whose batch has ended only leaves its stage, so one that the read
    // model says has left has.
    job_query ask;
    ask.batch = row.id;
    ask.user = row.user;
    ask.queues_but = {""};
    ask.count_max = 1;
    all.ask<jobs_found>(self, options.projector, options.request_timeout,
                        std::move(ask),
                        [](batches& sum, const jobs_found& x) {
                          for (const auto& job : x.rows)
                            sum.insert(job.batch);
                        });
  }
  all.close();
}

/// How they ended is told with what the rows say of them. All that was found
/// is durable, so that its end is among what is waited for.
void forget_published(shard_pointer self,
                      const std::shared_ptr<forgetting>& run,
                      const batches_found& found) {
  const auto& options = self->state.options;
  self->request(options.projector, options.request_timeout, await_published{})
    .then([=](done) { forget_found(self, run, found); },
          [=](const caf::error& why) { journal::answer(run->where, why); });
}

void forget_slice(shard_pointer self, const std::shared_ptr<forgetting>& run,
                  std::vector<item_id> after) {
  const auto& options = self->state.options;
  batch_query ask;
  ask.id = run->what.id;
  if (ask.id == 0)
    ask.states = {batch_state::completed, batch_state::deleted};
  if (!run->what.user.empty())
    ask.users = {run->what.user};
  ask.changed_before_us = run->what.changed_before_us;
  ask.newest_first = false;
  ask.count_max = batches_per_slice;
  ask.after = std::move(after);
  self->request(options.projector, options.request_timeout, std::move(ask))
    .then([=](const batches_found& x) { forget_published(self, run, x); },
          [=](const caf::error& why) { journal::answer(run->where, why); });
}

} // namespace

caf::result<batches_forgotten> forget_ended(shard_pointer self,
                                            const forget_batches& x) {
  if (auto refused = refuse_intake(self))
    return refused;
  auto run = std::make_shared<forgetting>();
  run->what = x;
  run->where = journal::take_reply(self);
  run->id_last = self->state.id_last;
  forget_slice(self, run, {});
  return journal::answered_later<batches_forgotten>();
}

caf::result<done> wake(shard_pointer self, const wake_items& x) {
  when_certain(self, x.user, [=] {
    const auto at = self->state.users.find(x.user);
    if (at != self->state.users.end())
      self->send(at->second.actor, x);
  });
  return done{};
}

// -- whoever works on them ----------------------------------------------------

void begin_work(shard_pointer self, const std::string& user) {
  auto& state = self->state;
  state.users.at(user).works = true;
  for (const auto& [name, settings] : state.control->queues)
    if (settings.kind == queue_kind::stage)
      if (const auto number = find_queue(self, name))
        reach_user(self, user, *number);
  self->send(state.users.at(user).actor, use_work_terms{state.control});
}

void spread_terms(shard_pointer self, const std::string& held_collection) {
  auto& state = self->state;
  const auto tell = [=](const std::string& user) {
    const auto at = self->state.users.find(user);
    if (at == self->state.users.end())
      return;
    begin_work(self, user); // there may be new stages
    if (!held_collection.empty())
      self->send(at->second.actor, hold_collection{held_collection});
  };
  for (auto& [name, entry] : state.users)
    if (entry.works)
      when_certain(self, name, [=, user = name] { tell(user); });
}

} // namespace depositd::shard
