#include "actors/rules/control/telling.hpp"

#include "messages/values/operations.hpp"

#include <algorithm>
#include <utility>

namespace depositd::rules {

bool may_be_told(const control_state& state, const std::string& user) {
  const auto queue = state.queues.find(notify_queue);
  if (queue == state.queues.end() || queue->second.kind != queue_kind::outbox)
    return false;
  const auto contact = state.contacts.find(user);
  if (contact != state.contacts.end() && !contact->second.callback.empty())
    return true;
  // The configuration names the queue where it names a server for mail.
  const auto& seen = state.configured.queues;
  return std::any_of(seen.begin(), seen.end(),
                     [](const auto& x) { return x.name == notify_queue; });
}

submission_ended deposit_end(item_finished x) {
  return {x.id,
          std::move(x.queue),
          x.how,
          x.finished_us,
          std::move(x.reason),
          std::move(x.batch_id),
          std::move(x.document)};
}

std::optional<kept_notification> keep_aside(const item_finished& failed,
                                            const ledger& from) {
  if (from.parked() >= outbox_parked_max)
    return std::nullopt;
  const auto item = from.glance(failed.id);
  kept_notification out;
  out.aside = {failed.id, failed.queue, true};
  out.back.id = failed.id;
  out.back.queue = failed.queue;
  out.back.attempt = item ? item->attempt : 0;
  out.back.reason = failed.reason;
  return out;
}

} // namespace depositd::rules
