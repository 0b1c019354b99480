#include "actors/journal/reply.hpp"
#include "actors/rules/control/control.hpp"
#include "actors/shard/parts.hpp"
#include "messages/values/codec.hpp"
#include "messages/values/names.hpp"
#include "messages/values/submission_body.hpp"

#include <algorithm>
#include <string_view>
#include <xxhash.h>

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
    if (!legal_user_name(item.user))
      return invalid("not a user name");
    if (item.priority > 99)
      return invalid("priority is 0 to 99");
    if (item.body.size() > inline_body_bytes_max)
      return caf::make_error(
        ec::too_large, "a body has more than "
                         + std::to_string(inline_body_bytes_max) + " bytes");
  }
  return {};
}

/// The queue's number; a queue that is new comes into being. Of several shards
/// shard 0 decides about that: the others would begin it with other settings
/// than those that are on their way here, and some of them can never change.
caf::expected<queue_number> reach_queue(shard_pointer self,
                                        const std::string& name) {
  if (const auto number = find_queue(self, name))
    return *number;
  if (self->state.options.number != 0)
    return caf::make_error(ec::overloaded,
                           "shard " + std::to_string(self->state.options.number)
                             + " does not know queue " + name
                             + " yet: try again");
  std::vector<event> changes;
  changes.emplace_back(queue_changed{name, rules::settings_of_new_queue(name)});
  commit_control(self, std::move(changes), {});
  return *find_queue(self, name);
}

enqueued result_of(const enqueue_answer& x) {
  enqueued out;
  out.ids = x.ids;
  for (auto id : x.ids)
    if (id == 0)
      ++out.refused;
  return out;
}

/// Items of one user out of a batch, in their order.
using groups = std::vector<std::pair<std::string, accept_items>>;

groups group_by_user(shard_pointer self, enqueue& x, queue_number number,
                     const std::shared_ptr<enqueue_answer>& answer) {
  groups out;
  std::unordered_map<std::string_view, std::size_t> index;
  auto& id_last = self->state.id_last;
  const auto dedup = self->state.control->queues.at(x.queue).dedup;
  for (std::uint32_t i = 0; i < x.items.size(); ++i) {
    auto& item = x.items[i];
    auto [at, fresh] = index.try_emplace(item.user, out.size());
    if (fresh) {
      out.emplace_back(item.user, accept_items{});
      out.back().second.queue = number;
      out.back().second.answer = answer;
    }
    accept_items::one one;
    one.id = ++id_last;
    one.priority = item.priority;
    one.size = item.body.size();
    if (dedup != dedup_mode::none)
      one.digest = digest_of(item.body);
    one.body = std::make_shared<const std::string>(std::move(item.body));
    one.position = i;
    answer->ids[i] = one.id;
    out[at->second].second.items.push_back(std::move(one));
  }
  return out;
}

} // namespace

std::uint64_t digest_of(const std::string& body) {
  return std::max<std::uint64_t>(XXH3_64bits(body.data(), body.size()), 1);
}

caf::result<enqueued> accept_batch(shard_pointer self, enqueue& x) {
  if (auto refused = refuse_intake(self))
    return refused;
  if (auto wrong = check(x))
    return wrong;
  if (x.items.empty())
    return enqueued{};
  const auto reached = reach_queue(self, x.queue);
  if (!reached)
    return reached.error();
  const auto number = *reached;
  auto answer = std::make_shared<enqueue_answer>();
  answer->ids.resize(x.items.size());
  auto parts = group_by_user(self, x, number, answer);
  auto share =
    journal::share_reply(journal::take_reply(self), parts.size(), [answer] {
      return caf::make_message(result_of(*answer));
    });
  for (auto& [user, items] : parts) {
    items.share = share;
    const auto at = self->state.users.find(user);
    if (at == self->state.users.end() || !at->second.retiring) {
      self->send(reach_user(self, user, number).actor, std::move(items));
    } else {
      auto late = std::make_shared<accept_items>(std::move(items));
      with_user(self, user, number, [=](const user_actor& node) {
        self->send(node, std::move(*late));
      });
    }
  }
  return journal::answered_later<enqueued>();
}

caf::result<enqueued> accept_submission(shard_pointer self, const submit& x) {
  if (auto refused = refuse_intake(self))
    return refused;
  if (!legal_user_name(x.user))
    return invalid("not a user name");
  const auto number = find_queue(self, x.queue);
  if (!number)
    return caf::make_error(ec::not_found, "no queue " + x.queue);
  // Message queues forget what is finished; the fold counts on it.
  if (self->state.control->queues.at(x.queue).kind != queue_kind::deposit)
    return invalid("queue " + x.queue + " takes no deposits");
  auto answer = std::make_shared<enqueue_answer>();
  accept_items items;
  items.queue = *number;
  items.answer = answer;
  accept_items::one one;
  one.id = ++self->state.id_last;
  one.priority = x.priority;
  one.size = x.submission.size;
  one.body =
    std::make_shared<const std::string>(encode_submission_body(x.submission));
  answer->ids.push_back(one.id);
  items.items.push_back(std::move(one));
  items.submissions.push_back(x.submission);
  items.share = journal::share_reply(journal::take_reply(self), 1, [answer] {
    if (answer->ids[0] == 0)
      return caf::make_message(caf::make_error(
        ec::pending_limit_reached,
        std::string{"the user has too many pending submissions"}));
    return caf::make_message(result_of(*answer));
  });
  with_user(self, x.user, *number,
            [=](const user_actor& node) { self->send(node, items); });
  return journal::answered_later<enqueued>();
}

caf::result<enqueued> record_processed(shard_pointer self,
                                       const record_submission& x) {
  if (auto refused = refuse_intake(self))
    return refused;
  auto what = x.what;
  if (what.id == 0)
    what.id = ++self->state.id_last;
  append out;
  out.generation = self->state.generation;
  out.events = 1;
  out.deliveries.emplace_back(reply{journal::take_reply(self),
                                    caf::make_message(enqueued{{what.id}, 0})});
  std::vector<body_slot> slots;
  encode(record{x.user, {event{std::move(what)}}}, out.bytes, slots);
  if (self->state.options.backlog)
    self->state.options.backlog->bytes += out.bytes.size();
  self->send(self->state.options.journal, std::move(out));
  return journal::answered_later<enqueued>();
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
