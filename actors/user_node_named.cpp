#include "actors/node_command.hpp"
#include "actors/user_node_parts.hpp"

namespace depositd::node_parts {

namespace {

/// Ends an item as its polling worker says, who knows no token.
caf::expected<event> end_by_id(node_queue& queue, const end_items::one& x,
                               micros time) {
  outcome what;
  what.id = x.name.id;
  what.token = queue.ledger.token_of(what.id);
  what.says = x.says;
  what.delay_ms = x.delay_ms;
  what.reason = x.reason;
  what.batch_id = x.batch_id;
  what.document = x.document;
  return x.says == verdict::done ? queue.ledger.finish(what, time)
                                 : queue.ledger.settle(what, time);
}

} // namespace

void end_by_name(self_pointer self, const end_named& x) {
  node_command todo{self};
  std::uint32_t finished = 0;
  auto* queue = find_queue(self, x.queue);
  if (queue != nullptr) {
    const auto time = now(self);
    for (std::size_t i = 0; i < x.items.size(); ++i) {
      auto ended = end_by_id(*queue, x.items[i], time);
      if (!ended)
        continue;
      x.answer->accepted[x.positions[i]] = 1;
      if (std::holds_alternative<item_finished>(*ended))
        ++finished;
      todo.happen(*queue, std::move(*ended));
    }
  }
  todo.deliver(x.share);
  report_extras extras;
  extras.finished = finished;
  if (queue != nullptr)
    report(self, *queue, std::move(extras));
  todo.commit();
}

void extend_by_name(self_pointer self, const extend_named& x) {
  node_command todo{self};
  std::int32_t claimed = 0;
  auto* queue = find_queue(self, x.queue);
  if (queue != nullptr) {
    const auto time = now(self);
    const auto deadline = time + micros{x.lease_ms} * 1000;
    for (const auto id : x.ids) {
      const auto token = queue->ledger.token_of(id);
      if (token == 0 && x.lease_ms > 0) {
        if (auto fresh = queue->ledger.claim(id, {x.taker, deadline, false},
                                             time)) {
          todo.happen(*queue, std::move(*fresh));
          ++claimed;
        }
      } else if (token != 0) {
        outcome release;
        release.id = id;
        release.token = token;
        release.says = verdict::release;
        auto changed = x.lease_ms > 0
                         ? queue->ledger.extend(id, token, deadline)
                         : queue->ledger.settle(release, time);
        if (changed)
          todo.happen(*queue, std::move(*changed));
      }
    }
  }
  todo.deliver(x.share);
  report_extras extras;
  extras.claimed_by_id = claimed;
  if (queue != nullptr)
    report(self, *queue, std::move(extras));
  todo.commit();
}

void release_all(self_pointer self, const release_claims& x) {
  node_command todo{self};
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

} // namespace depositd::node_parts
