// Messages that several queues of the user get at once, each a copy with a
// number and a fate of its own.

#include "actors/rules/ledger/copies.hpp"
#include "actors/users/command.hpp"
#include "messages/values/test_points.hpp"

#include <cassert>
#include <utility>
#include <vector>

namespace depositd::users {

namespace {

/// Of which the shard has told the user's actor before.
std::vector<user_queue*> queues_of(self_pointer self,
                                   const std::vector<queue_number>& numbers) {
  std::vector<user_queue*> out;
  for (const auto number : numbers)
    if (auto* queue = find_queue(self, number))
      out.push_back(queue);
  assert(out.size() == numbers.size());
  return out;
}

/// The command's own queue is reported to with it.
void report_others(self_pointer self, const user_command& todo,
                   const std::vector<user_queue*>& queues) {
  for (auto* queue : queues)
    if (queue != todo.queue)
      report(self, *queue);
}

/// What several copies of one body have in common.
struct arriving {
  rules::body_bytes body; ///< null: somewhere in the journal
  micros available_us = never;
  bool keeps = true; ///< in memory, where there is room
};

void take_in(user_command& todo, self_pointer self, user_queue& queue,
             item_id id, event x, const arriving& what) {
  if (what.body != nullptr
      && !(what.keeps && self->state.options.budget->take(what.body->size())))
    todo.ask_place(id);
  todo.happen_in(queue, std::move(x), what.body);
  if (what.available_us != never)
    todo.happen_in(queue, item_delayed{id, queue.name, what.available_us});
}

std::vector<rules::incoming> incoming_of(const accept_messages& x) {
  std::vector<rules::incoming> out;
  out.reserve(x.bodies.size());
  auto id = x.id_first;
  for (const auto& body : x.bodies) {
    out.push_back({id, 0, body->size(), 0, body_kind::inline_bytes, body});
    id += x.queues.size();
  }
  return out;
}

/// One item goes to the first queue, and copies of it to the others.
void spread_one(user_command& todo, self_pointer self,
                const rules::waiting_item& x,
                const std::vector<user_queue*>& to, item_id copy_id) {
  rules::later_copies copies{x};
  for (std::size_t i = 1; i < to.size(); ++i, ++copy_id)
    take_in(todo, self, *to[i], copy_id, copies.next(copy_id, to[i]->name),
            {x.body, x.available_us});
  todo.move(item_moved{x.id, todo.queue->name, to[0]->name, now(self)}, *to[0]);
  if (x.available_us != never)
    todo.happen_in(*to[0], item_delayed{x.id, to[0]->name, x.available_us});
}

} // namespace

void accept_all(self_pointer self, const accept_messages& x) {
  const auto queues = queues_of(self, x.queues);
  user_command todo{self, queues.front()};
  arriving what;
  what.keeps = !x.waits;
  const auto time = now(self);
  if (x.delay_ms > 0)
    what.available_us = time + micros{x.delay_ms} * 1000;
  auto come = todo.queue->ledger.accept(incoming_of(x), time, nullptr, true);
  for (std::size_t i = 0; i < come.size(); ++i) {
    what.body = x.bodies[i];
    const auto id = come[i].id;
    std::vector<item_copied> copies;
    for (std::size_t j = 1; j < queues.size(); ++j)
      copies.push_back(rules::copy_of(come[i], id + j, queues[j]->name));
    take_in(todo, self, *todo.queue, id, std::move(come[i]), what);
    if (seeded_bug("copy_forgotten") && !copies.empty())
      copies.pop_back();
    for (std::size_t j = 0; j < copies.size(); ++j)
      take_in(todo, self, *queues[j + 1], id + j + 1, std::move(copies[j]),
              what);
  }
  todo.deliver(x.share);
  report_others(self, todo, queues);
  todo.commit();
}

caf::result<items_spread> spread(self_pointer self, const spread_items& x) {
  user_command todo{self, x.from};
  const auto to = queues_of(self, x.to);
  items_spread out;
  if (todo.queue == nullptr || to.empty())
    return out;
  auto copy_id = x.id_first;
  for (const auto& item : todo.queue->ledger.waiting(x.count_max)) {
    spread_one(todo, self, item, to, copy_id);
    copy_id += to.size() - 1;
    ++out.count;
  }
  out.more = out.count == x.count_max;
  report_others(self, todo, to);
  return todo.commit_and_answer(out);
}

} // namespace depositd::users
