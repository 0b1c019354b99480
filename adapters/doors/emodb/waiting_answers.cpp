#include "adapters/doors/emodb/waiting_parts.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace depositd::emodb::waiting {

namespace {

/// What those get at most who ask together, unless one wants more.
constexpr std::uint32_t group_items_max = 128;

/// Those that asked have heard; what was there may be more.
void go_on(self_pointer self, const std::string& name, waited_queue& x,
           bool missed) {
  x.asking = false;
  if (x.polls.empty())
    return;
  if (!missed)
    return ask_counts(self, x);
  x.pausing = true;
  self->delayed_send(self, self->state.options.pause, look_at_queue{name});
}

using group = std::shared_ptr<const std::vector<waiting_one>>;

/// Each gets as many as it wanted, as long as there are some; the others wait
/// on, in front of those who came later.
void hand_out(self_pointer self, const std::string& name, const group& all,
              std::vector<received_item> items) {
  auto& x = self->state.queues[name];
  const auto missed = items.empty();
  auto next = items.begin();
  std::vector<item_name> nobodys;
  std::vector<waiting_one> stay;
  for (const auto& one : *all) {
    const auto count =
      std::min<std::ptrdiff_t>(one.poll->what.count, items.end() - next);
    std::vector<received_item> own{std::make_move_iterator(next),
                                   std::make_move_iterator(next + count)};
    next += count;
    const auto refused = is_refused(self, one);
    const auto unwanted = refused || (!own.empty() && one.poll->over());
    if (unwanted)
      for (const auto& x : own)
        nobodys.push_back(x.name);
    if (refused)
      continue;
    if (unwanted)
      leave(self, one, {});
    else if (!own.empty() || is_over(self, one))
      leave(self, one, std::move(own));
    else
      stay.push_back(one);
  }
  if (!nobodys.empty())
    give_back(self, {all->front().poll->what, std::move(nobodys)});
  x.polls.insert(x.polls.begin(), stay.begin(), stay.end());
  go_on(self, name, x, missed);
}

/// The shard starts over from its store, or is handed to another engine: what
/// was asked of the one before has no answer.
bool starts_over(const caf::error& why) {
  return why == ec::store_failed || why == ec::fenced
         || why == caf::sec::request_receiver_down;
}

void refuse(self_pointer self, const std::string& name, const group& all,
            const caf::error& why) {
  auto& x = self->state.queues[name];
  std::vector<waiting_one> stay;
  for (const auto& one : *all)
    if (starts_over(why) && !is_over(self, one))
      stay.push_back(one);
    else
      turn_away(self, one, why);
  x.polls.insert(x.polls.begin(), stay.begin(), stay.end());
  go_on(self, name, x, true);
}

bool go_together(const receive_items& x, const receive_items& y) {
  return x.taker == y.taker && x.lease_ms == y.lease_ms
         && x.claims_max == y.claims_max;
}

} // namespace

void give_back(self_pointer self, const give_back_items& x) {
  renew_items what;
  what.queue = x.from.queue;
  what.taker = x.from.taker;
  what.items = x.names;
  self->request(self->state.options.shard, self->state.options.ask_timeout,
                std::move(what))
    .then([](const done&) {},
          [](const caf::error& why) {
            spdlog::warn("messages_not_given_back reason=\"{}\"", render(why));
          });
}

void serve(self_pointer self, const std::string& name, waited_queue& x) {
  if (x.asking || x.pausing)
    return;
  auto all = std::make_shared<std::vector<waiting_one>>();
  receive_items what;
  while (!x.polls.empty()) {
    auto& one = x.polls.front();
    const auto& wanted = one.poll->what;
    if (is_refused(self, one)) {
      // it has been told
    } else if (is_over(self, one)) {
      leave(self, one, {});
    } else if (all->empty()) {
      what = wanted;
      all->push_back(one);
    } else if (go_together(what, wanted)
               && what.count + wanted.count <= group_items_max) {
      what.count += wanted.count;
      all->push_back(one);
    } else {
      break;
    }
    x.polls.pop_front();
  }
  if (all->empty())
    return;
  x.asking = true;
  const auto& options = self->state.options;
  self->request(options.shard, options.ask_timeout, std::move(what))
    .then(
      [=, all = group{all}](items_received& got) {
        hand_out(self, name, all, std::move(got.items));
      },
      [=, all = group{all}](const caf::error& why) {
        refuse(self, name, all, why);
      });
}

} // namespace depositd::emodb::waiting
