#include "actors/rules/ledger/outcome_bounds.hpp"
#include "actors/users/command.hpp"
#include "actors/users/work.hpp"
#include "messages/values/operations.hpp"

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
  rules::keep_within_bounds(out);
  return out;
}

} // namespace

namespace {

/// Of items of a stage, whoever has claimed them. The last one answers.
void settle_stages(self_pointer self, const settle_named& x,
                   const user_queue& queue) {
  const auto open = std::make_shared<std::size_t>(x.items.size());
  for (std::size_t i = 0; i < x.items.size(); ++i) {
    auto what = outcome_of(x.items[i]);
    what.token = queue.ledger.token_of(what.id);
    end_stage(self, {x.queue, std::move(what),
                     [=, answer = x.answer, share = x.share,
                      at = x.positions[i]](user_command& todo, bool accepted) {
                       answer->accepted[at] = accepted ? 1 : 0;
                       if (--*open == 0)
                         todo.deliver(share);
                     }});
  }
}

/// Who processes at once answers its depositor itself. Of what others end by
/// name nobody has said whether anybody is to be told: who tells will see.
bool may_be_told(const user_queue& queue, item_id id) {
  if (queue.settings.kind != queue_kind::deposit)
    return false;
  const auto item = queue.ledger.glance(id);
  return item && !find_source(item->processor).synchronous;
}

} // namespace

void settle_by_name(self_pointer self, const settle_named& x) {
  user_command todo{self, x.queue};
  if (todo.queue != nullptr && !x.items.empty()
      && todo.queue->settings.kind == queue_kind::stage)
    return settle_stages(self, x, *todo.queue);
  for (std::size_t i = 0; todo.queue != nullptr && i < x.items.size(); ++i)
    if (auto ended =
          todo.queue->ledger.end_by_id(outcome_of(x.items[i]), now(self))) {
      x.answer->accepted[x.positions[i]] = 1;
      end_claim(todo, self, std::move(*ended),
                may_be_told(*todo.queue, x.items[i].name.id));
    }
  todo.deliver(x.share);
  todo.commit();
}

void renew_by_name(self_pointer self, const renew_named& x) {
  user_command todo{self, x.queue};
  const auto time = now(self);
  const rules::taker_limits who{x.taker, time + micros{x.lease_ms} * 1000,
                                false};
  const bool only_extends =
    todo.queue != nullptr && todo.queue->settings.kind == queue_kind::stage;
  std::uint32_t begun = 0;
  todo.extras.begins_judged = x.begins_max;
  for (std::size_t i = 0; todo.queue != nullptr && i < x.ids.size(); ++i) {
    const auto& ledger = todo.queue->ledger;
    // A job that was given back counts its hand-outs.
    if (only_extends && ledger.token_of(x.ids[i]) == 0)
      continue;
    auto changed = x.lease_ms > 0 ? ledger.renew_by_id(x.ids[i], who, time)
                                  : ledger.release_by_id(x.ids[i], time);
    if (!changed)
      continue;
    if (const auto* claimed = std::get_if<item_claimed>(&*changed)) {
      if (begun == x.begins_max)
        continue;
      ++begun;
      ++todo.extras.claimed_by_id;
      charge_unpicked(*todo.queue, *claimed);
    }
    todo.happen(std::move(*changed));
  }
  todo.deliver(x.share);
  todo.commit();
}

void release_of(self_pointer self, const release_claims& x) {
  user_command todo{self, x.queue};
  if (todo.queue != nullptr)
    for (auto& released : without_exhausted(
           self, x.queue,
           todo.queue->ledger.release_claims(x.processor, now(self))))
      end_claim(todo, self, std::move(released), true);
  if (x.answer)
    todo.deliver(x.answer);
  todo.commit();
}

caf::result<claims_adopted> adopt(self_pointer self, const adopt_claims& x) {
  claims_adopted out;
  user_command todo{self, x.queue};
  const auto time = now(self);
  const auto deadline =
    x.lease_ms == 0 ? never : time + micros{x.lease_ms} * 1000;
  std::unordered_set<item_id> kept;
  for (const auto& claim : x.claims) {
    const auto held =
      todo.queue == nullptr
        ? caf::expected<event>{caf::make_error(ec::stale_claim)}
        : todo.queue->ledger.extend(claim.id, claim.token, deadline);
    out.in_force.push_back(static_cast<bool>(held));
    if (!held)
      continue;
    kept.insert(claim.id);
    todo.happen(*held);
  }
  if (todo.queue != nullptr)
    for (auto& lost : without_exhausted(
           self, x.queue,
           todo.queue->ledger.release_claims(x.processor, time, &kept)))
      end_claim(todo, self, std::move(lost), true);
  // Most users have nothing to do with the processor; that needs no commit. A
  // claim that is not in force does: what ended it must be durable first.
  if (x.claims.empty() && todo.empty())
    return out;
  return todo.commit_and_answer(std::move(out));
}

} // namespace depositd::users
