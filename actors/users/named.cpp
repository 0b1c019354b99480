#include "actors/journal/reply.hpp"
#include "actors/users/command.hpp"
#include "actors/users/parts.hpp"

#include <unordered_set>

namespace depositd::users {

namespace {

outcome outcome_of(const settle_items::one& x) {
  outcome out;
  out.id = x.name.id;
  out.says = x.says;
  out.delay_ms = x.delay_ms;
  out.reason = x.reason;
  out.batch_id = x.batch_id;
  out.document = x.document;
  return out;
}

} // namespace

void settle_by_name(self_pointer self, const settle_named& x) {
  user_command todo{self};
  report_extras extras;
  auto* queue = find_queue(self, x.queue);
  for (std::size_t i = 0; queue != nullptr && i < x.items.size(); ++i) {
    auto ended = queue->ledger.end_by_id(outcome_of(x.items[i]), now(self));
    if (!ended)
      continue;
    x.answer->accepted[x.positions[i]] = 1;
    if (std::holds_alternative<item_finished>(*ended))
      ++extras.finished;
    todo.happen(*queue, std::move(*ended));
  }
  todo.deliver(x.share);
  if (queue != nullptr)
    report(self, *queue, std::move(extras));
  todo.commit();
}

void renew_by_name(self_pointer self, const renew_named& x) {
  user_command todo{self};
  report_extras extras;
  auto* queue = find_queue(self, x.queue);
  const auto time = now(self);
  const rules::taker_limits who{x.taker, time + micros{x.lease_ms} * 1000,
                                false};
  for (std::size_t i = 0; queue != nullptr && i < x.ids.size(); ++i) {
    auto changed = x.lease_ms > 0
                     ? queue->ledger.renew_by_id(x.ids[i], who, time)
                     : queue->ledger.release_by_id(x.ids[i], time);
    if (!changed)
      continue;
    if (std::holds_alternative<item_claimed>(*changed))
      ++extras.claimed_by_id;
    todo.happen(*queue, std::move(*changed));
  }
  todo.deliver(x.share);
  if (queue != nullptr)
    report(self, *queue, std::move(extras));
  todo.commit();
}

void release_all(self_pointer self, const release_claims& x) {
  user_command todo{self};
  auto* queue = find_queue(self, x.queue);
  if (queue != nullptr)
    for (auto& released : queue->ledger.release_claims(x.processor, now(self)))
      todo.happen(*queue, std::move(released));
  if (x.answer)
    todo.deliver(x.answer);
  if (queue != nullptr)
    report(self, *queue);
  todo.commit();
}

caf::result<claims_adopted> adopt(self_pointer self, const adopt_claims& x) {
  claims_adopted out;
  auto* queue = find_queue(self, x.queue);
  user_command todo{self};
  const auto time = now(self);
  const auto deadline
    = x.lease_ms == 0 ? never : time + micros{x.lease_ms} * 1000;
  std::unordered_set<item_id> kept;
  for (const auto& claim : x.claims) {
    const auto held
      = queue == nullptr
          ? caf::expected<event>{caf::make_error(ec::stale_claim)}
          : queue->ledger.extend(claim.id, claim.token, deadline);
    out.in_force.push_back(static_cast<bool>(held));
    if (!held)
      continue;
    kept.insert(claim.id);
    todo.happen(*queue, *held);
  }
  if (queue != nullptr)
    for (auto& lost : queue->ledger.release_claims(x.processor, time, &kept))
      todo.happen(*queue, std::move(lost));
  // Most users have nothing to do with the processor; that needs no commit. A
  // claim that is not in force does: what ended it must be durable first.
  if (x.claims.empty() && todo.empty())
    return out;
  todo.deliver(
    reply{journal::take_reply(self), caf::make_message(std::move(out))});
  if (queue != nullptr)
    report(self, *queue);
  todo.commit();
  return journal::answered_later<claims_adopted>();
}

} // namespace depositd::users
