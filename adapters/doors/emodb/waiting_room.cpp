#include "adapters/doors/emodb/waiting_room.hpp"

#include "messages/follow_control.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace depositd::emodb {

namespace {

using self_pointer = waiting_room_self::stateful_pointer<waiting_room_state>;
using waiting_one = waited_queue::one;

/// What those get at most who ask together, unless one wants more.
constexpr std::uint32_t group_items_max = 128;

waited_queue* find_queue(self_pointer self, const std::string& name) {
  const auto at = self->state.queues.find(name);
  return at == self->state.queues.end() ? nullptr : &at->second;
}

void leave(self_pointer self, const waiting_one& x,
           std::vector<received_item> items) {
  --self->state.waiting;
  x.poll->found(std::move(items));
}

bool is_over(self_pointer self, const waiting_one& x) {
  return x.until <= self->clock().now() || x.poll->over();
}

/// How many can be served? Answered now, and when there are more.
void ask_counts(self_pointer self, const waited_queue& x) {
  for (const auto& port : x.ports)
    if (port.processor != 0) {
      settle_and_request what;
      what.processor = port.processor;
      what.counts = true;
      self->send(port.queue, std::move(what));
    }
}

// -- asking -------------------------------------------------------------------

/// What nobody takes any more is there for others at once.
void give_back(self_pointer self, const receive_items& from,
               const std::vector<received_item>& items) {
  renew_items what;
  what.queue = from.queue;
  what.taker = from.taker;
  for (const auto& x : items)
    what.items.push_back(x.name);
  self->request(self->state.options.shard, self->state.options.ask_timeout,
                std::move(what))
    .then([](const done&) {},
          [](const caf::error& why) {
            spdlog::warn("messages_not_given_back reason=\"{}\"", render(why));
          });
}

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
  std::vector<received_item> nobodys;
  std::vector<waiting_one> stay;
  for (const auto& one : *all) {
    const auto count =
      std::min<std::ptrdiff_t>(one.poll->what.count, items.end() - next);
    std::vector<received_item> own{std::make_move_iterator(next),
                                   std::make_move_iterator(next + count)};
    next += count;
    const auto unwanted = !own.empty() && one.poll->over();
    if (unwanted)
      nobodys.insert(nobodys.end(), std::make_move_iterator(own.begin()),
                     std::make_move_iterator(own.end()));
    if (unwanted)
      leave(self, one, {});
    else if (!own.empty() || is_over(self, one))
      leave(self, one, std::move(own));
    else
      stay.push_back(one);
  }
  if (!nobodys.empty())
    give_back(self, all->front().poll->what, nobodys);
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
    if (starts_over(why) && !is_over(self, one)) {
      stay.push_back(one);
    } else {
      --self->state.waiting;
      one.poll->failed(why);
    }
  x.polls.insert(x.polls.begin(), stay.begin(), stay.end());
  go_on(self, name, x, true);
}

bool go_together(const receive_items& x, const receive_items& y) {
  return x.taker == y.taker && x.lease_ms == y.lease_ms
         && x.claims_max == y.claims_max;
}

