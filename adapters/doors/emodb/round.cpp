#include "adapters/doors/emodb/round.hpp"

#include "adapters/doors/emodb/answers.hpp"
#include "adapters/doors/emodb/wire_id.hpp"

#include <algorithm>
#include <utility>

namespace depositd::emodb {

namespace {

/// Larger groups would only make their first member wait.
constexpr std::size_t group_items_max = 1'000;

void answer_all(std::vector<http::responder>& to, const http::response& what) {
  for (auto& one : to)
    one.send(what);
}

} // namespace

round::round(gateway& asked, shard_receiving_actor shard)
  : asked_(asked), shard_(std::move(shard)) {
  // nop
}

// The newest group that has room, or a new one. Few queues are in use at one
// moment.
template <class Group, class Fits>
Group& round::group_for(std::vector<Group>& groups, Fits fits) {
  const auto found = std::find_if(groups.rbegin(), groups.rend(), fits);
  return found != groups.rend() ? *found : groups.emplace_back();
}

void round::send(std::string queue, new_item item, http::responder answer) {
  const std::lock_guard lock{guard_};
  auto& to = group_for(sends_, [&](const sends& x) {
    return x.what.queue == queue && x.what.items.size() < group_items_max;
  });
  to.what.queue = std::move(queue);
  to.what.items.push_back(std::move(item));
  to.answers.push_back(std::move(answer));
}

void round::acknowledge(std::string queue, std::vector<settle_items::one> items,
                        http::responder answer) {
  const std::lock_guard lock{guard_};
  auto& to = group_for(ends_, [&](const ends& x) {
    return x.what.queue == queue
           && x.what.items.size() + items.size() <= group_items_max;
  });
  to.what.queue = std::move(queue);
  auto& all = to.what.items;
  if (all.empty())
    all = std::move(items);
  else
    all.insert(all.end(), std::make_move_iterator(items.begin()),
               std::make_move_iterator(items.end()));
  to.answers.push_back(std::move(answer));
}

void round::take(receive_items what, http::responder answer) {
  const std::lock_guard lock{guard_};
  auto& to = group_for(takes_, [&](const takes& x) {
    return x.what.queue == what.queue && x.what.taker == what.taker
           && x.what.lease_ms == what.lease_ms
           && x.what.count + what.count <= group_items_max;
  });
  to.limits.push_back(what.count);
  what.count += to.what.count;
  to.what = std::move(what);
  to.answers.push_back(std::move(answer));
}

void round::flush() {
  std::vector<sends> sent;
  std::vector<ends> ended;
  std::vector<takes> taken;
  {
    const std::lock_guard lock{guard_};
    sent.swap(sends_);
    ended.swap(ends_);
    taken.swap(takes_);
  }
  for (auto& x : sent)
    go(std::move(x));
  for (auto& x : ended)
    go(std::move(x));
  for (auto& x : taken)
    go(std::move(x));
}

void round::go(sends&& x) {
  asked_.ask(
    shard_, std::move(x.what),
    [answers = std::move(x.answers)](core_answer what) mutable {
      const auto* accepted = what.as<enqueued>();
      if (!accepted) {
        answer_all(answers, failure(what.why()));
        return;
      }
      for (std::size_t i = 0; i < answers.size(); ++i)
        answers[i].send(accepted->ids[i] != 0 ? success() : queue_full());
    });
}

void round::go(ends&& x) {
  asked_.ask(shard_, std::move(x.what),
             [answers = std::move(x.answers)](core_answer what) mutable {
               answer_all(answers, what.as<items_settled>()
                                     ? success()
                                     : failure(what.why()));
             });
}

void round::go(takes&& x) {
  auto queue = x.what.queue;
  asked_.ask(shard_, std::move(x.what),
             [queue = std::move(queue), limits = std::move(x.limits),
              answers = std::move(x.answers)](core_answer what) mutable {
               const auto* taken = what.as<items_received>();
               if (!taken) {
                 answer_all(answers, failure(what.why()));
                 return;
               }
               std::size_t at = 0;
               for (std::size_t i = 0; i < answers.size(); ++i) {
                 const auto count =
                   std::min<std::size_t>(limits[i], taken->items.size() - at);
                 answers[i].send(polled(taken->items, at, count, queue));
                 at += count;
               }
             });
}

http::response polled(const std::vector<received_item>& all, std::size_t from,
                      std::size_t count, std::string_view queue) {
  std::size_t bytes = 2;
  for (auto i = from; i < from + count; ++i)
    bytes += (all[i].body ? all[i].body->size() : 0) + 64;
  std::string out;
  out.reserve(bytes);
  out += '[';
  for (auto i = from; i < from + count; ++i) {
    // Empty, from another door: no JSON.
    if (!all[i].body)
      continue;
    begin_message(out, all[i].name, queue);
    out += *all[i].body;
    out += '}';
  }
  out += ']';
  return json_answer(std::move(out));
}

} // namespace depositd::emodb
