// What doors bring: items and deposits.

#include "actors/rules/control/control.hpp"
#include "actors/rules/control/founding.hpp"
#include "actors/shard/admission/admission.hpp"
#include "messages/records.hpp"
#include "messages/values/names.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/test_points.hpp"

#include <span>

namespace depositd::shard {

namespace {

caf::error invalid(std::string text) {
  return caf::make_error(ec::invalid_argument, std::move(text));
}

/// Whose first use of a queue it may be.
std::string founder_of(const enqueue& x) {
  return x.items.empty() ? std::string{} : x.items.front().user;
}

caf::error check_items(const enqueue& x, const std::string& queue,
                       const std::vector<new_item>& items) {
  if (!legal_queue_name(queue))
    return invalid("not a queue name: " + queue.substr(0, 64));
  for (const auto& item : items) {
    if (auto wrong = check_item(item.user, item.priority))
      return wrong;
    if (x.whole && item.user != founder_of(x))
      return invalid("a whole batch is of one user");
    if (item.body.size() > inline_body_bytes_max)
      return caf::make_error(
        ec::too_large, "a body has more than "
                         + std::to_string(inline_body_bytes_max) + " bytes");
  }
  return {};
}

caf::error check(const enqueue& x) {
  if (!x.whole && !x.also.empty())
    return invalid("only a whole batch is for several queues");
  auto count = x.items.size();
  for (const auto& more : x.also)
    count += more.items.size();
  if (count > enqueue_items_max)
    return caf::make_error(ec::too_large, "more than "
                                            + std::to_string(enqueue_items_max)
                                            + " items in one message");
  if (auto wrong = check_items(x, x.queue, x.items))
    return wrong;
  for (const auto& more : x.also)
    if (auto wrong = check_items(x, more.queue, more.items))
      return wrong;
  return {};
}

/// Whether messages may be put into the queue, which is there.
caf::error check_kind(const control_state& control, const std::string& queue) {
  const auto kind = control.queues.at(queue).kind;
  if (kind == queue_kind::stage)
    return invalid("queue " + queue + " takes jobs only from their pipeline");
  if (kind == queue_kind::outbox)
    return invalid("queue " + queue + " takes only deposits that are over");
  return {};
}

void put(admission& to, queue_number queue, std::vector<new_item>& items) {
  for (auto& item : items) {
    accept_items::one one;
    one.priority = item.priority;
    one.size = item.body.size();
    one.body = std::make_shared<const std::string>(std::move(item.body));
    to.add(queue, item.user, std::move(one));
  }
}

enqueued result_of(const enqueue_answer& x) {
  const auto& ids = x.ids;
  return {ids,
          static_cast<std::uint32_t>(std::count(ids.begin(), ids.end(), 0)),
          x.over_bytes};
}

/// Makes those that are not there, all of them or none.
caf::error make_queues(shard_pointer self, std::span<const std::string> names,
                       const std::string& user) {
  const auto& options = self->state.options;
  std::optional<control_state> with_new;
  std::vector<event> changes;
  for (const auto& name : names) {
    if (find_queue(self, name) || (with_new && with_new->queues.contains(name)))
      continue;
    if (options.number != 0)
      return caf::make_error(
        ec::overloaded, "shard " + std::to_string(options.number)
                          + " does not know queue " + name + " yet: try again");
    if (!with_new)
      with_new = *self->state.control;
    auto made =
      rules::found(*with_new, {name, user, options.queues_per_key_max});
    if (!made)
      return made.error();
    for (auto& change : *made) {
      rules::apply(*with_new, change);
      changes.push_back(std::move(change));
    }
  }
  if (!changes.empty())
    commit_control(self, std::move(changes));
  return {};
}

queue_number use_queue(shard_pointer self, const std::string& name) {
  const auto number = *find_queue(self, name);
  self->state.queues[number].used_us = now(self);
  return number;
}

} // namespace

caf::expected<queue_number> reach_queue(shard_pointer self,
                                        const std::string& name,
                                        const std::string& user) {
  if (auto wrong = make_queues(self, {&name, 1}, user))
    return wrong;
  return use_queue(self, name);
}

caf::result<enqueued> accept_batch(shard_pointer self, enqueue& x) {
  if (auto refused = refuse_growth(self))
    return refused;
  if (auto wrong = check(x))
    return wrong;
  if (x.items.empty())
    return enqueued{};
  std::vector<std::string> names{x.queue};
  for (const auto& more : x.also)
    names.push_back(more.queue);
  if (auto wrong = make_queues(self, names, founder_of(x)))
    return wrong;
  for (const auto& name : names)
    if (auto wrong = check_kind(*self->state.control, name))
      return wrong;
  admission all{self};
  if (x.whole)
    all.make_whole();
  put(all, use_queue(self, x.queue), x.items);
  for (auto& more : x.also)
    put(all, use_queue(self, more.queue), more.items);
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

caf::expected<enqueued> answer_to_submit(const enqueue_answer& of) {
  if (of.ids[0] != 0 || of.over_claims)
    return result_of(of);
  return of.over_bytes
           ? caf::make_error(ec::quota_reached,
                             std::string{"The user has as many bytes of "
                                         "pending submissions as may be"})
           : caf::make_error(
             ec::pending_limit_reached,
             std::string{"the user has too many pending submissions"});
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
  const auto claims_max =
    find_source(x.submission.source).synchronous
      ? running_max(*self->state.control, x.queue, x.user)
      : no_cap;
  if (claims_max == 0)
    return caf::make_error(
      ec::overloaded, std::string{"nothing of the user is handed out now"});
  admission one{self};
  one.add_deposit(*number, x.user, x.priority, x.submission, x.body);
  one.keep_to(claims_max);
  return one.commit<enqueued>(answer_to_submit);
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
