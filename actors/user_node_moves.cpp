#include "actors/node_command.hpp"
#include "actors/reply.hpp"
#include "actors/user_node_parts.hpp"

namespace depositd::node_parts {

void admit(self_pointer self, const admit_items& x) {
  auto* queue = find_queue(self, x.queue);
  if (queue == nullptr)
    return;
  report_extras extras;
  for (const auto& item : x.items)
    if (!queue->ledger.admit(item.id, x.counted) && x.counted)
      extras.not_there.push_back({item.band, item.cls, 1});
  report(self, *queue, std::move(extras));
}

void collapse(self_pointer self, const collapse_items& x) {
  auto* queue = find_queue(self, x.queue);
  if (queue == nullptr)
    return;
  node_command todo{self};
  report_extras extras;
  extras.collapses_done = static_cast<std::uint32_t>(x.ids.size());
  for (auto& ended : queue->ledger.collapse(x.ids, now(self))) {
    ++extras.finished;
    todo.happen(*queue, std::move(ended));
  }
  report(self, *queue, std::move(extras));
  todo.commit();
}

caf::result<items_moved> move_out(self_pointer self, const move_items& x) {
  auto* from = find_queue(self, x.from);
  auto* to = find_queue(self, x.to);
  items_moved out;
  if (from == nullptr || to == nullptr)
    return out;
  node_command todo{self};
  report_extras extras;
  for (auto& e : from->ledger.move_out({to->name, x.id_last, x.count_max},
                                       to->ledger, now(self))) {
    ++out.moved;
    if (auto* moved = std::get_if<item_moved>(&e)) {
      todo.move(*from, *to, std::move(*moved));
    } else {
      ++extras.finished;
      todo.happen(*from, std::move(e));
    }
  }
  out.more = from->ledger.holds_up_to(x.id_last);
  todo.deliver(reply{take_reply(self), caf::make_message(out)});
  report(self, *from, std::move(extras));
  report(self, *to);
  todo.commit();
  return answered_later<items_moved>();
}

void park(self_pointer self, const park_items& x) {
  node_command todo{self};
  auto* queue = find_queue(self, x.queue);
  if (queue != nullptr)
    for (auto& parked : queue->ledger.park(x.ids, x.parked))
      todo.happen(*queue, std::move(parked));
  todo.deliver(x.answer);
  if (queue != nullptr)
    report(self, *queue);
  todo.commit();
}

void purge(self_pointer self, const purge_items& x) {
  node_command todo{self};
  auto* queue = find_queue(self, x.queue);
  if (queue != nullptr)
    for (auto& purged : queue->ledger.purge(now(self)))
      todo.happen(*queue, std::move(purged));
  todo.deliver(x.answer);
  if (queue != nullptr)
    report(self, *queue);
  todo.commit();
}

} // namespace depositd::node_parts