/// Those in front that can ask as one do.
void serve(self_pointer self, const std::string& name, waited_queue& x) {
  if (x.asking || x.pausing)
    return;
  auto all = std::make_shared<std::vector<waiting_one>>();
  receive_items what;
  while (!x.polls.empty()) {
    auto& one = x.polls.front();
    const auto& wanted = one.poll->what;
    if (is_over(self, one)) {
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

// -- queues -------------------------------------------------------------------

void close(self_pointer self, waited_queue& x) {
  for (const auto& port : x.ports) {
    self->demonitor(port.queue.address());
    if (port.processor != 0)
      caf::anon_send(port.queue, detach{port.processor});
  }
  x.ports.clear();
}

void attach_to(self_pointer self, const std::string& name,
               const waited_queue::port& port) {
  const auto queue = port.queue;
  self->monitor(queue);
  self
    ->request(queue, self->state.options.ask_timeout,
              attach{processor_actor{self}, "emodb-wait", {}, 0, {}})
    .then(
      [=](const attached& x) {
        auto* at = find_queue(self, name);
        const auto found = [&] {
          for (auto& one : at->ports)
            if (one.queue == queue)
              return &one;
          return static_cast<waited_queue::port*>(nullptr);
        };
        if (auto* known = at ? found() : nullptr) {
          known->processor = x.processor;
          ask_counts(self, *at);
        } else {
          caf::anon_send(queue, detach{x.processor});
        }
      },
      [=](const caf::error& why) {
        spdlog::info("queue_not_watched queue={} reason=\"{}\"", name,
                     render(why));
        if (auto* at = find_queue(self, name))
          close(self, *at); // tried again
      });
}

/// A queue that does not exist is waited for: it comes with its first message.
void open(self_pointer self, const std::string& name, waited_queue& x) {
  const auto& state = self->state;
  if (x.opening || !x.ports.empty() || !state.control
      || state.control->queues.find(name) == state.control->queues.end())
    return;
  x.opening = true;
  const auto& options = state.options;
  self->request(options.shard, options.ask_timeout, open_ports{name})
    .then(
      [=](const ports_opened& opened) {
        auto* at = find_queue(self, name);
        if (!at)
          return;
        at->opening = false;
        for (const auto& port : opened.ports)
          at->ports.push_back({port.shard, port.queue, 0});
        for (const auto& port : at->ports)
          attach_to(self, name, port);
      },
      [=](const caf::error& why) {
        spdlog::info("queue_not_opened queue={} reason=\"{}\"", name,
                     render(why));
        if (auto* at = find_queue(self, name))
          at->opening = false; // tried again
      });
}

void port_down(self_pointer self, const caf::down_msg& down) {
  for (auto& [name, x] : self->state.queues)
    if (std::erase_if(x.ports, [&](const waited_queue::port& port) {
          return port.queue.address() == down.source;
        }))
      close(self, x); // all of it is opened again
}

// -- who waits ----------------------------------------------------------------

void look_soon(self_pointer self) {
  if (!std::exchange(self->state.looking, true))
    self->delayed_send(self, self->state.options.tick, look_at_waiting{});
}

void take_in(self_pointer self, const wait_for_items& what) {
  auto& state = self->state;
  if (state.waiting >= state.options.waiting_max) {
    what.poll->failed(
      caf::make_error(ec::overloaded, std::string{"too many polls wait"}));
    return;
  }
  const auto& name = what.poll->what.queue;
  auto& x = state.queues[name];
  x.polls.push_back({what.poll, self->clock().now() + what.poll->wait});
  ++state.waiting;
  if (x.ports.empty())
    open(self, name, x);
  else if (!x.asking && !x.pausing)
    ask_counts(self, x); // something may have come since it asked
  look_soon(self);
}

/// Answers those whose time is over, and leaves queues that nobody waits for.
void look(self_pointer self) {
  auto& state = self->state;
  state.looking = false;
  for (auto at = state.queues.begin(); at != state.queues.end();) {
    auto& x = at->second;
    std::deque<waiting_one> stay;
    for (auto& one : x.polls)
      if (is_over(self, one))
        leave(self, one, {});
      else
        stay.push_back(std::move(one));
    x.polls = std::move(stay);
    if (x.polls.empty() && !x.asking && !x.opening) {
      close(self, x);
      at = state.queues.erase(at);
      continue;
    }
    open(self, at->first, x);
    ++at;
  }
  if (!state.queues.empty())
    look_soon(self);
}

void take_count(self_pointer self, const deliver& x) {
  const auto& who = self->current_sender();
  if (!who || x.eligible == 0)
    return;
  for (auto& [name, queue] : self->state.queues)
    for (const auto& port : queue.ports)
      if (port.queue.address() == who)
        return serve(self, name, queue);
}

} // namespace

waiting_room_self::behavior_type
waiting_room(waiting_room_self::stateful_pointer<waiting_room_state> self,
             waiting_room_options options) {
  self->state.options = std::move(options);
  follow_control(self, self->state.options.shard);
  self->set_down_handler(
    [=](const caf::down_msg& x) { port_down(self, x); });
  return {
    [=](const wait_for_items& x) { take_in(self, x); },
    [=](const deliver& x) { take_count(self, x); },
    [=](const control_changed& x) {
      self->state.control = x.state;
      for (auto& [name, queue] : self->state.queues)
        open(self, name, queue);
    },
    [=](look_at_waiting) { look(self); },
    [=](const look_at_queue& x) {
      if (auto* at = find_queue(self, x.queue)) {
        at->pausing = false;
        ask_counts(self, *at);
      }
    },
  };
}

} // namespace depositd::emodb
