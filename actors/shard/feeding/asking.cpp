// What schedulers ask of the shard of their queue, and what operators ask of
// schedulers.

#include "actors/journal/reply.hpp"
#include "actors/shard/feeding/feeding.hpp"

#include <utility>

namespace depositd::shard {

namespace {

/// Of whom one question may be.
constexpr std::size_t users_asked_max = 10'000;

caf::error no_scheduler(const std::string& name) {
  return caf::make_error(ec::not_found, "no scheduler " + name.substr(0, 64));
}

caf::error started_over() {
  return caf::make_error(ec::store_failed,
                         std::string{"the engine has started over"});
}

template <class Answer, class Request>
caf::result<Answer> ask_those(shard_pointer self, Request& x) {
  if (auto refused = refuse_recovering(self))
    return refused;
  const auto& schedulers = self->state.schedulers;
  if (!schedulers)
    return no_scheduler(x.scheduler);
  return self->delegate(schedulers, std::move(x));
}

/// Answers when all that was decided before is durable.
template <class Answer>
void answer_durably(shard_pointer self, const reply_address& where,
                    Answer what) {
  journal::command todo{self->state.journal};
  todo.deliver(reply{where, caf::make_message(std::move(what))});
  todo.commit(self);
}

record_found found_of(const rules::record_register::finding& x) {
  record_found out;
  out.state = x.state;
  out.user = x.user;
  out.id = x.id;
  return out;
}

/// The user's actor has said what its item does.
void tell_item(shard_pointer self, const reply_address& where,
               const look_up_record& x, const item_found& item) {
  // What has ended meanwhile was told before this answer.
  auto out = found_of(self->state.records.find(x.source, x.made_us, x.key));
  if (item.found && out.id == item.item.id) {
    out.attempt = item.item.attempt;
    if (item.item.state == item_state::claimed)
      out.state = record_state::claimed;
  }
  answer_durably(self, where, std::move(out));
}

} // namespace

caf::result<queue_measured> measure_one(shard_pointer self,
                                        const measure_queue& x) {
  if (auto refused = refuse_recovering(self))
    return refused;
  if (x.users.size() > users_asked_max)
    return caf::make_error(ec::too_large, "more than "
                                            + std::to_string(users_asked_max)
                                            + " users in one question");
  const auto& state = self->state;
  queue_measured out;
  for (const auto& user : x.users)
    out.of_users.push_back(state.records.of_user(x.queue, user));
  const auto number = find_queue(self, x.queue);
  if (!number)
    return out;
  // What has ended makes room only once that is durable: were its append lost,
  // it would be there again.
  const auto where = journal::take_reply(self);
  const auto generation = state.journal.generation;
  self
    ->request(state.queues[*number].actor, state.options.request_timeout,
              measure_left{})
    .then(
      [=](const left_measured& y) {
        if (self->state.journal.generation != generation)
          return journal::answer(where, started_over());
        auto all = out;
        all.left = y.left;
        answer_durably(self, where, std::move(all));
      },
      [=](const caf::error& why) { journal::answer(where, why); });
  return journal::answered_later<queue_measured>();
}

caf::result<records_counted> count_known(shard_pointer self,
                                         const count_records& x) {
  if (auto refused = refuse_recovering(self))
    return refused;
  const auto y = self->state.records.count(x.source, x.made_us);
  return answer_after_commits(
    self,
    records_counted{y.queued, y.claimed, y.finished, y.failed, y.remembered});
}

caf::result<record_found> look_up_one(shard_pointer self,
                                      const look_up_record& x) {
  if (auto refused = refuse_recovering(self))
    return refused;
  const auto& state = self->state;
  auto known = found_of(state.records.find(x.source, x.made_us, x.key));
  const auto owner = state.users.find(known.user);
  if (known.id == 0 || owner == state.users.end())
    return answer_after_commits(self, std::move(known));
  const auto where = journal::take_reply(self);
  const auto generation = state.journal.generation;
  self
    ->request(owner->second.actor, state.options.request_timeout,
              find_item{known.id})
    .then(
      [=](const item_found& item) {
        if (self->state.journal.generation == generation)
          tell_item(self, where, x, item);
        else
          journal::answer(where, started_over());
      },
      [=](const caf::error& why) { journal::answer(where, why); });
  return journal::answered_later<record_found>();
}

caf::result<schedulers_reported> ask_schedulers(shard_pointer self,
                                                report_schedulers& x) {
  if (!self->state.schedulers && x.scheduler.empty())
    return schedulers_reported{};
  return ask_those<schedulers_reported>(self, x);
}

caf::result<record_found> ask_schedulers(shard_pointer self, find_record& x) {
  return ask_those<record_found>(self, x);
}

caf::result<strategy_explained> ask_schedulers(shard_pointer self,
                                               explain_strategy& x) {
  return ask_those<strategy_explained>(self, x);
}

caf::result<source_tested> ask_schedulers(shard_pointer self, test_source& x) {
  return ask_those<source_tested>(self, x);
}

caf::result<fed_by_hand> ask_schedulers(shard_pointer self, feed_by_hand& x) {
  if (auto refused = refuse_intake(self))
    return refused;
  return ask_those<fed_by_hand>(self, x);
}

} // namespace depositd::shard
