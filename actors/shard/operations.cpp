#include "actors/journal/gather.hpp"
#include "actors/journal/reply.hpp"
#include "actors/rules/control/control.hpp"
#include "actors/shard/parts.hpp"

#include <algorithm>

namespace depositd::shard {

namespace {

std::vector<queue_number> queues_named(shard_pointer self,
                                       const std::string& name) {
  auto out = queues_here(self);
  if (!name.empty())
    std::erase_if(out, [&](auto number) {
      return self->state.queues[number].name != name;
    });
  return out;
}

/// However many are asked for.
constexpr std::uint32_t rings_shown_max = 10'000;

/// Answers the request that is being handled with what comes of asking these
/// queues (`question`: what a queue is asked, by its number), as `finish`
/// leaves it. Fails if the shard starts over meanwhile: not all have said
/// something then.
template <class Answer, class Result, class Question, class Add,
          class Finish = void (*)(Result&)>
caf::result<Result> ask_queues(
  shard_pointer self, const std::vector<queue_number>& queues,
  Question question, Add add, Result begin, Finish finish = [](Result&) {}) {
  return journal::answer_later<Result>(self, [&](auto then) {
    const auto& state = self->state;
    const auto generation = state.journal.generation;
    const auto end = [=](caf::expected<Result> x) mutable {
      if (self->state.journal.generation != generation)
        return then(caf::make_error(ec::store_failed,
                                    std::string{"the engine is recovering"}));
      if (x)
        finish(*x);
      then(std::move(x));
    };
    const journal::gathering<Result> all{end, std::move(begin)};
    for (const auto number : queues)
      all.template ask_in_turn<Answer>(
        self, state.queues[number].actor, state.options.request_timeout,
        question(number), add, journal::only_counts);
    all.close();
  });
}

/// To whom it is all the same.
template <class Question>
auto the_same(Question x) {
  return [=](queue_number) { return x; };
}

} // namespace

std::uint32_t running_max(const control_state& control, const std::string& name,
                          const std::string& user) {
  const auto& queue = control.queues.at(name);
  const auto limits = rules::limits_of(control, name, user);
  const bool served = !control.server.suspended && !queue.suspended
                      && !limits.held && !limits.prohibited
                      && limits.allocation > 0;
  return served ? limits.concurrency : 0;
}

caf::error no_queue(const std::string& name) {
  return caf::make_error(ec::not_found, "no queue " + name.substr(0, 255));
}

caf::result<pending_counted> count_for(shard_pointer self,
                                       const count_pending& x) {
  if (auto refused = refuse_intake(self))
    return refused;
  const auto queue = self->state.control->queues.find(x.queue);
  if (queue == self->state.control->queues.end())
    return no_queue(x.queue);
  pending_counted out;
  out.limit = queue->second.pending_limit;
  out.bytes_max = quota_of(*self->state.control, x.queue, x.user).bytes_max;
  out.running_max = running_max(*self->state.control, x.queue, x.user);
  const auto at = self->state.users.find(x.user);
  if (at == self->state.users.end())
    return out;
  auto promise = self->make_response_promise<pending_counted>();
  self
    ->request(at->second.actor, self->state.options.request_timeout,
              report_user{})
    .then(
      [=, name = x.queue](const user_report& report) mutable {
        auto counted = out;
        for (const auto& entry : report.entries)
          if (entry.queue == name) {
            counted.pending = entry.pending;
            counted.running = entry.claims;
            counted.bytes = entry.bytes;
          }
        promise.deliver(counted);
      },
      [=](const caf::error&) mutable {
        promise.deliver(out); // retired: nothing waits
      });
  return promise;
}

namespace {

void explain_found(shard_pointer self,
                   caf::typed_response_promise<item_explained> promise,
                   const std::string& user, const item_found& found) {
  item_explained out;
  out.user = user;
  out.live = found.found;
  out.item = found.item;
  const auto at = self->state.users.find(user);
  if (!found.found || at == self->state.users.end()
      || at->second.members.count(found.queue) == 0) {
    promise.deliver(out);
    return;
  }
  const auto& queue = self->state.queues[found.queue];
  out.queue = queue.name;
  self
    ->request(
      queue.actor, self->state.options.request_timeout,
      explain_member{at->second.members.at(found.queue), found.item.size})
    .then(
      [=](const member_explained& x) mutable {
        out.member = x;
        promise.deliver(out);
      },
      [=](const caf::error& why) mutable { promise.deliver(why); });
}

} // namespace

caf::result<item_explained> explain(shard_pointer self, const explain_item& x) {
  if (auto refused = refuse_recovering(self))
    return refused;
  const auto at = self->state.users.find(x.user);
  if (at == self->state.users.end())
    return item_explained{};
  auto promise = self->make_response_promise<item_explained>();
  self
    ->request(at->second.actor, self->state.options.request_timeout,
              find_item{x.id})
    .then(
      [=, user = x.user](const item_found& found) {
        explain_found(self, promise, user, found);
      },
      [=](const caf::error&) mutable { promise.deliver(item_explained{}); });
  return promise;
}

caf::result<queues_listed> list_all_queues(shard_pointer self) {
  if (auto refused = refuse_recovering(self))
    return refused;
  const auto add = [](queues_listed& sum, queue_report& x) {
    sum.queues.push_back(std::move(x));
  };
  const auto by_name = [](queues_listed& all) {
    std::sort(all.queues.begin(), all.queues.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
  };
  return ask_queues<queue_report>(
    self, queues_here(self), the_same(report_queue{}), add,
    queues_listed{{}, self->state.control->server.suspended}, by_name);
}

caf::result<shard_measured> measure_queues(shard_pointer self,
                                           const measure_shard& x) {
  auto& state = self->state;
  shard_measured begin;
  begin.shard = state.options.number;
  begin.epoch = state.options.epoch;
  begin.generation = state.journal.generation;
  begin.serving = state.now != shard_state::phase::recovering;
  begin.users = state.users.size();
  if (const auto& backlog = state.journal.backlog) {
    begin.backlog_bytes = backlog->bytes;
    for (std::size_t i = 0; i < append_counts; ++i)
      begin.appends.n[i] = backlog->counters[i];
  }
  if (!begin.serving)
    return begin;
  begin.suspended = state.control->server.suspended;
  const auto add = [](shard_measured& sum, ring_measured& one) {
    sum.rings.push_back(std::move(one));
  };
  return ask_queues<ring_measured>(self, queues_here(self),
                                   the_same(measure_ring{x.ends_step}), add,
                                   std::move(begin));
}

caf::result<users_listed> list_all_users(shard_pointer self,
                                         const list_users& x) {
  if (auto refused = refuse_recovering(self))
    return refused;
  const auto numbers = queues_named(self, x.queue);
  if (!x.queue.empty() && numbers.empty())
    return no_queue(x.queue);
  const auto add = [](users_listed& sum, members_report& report) {
    sum.queues.push_back(std::move(report));
  };
  return ask_queues<members_report>(self, numbers, the_same(report_members{}),
                                    add, users_listed{});
}

caf::result<rings_shown> show_all_rings(shard_pointer self,
                                        const show_rings& x) {
  if (auto refused = refuse_recovering(self))
    return refused;
  const auto numbers = queues_named(self, x.queue);
  if (!x.queue.empty() && numbers.empty())
    return no_queue(x.queue);
  const auto& state = self->state;
  const auto user = state.users.find(x.user);
  const auto question = [&](queue_number number) {
    report_ring out;
    if (x.user.empty())
      out.count_max = std::min(x.count_max, rings_shown_max);
    else if (user != state.users.end())
      if (const auto at = user->second.members.find(number);
          at != user->second.members.end())
        out.of = at->second;
    return out;
  };
  const auto add = [](rings_shown& sum, ring_report& report) {
    sum.rings.push_back(std::move(report));
  };
  return ask_queues<ring_report>(self, numbers, question, add, rings_shown{});
}

void compact(shard_pointer self, compact_items& x) {
  if (refuse_intake(self))
    return;
  std::map<std::pair<std::string, std::string>, compact_bodies> parts;
  for (auto& item : x.items) {
    const auto number = find_queue(self, item.queue);
    if (!number)
      continue;
    auto& part = parts[{item.user, item.queue}];
    part.queue = *number;
    part.ids.push_back(item.id);
    part.bodies.push_back(std::move(item.body));
    part.places.push_back(item.place);
  }
  for (auto& [key, part] : parts) {
    const auto number = part.queue;
    send_to_user(self, key.first, number, std::move(part));
  }
}

void return_unread(shard_pointer self, queue::look_again& x) {
  std::map<std::string, queue::look_again> parts;
  for (auto& item : x.items)
    parts[item.item.user].items.push_back(std::move(item));
  for (auto& [user, part] : parts) {
    // Who has gone has no claims. Polls are answered as they lose the item.
    const auto known = self->state.users.find(user);
    if (known != self->state.users.end())
      self->send(caf::actor_cast<users::user_self>(known->second.actor),
                 std::move(part));
  }
}

caf::result<done> start_draining(shard_pointer self) {
  auto& state = self->state;
  state.now = shard_state::phase::draining;
  for (auto& x : std::exchange(state.awaiting_ready, {}))
    journal::answer(
      x, caf::make_error(ec::draining,
                         std::string{"the engine is shutting down"}));
  for (const auto number : queues_here(self)) {
    const auto& queue = state.queues[number];
    self->send(queue.actor,
               configure_queue{state.control->queues.at(queue.name), true});
  }
  return done{};
}

} // namespace depositd::shard
