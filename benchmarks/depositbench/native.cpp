#include "benchmarks/depositbench/native.hpp"

#include "messages/cluster.hpp"
#include "messages/message_types.hpp"
#include "messages/operators.hpp"
#include "messages/values/endpoint.hpp"
#include "messages/values/node_options.hpp"

#include <caf/io/all.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <stdexcept>

namespace depositd::bench {

namespace {

constexpr auto request_timeout = std::chrono::seconds{60};
constexpr auto open_loop_tick = std::chrono::milliseconds{1};

struct send_more {};

} // namespace

} // namespace depositd::bench

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::bench::send_more)

namespace depositd::bench {

namespace {

// -- producer -----------------------------------------------------------------

using producer_actor = caf::typed_actor<caf::reacts_to<send_more>>;

struct producer_state {
  producer_plan plan;
  std::shared_ptr<progress> to;
  native_actor native;
  std::unique_ptr<workload> source;
  std::uint64_t sent = 0;
  std::size_t open = 0;
  open_loop loop{0};
  std::vector<std::uint32_t> latencies;
  bool waiting = false; ///< a `send_more` is on its way
};

using producer_pointer = producer_actor::stateful_pointer<producer_state>;

void send_groups(producer_pointer self);

void send_later(producer_pointer self) {
  if (self->state.waiting)
    return;
  self->state.waiting = true;
  self->delayed_send(self, open_loop_tick, send_more{});
}

void send_group(producer_pointer self, std::vector<new_item> items) {
  auto& state = self->state;
  const auto count = items.size();
  const auto began_us = steady_us();
  state.sent += count;
  state.to->sent += count;
  ++state.open;
  self
    ->request(state.native, request_timeout,
              enqueue{state.plan.queue, std::move(items)})
    .then(
      [=](const enqueued& x) {
        auto& s = self->state;
        --s.open;
        s.latencies.push_back(
          static_cast<std::uint32_t>(steady_us() - began_us));
        if (x.refused > 0)
          s.to->fail(std::to_string(x.refused) + " items were refused");
        s.to->enqueued += count - x.refused;
        send_groups(self);
      },
      [=](const caf::error& why) {
        --self->state.open;
        self->state.to->fail("enqueue: " + render(why));
      });
}

bool finished(const producer_state& state) {
  return state.to->stop || state.to->failed
         || (state.plan.items > 0 && state.sent >= state.plan.items);
}

/// Open loop: whatever is due by now, each item with its intended time.
void send_due(producer_pointer self) {
  auto& state = self->state;
  const auto due =
    std::min<std::uint64_t>(state.loop.due(state.sent), enqueue_items_max);
  std::vector<new_item> items;
  for (std::uint64_t i = 0; i < due; ++i)
    items.push_back(state.source->next(state.loop.intended_us(state.sent + i)));
  if (!items.empty())
    send_group(self, std::move(items));
  send_later(self);
}

void send_groups(producer_pointer self) {
  auto& state = self->state;
  if (finished(state)) {
    if (state.open == 0 && !state.latencies.empty())
      state.to->add_latencies(state.to->enqueue_us,
                              std::exchange(state.latencies, {}));
    return;
  }
  if (state.plan.rate > 0) {
    if (!state.waiting)
      send_due(self);
    return;
  }
  while (state.open < state.plan.window && !finished(state)) {
    if (state.plan.backlog_max > 0
        && state.to->waiting() > state.plan.backlog_max) {
      send_later(self);
      return;
    }
    send_group(self, state.source->batch(state.plan.group, steady_us()));
  }
}

producer_actor::behavior_type producer(producer_pointer self,
                                       producer_plan plan,
                                       std::shared_ptr<progress> to,
                                       native_actor native) {
  auto& state = self->state;
  state.source
    = std::make_unique<workload>(plan.users, plan.body_bytes, plan.seed);
  state.loop = open_loop{plan.rate};
  state.plan = std::move(plan);
  state.to = std::move(to);
  state.native = std::move(native);
  self->send(self, send_more{});
  return {
    [=](send_more) {
      self->state.waiting = false;
      send_groups(self);
    },
  };
}

// -- worker -------------------------------------------------------------------

struct worker_state {
  worker_plan plan;
  std::shared_ptr<progress> to;
  queue_port_actor door;
  std::uint32_t number = 0;
  std::vector<std::uint32_t> latencies;
};

using worker_pointer = processor_actor::stateful_pointer<worker_state>;

outcome done_with(const claimed_item& item) {
  outcome out;
  out.id = item.id;
  out.token = item.token;
  out.member = item.member;
  return out;
}

void note(worker_pointer self, const deliver& x) {
  auto& state = self->state;
  state.to->settled += x.settled.size();
  state.to->deliver += x.items.size();
  if (state.plan.note_latency) {
    const auto now = steady_us();
    state.latencies.clear();
    for (const auto& item : x.items)
      state.latencies.push_back(
        static_cast<std::uint32_t>(now - mark_of(item.body)));
    state.to->add_latencies(state.to->handed_us, state.latencies);
  }
  if (state.plan.note_order) {
    std::lock_guard guard{state.to->mutex};
    for (const auto& item : x.items)
      state.to->order.push_back(mark_of(item.body));
  }
}

void settle_items(worker_pointer self, const deliver& x) {
  auto& state = self->state;
  note(self, x);
  if (x.items.empty())
    return;
  if (state.plan.one_by_one) {
    for (const auto& item : x.items)
      self->send(state.door,
                 settle_and_request{state.number, 1, {done_with(item)}});
    return;
  }
  settle_and_request report{
    state.number, static_cast<std::uint32_t>(x.items.size()), {}};
  report.outcomes.reserve(x.items.size());
  for (const auto& item : x.items)
    report.outcomes.push_back(done_with(item));
  self->send(state.door, std::move(report));
}

processor_actor::behavior_type worker(worker_pointer self, worker_plan plan,
                                      std::shared_ptr<progress> to,
                                      queue_port_actor door) {
  self->state.plan = std::move(plan);
  self->state.to = std::move(to);
  self->state.door = std::move(door);
  const auto& state = self->state;
  self
    ->request(state.door, request_timeout,
              attach{processor_actor{self}, state.plan.name, criteria{}, 0})
    .then(
      [=](const attached& x) {
        self->state.number = x.processor;
        self->send(
          self->state.door,
          settle_and_request{x.processor, self->state.plan.credit, {}});
      },
      [=](const caf::error& why) {
        self->state.to->fail("attach: " + render(why));
      });
  return {
    [=](const deliver& x) { settle_items(self, x); },
  };
}

} // namespace

// -- client -------------------------------------------------------------------

client_config::client_config() {
  add_depositd_messages(*this);
  load<caf::io::middleman>();
  set("scheduler.policy", caf::atom("sharing"));
  set("scheduler.max-threads", std::size_t{1});
  apply_node_options(*this);
}

native_client::native_client(caf::actor_system& system,
                             const std::string& address)
  : system_(system) {
  const auto where = parse_endpoint(address);
  if (!where)
    throw std::runtime_error("--connect: " + render(where.error()));
  auto admin = system.middleman().remote_actor<admin_actor>(where->host,
                                                            where->port);
  if (!admin)
    throw std::runtime_error("no engine at " + address + ": "
                             + render(admin.error()));
  admin_ = *admin;
  caf::scoped_actor self{system};
  self->request(admin_, request_timeout, connect_native{})
    .receive([&](const native_actor& x) { native_ = x; },
             [&](const caf::error& why) {
               throw std::runtime_error("no native door: " + render(why));
             });
}

void native_client::produce(const producer_plan& plan,
                            std::shared_ptr<progress> to) {
  spawned_.push_back(caf::actor_cast<caf::actor>(
    system_.spawn(producer, plan, std::move(to), native_)));
}

void native_client::work_on(const std::string& queue, const worker_plan& plan,
                            std::shared_ptr<progress> to) {
  caf::scoped_actor self{system_};
  queue_port_actor door;
  self->request(native_, request_timeout, open_queue{queue})
    .receive([&](const queue_port_actor& x) { door = x; },
             [&](const caf::error& why) {
               throw std::runtime_error("queue " + queue + ": " + render(why));
             });
  spawned_.push_back(caf::actor_cast<caf::actor>(
    system_.spawn(worker, plan, std::move(to), door)));
}

void native_client::enqueue_now(const std::string& queue,
                                std::vector<new_item> items) {
  caf::scoped_actor self{system_};
  self
    ->request(native_, request_timeout,
              enqueue{queue, std::move(items)})
    .receive([](const enqueued&) {},
             [](const caf::error& why) {
               throw std::runtime_error("enqueue: " + render(why));
             });
}

void native_client::purge(const std::string& queue) {
  caf::scoped_actor self{system_};
  self
    ->request(admin_, request_timeout,
              admin_request{"queue purge", "{\"name\":\"" + queue + "\"}"})
    .receive([](const admin_reply&) {},
             [](const caf::error& why) {
               throw std::runtime_error("queue purge: " + render(why));
             });
}

void native_client::finish() {
  caf::scoped_actor self{system_};
  for (const auto& x : spawned_) {
    self->send_exit(x, caf::exit_reason::user_shutdown);
    self->wait_for(x);
  }
  spawned_.clear();
}

} // namespace depositd::bench
