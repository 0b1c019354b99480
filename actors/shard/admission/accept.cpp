// What doors bring: items, deposits, and deposits that are over already.

#include "actors/rules/control/control.hpp"
#include "actors/rules/control/founding.hpp"
#include "actors/shard/admission/admission.hpp"
#include "messages/records.hpp"
#include "messages/values/names.hpp"
#include "messages/values/test_points.hpp"

namespace depositd::shard {

namespace {

caf::error invalid(std::string text) {
  return caf::make_error(ec::invalid_argument, std::move(text));
}

caf::error check(const enqueue& x) {
  if (!legal_queue_name(x.queue))
    return invalid("not a queue name: " + x.queue.substr(0, 64));
  if (x.items.size() > enqueue_items_max)
    return caf::make_error(ec::too_large, "more than "
                                            + std::to_string(enqueue_items_max)
                                            + " items in one message");
  for (const auto& item : x.items) {
    if (auto wrong = check_item(item.user, item.priority))
      return wrong;
    if (item.body.size() > inline_body_bytes_max)
      return caf::make_error(
        ec::too_large, "a body has more than "
                         + std::to_string(inline_body_bytes_max) + " bytes");
  }
  return {};
}

enqueued result_of(const enqueue_answer& x) {
  const auto& ids = x.ids;
  return {ids,
          static_cast<std::uint32_t>(std::count(ids.begin(), ids.end(), 0)),
          x.over_bytes};
}

} // namespace

caf::expected<queue_number> reach_queue(shard_pointer self,
                                        const std::string& name,
                                        const std::string& user) {
  if (const auto number = find_queue(self, name)) {
    self->state.queues[*number].used_us = now(self);
    return *number;
  }
  if (self->state.options.number != 0)
    return caf::make_error(
      ec::overloaded, "shard " + std::to_string(self->state.options.number)
                        + " does not know queue " + name + " yet: try again");
  const auto& state = self->state;
  const auto made = rules::found(
    *state.control, {name, user, state.options.queues_per_key_max});
  if (!made)
    return made.error();
  commit_control(self, *made);
  return *find_queue(self, name);
}

caf::result<enqueued> accept_batch(shard_pointer self, enqueue& x) {
  if (auto refused = refuse_growth(self))
    return refused;
  if (auto wrong = check(x))
    return wrong;
  if (x.items.empty())
    return enqueued{};
  const auto number = reach_queue(self, x.queue, x.items.front().user);
  if (!number)
    return number.error();
  const auto kind = self->state.control->queues.at(x.queue).kind;
  if (kind == queue_kind::stage)
    return invalid("queue " + x.queue + " takes jobs only from their pipeline");
  if (kind == queue_kind::outbox)
    return invalid("queue " + x.queue + " takes only deposits that are over");
  admission all{self};
  for (auto& item : x.items) {
    accept_items::one one;
    one.priority = item.priority;
    one.size = item.body.size();
    one.body = std::make_shared<const std::string>(std::move(item.body));
    all.add(*number, item.user, std::move(one));
  }
  return all.commit<enqueued>(result_of);
}

namespace {

caf::error check_body(const submit& x) {
  if (x.body.size() > inline_submission_bytes_max)
    return caf::make_error(ec::too_large,
                           "a file of more than "
                             + std::to_string(inline_submission_bytes_max)
                             + " bytes goes into the blob store");
  if (!x.body.empty() && x.body.size() != x.submission.size)
    return invalid("the file is not as long as the submission says");
  return {};
}

} // namespace

caf::result<enqueued> accept_submission(shard_pointer self, const submit& x) {
  if (auto refused = refuse_growth(self))
    return refused;
  if (auto wrong = check_item(x.user, x.priority))
    return wrong;
  if (auto wrong = check_body(x))
    return wrong;
  const auto number = find_queue(self, x.queue);
  if (!number)
    return caf::make_error(ec::not_found, "no queue " + x.queue);
  // Message queues forget what is finished; the fold counts on it.
  if (self->state.control->queues.at(x.queue).kind != queue_kind::deposit)
    return invalid("queue " + x.queue + " takes no deposits");
  admission one{self};
  one.add_deposit(*number, x.user, x.priority, x.submission, x.body);
  return one.commit<enqueued>([](const auto& of) -> caf::expected<enqueued> {
    if (of.ids[0] != 0)
      return result_of(of);
    return of.over_bytes
             ? caf::make_error(ec::quota_reached,
                               std::string{"The user has as many bytes of "
                                           "pending submissions as may be"})
             : caf::make_error(
               ec::pending_limit_reached,
               std::string{"the user has too many pending submissions"});
  });
}

caf::result<enqueued> record_processed(shard_pointer self,
                                       const record_submission& x) {
  if (auto refused = refuse_growth(self))
    return refused;
  auto what = x.what;
  if (what.id == 0)
    what.id = ++self->state.id_last;
  else if (self->state.reserved.erase(what.id) == 0
           && !seeded_bug("number_of_an_earlier_life"))
    // It may be another deposit's by now.
    return caf::make_error(ec::overloaded,
                           std::string{"the shard has started anew since this "
                                       "deposit got its number: send it "
                                       "again"});
  const enqueued result{{what.id}, 0};
  journal::command todo{self->state.journal, x.user};
  todo.note(std::move(what));
  return todo.commit_and_answer(self, result);
}

caf::expected<queue_port_actor> open_port(shard_pointer self,
                                          const std::string& name) {
  if (auto refused = refuse_intake(self))
    return refused;
  if (!legal_queue_name(name))
    return invalid("not a queue name: " + name.substr(0, 64));
  const auto number = reach_queue(self, name);
  if (!number)
    return number.error();
  return queue_port_actor{self->state.queues[*number].actor};
}

} // namespace depositd::shard
