#include "tests/actors/engine/core_world.hpp"

#include <algorithm>

namespace depositd::testing {

using namespace std::chrono_literals;

void core_world::live(int steps) {
  begin_engine();
  queue_settings plain;
  queue_settings capped;
  capped.concurrency = 2;
  queue_settings banded;
  banded.priority = priority_mode::across_users;
  banded.attempts_max = 3;
  banded.concurrency = 3;
  model_.queues = {{"q0", plain}, {"q1", capped}, {"q2", banded}};
  for (const auto& [name, settings] : model_.queues)
    ASSERT_TRUE(change({queue_changed{name, settings}}));
  for (int i = 0; i < steps && !HasFailure(); ++i) {
    SCOPED_TRACE("step " + std::to_string(i));
    handed_now_.clear();
    step();
    check_store();
    check_nobody_waits_in_vain();
  }
  if (!HasFailure())
    drain_everything();
}

void core_world::step() {
  switch (below(30)) {
    default:
      return give_items(false);
    case 6:
    case 7:
      return add_worker();
    case 8:
    case 9:
    case 10:
      return ask_for_items();
    case 11:
    case 12:
    case 13:
    case 14:
      return settle_one();
    case 15:
      return settle_stale_one();
    case 16:
      return chance(2) ? touch_one() : remove_worker();
    case 17:
      return let_time_pass(std::chrono::milliseconds{1 + below(8000)});
    case 18:
      return let_time_pass(chance(4) ? 70s : 700ms);
    case 19:
      return change_limits();
    case 20:
      return change_eligibility();
    case 21:
      return chance(3) ? suspend() : park();
    case 22:
      return chance(4) ? purge() : step_on_failing_disk();
    case 23:
      return chance(2) ? crash_and_restart() : step_on_failing_disk();
    case 24:
    case 25:
      return poll_some();
    case 26:
      return ack_by_id();
    case 27:
      return renew_by_id();
    case 28:
      return chance(4) ? move_a_queue() : poll_some();
  }
}

/// One append fails, and with it exactly what hung on it.
void core_world::step_on_failing_disk() {
  fail_appends(*log, 1);
  switch (below(3)) {
    case 0:
      give_items(true);
      break;
    case 1:
      if (auto* x = any_worker()) {
        want(x->sp, 1);
        ++x->credit;
      }
      take_in(true);
      break;
    default:
      EXPECT_FALSE(change({user_eligibility_changed{"u0", true, false}}));
  }
  fail_appends(*log, 0);
  if (ask<done>(core, check_intake{}))
    return; // nothing was to be written
  forget_workers();
  lose_local_claims();
  let_time_pass(2s);
  EXPECT_TRUE(ask<done>(core, check_intake{}));
}

void core_world::give_items(bool one_user) {
  const auto queue = any_queue();
  const auto user = any_user();
  std::vector<new_item> items;
  const auto count = 1 + below(5);
  for (std::uint32_t i = 0; i < count; ++i) {
    new_item x;
    x.user = one_user ? user : any_user();
    x.priority = static_cast<std::uint8_t>(chance(3) ? below(3) : 1);
    x.body = "body-" + std::to_string(++bodies_last_)
             + std::string(chance(4) ? 100 : 0, 'x');
    items.push_back(std::move(x));
  }
  auto reply = ask<enqueued>(door, enqueue{queue, items});
  EXPECT_TRUE(one_user || reply);
  if (reply)
    for (std::size_t i = 0; i < items.size(); ++i) {
      model_item x;
      x.queue = queue;
      x.user = items[i].user;
      x.priority = items[i].priority;
      x.body = items[i].body;
      model_.accept(reply->ids.at(i), std::move(x));
    }
  take_in(one_user);
}

void core_world::add_worker() {
  if (workers_.size() >= 6)
    return;
  worker x;
  x.number = ++workers_last_;
  x.queue = any_queue();
  switch (below(6)) {
    case 0:
      x.wants.size_max = 20;
      break;
    case 1:
      x.wants.required = {any_user(), any_user()};
      break;
    case 2:
      x.wants.excluded = {any_user()};
      break;
    case 3:
      x.wants.preferred = {any_user()};
      break;
    default:
      break;
  }
  if (chance(3))
    x.lease_ms = 5000;
  x.sp = attach_to(x.queue, x.wants, x.lease_ms);
  workers_.push_back(std::move(x));
  take_in();
}

void core_world::ask_for_items() {
  auto* x = any_worker();
  if (x == nullptr)
    return add_worker();
  const auto credit = 1 + below(4);
  want(x->sp, credit);
  x->credit += credit;
  take_in();
}

void core_world::settle_one() {
  std::vector<std::pair<worker*, item_id>> held;
  for (auto& x : workers_)
    for (const auto& [id, item] : model_.live)
      if (item.claimed && item.holder == x.number)
        held.emplace_back(&x, id);
  if (held.empty())
    return ask_for_items();
  auto [who, id] = held[below(held.size())];
  const auto token = model_.live.at(id).token;
  const auto got =
    std::find_if(who->sp.got->items.begin(), who->sp.got->items.end(),
                 [&, wanted = id](const auto& x) {
                   return x.id == wanted && x.token == token;
                 });
  ASSERT_NE(got, who->sp.got->items.end());
  auto what = outcome_of(*got);
  static constexpr verdict verdicts[] = {verdict::done,    verdict::done,
                                         verdict::failed,  verdict::retry,
                                         verdict::not_yet, verdict::release};
  what.says = verdicts[below(6)];
  what.delay_ms = 500 + below(3000);
  const auto credit = below(2);
  expected_.push_back(
    {id, what.says, now() + micros{what.delay_ms} * 1000, true});
  who->credit += credit;
  caf::anon_send(who->sp.door,
                 settle_and_request{who->sp.number, credit, {what}});
  settle();
  take_in();
}

/// An outcome of a claim that is over, or that never was.
void core_world::settle_stale_one() {
  auto* who = any_worker();
  if (who == nullptr || who->sp.got->items.empty())
    return;
  const auto& got = who->sp.got->items[below(who->sp.got->items.size())];
  const auto at = model_.live.find(got.id);
  auto what = outcome_of(got);
  if (at != model_.live.end() && at->second.claimed
      && at->second.holder != core_model::poller
      && at->second.token == got.token)
    ++what.token;
  expected_.push_back({got.id, what.says, never, false});
  caf::anon_send(who->sp.door, settle_and_request{who->sp.number, 0, {what}});
  settle();
  take_in();
}

void core_world::touch_one() {
  for (auto& [id, x] : model_.live)
    for (auto& who : workers_)
      if (x.claimed && x.holder == who.number && who.lease_ms > 0) {
        for (const auto& got : who.sp.got->items)
          if (got.id == id && got.token == x.token)
            caf::anon_send(
              who.sp.door,
              renew_claims{who.sp.number, {{got.id, got.token, got.member}}});
        settle();
        x.deadline_us =
          std::max(x.deadline_us, now() + micros{who.lease_ms} * 1000);
        return take_in();
      }
}

void core_world::remove_worker() {
  if (workers_.empty())
    return;
  const auto at = workers_.begin() + below(workers_.size());
  const auto gone = *at;
  workers_.erase(at);
  if (chance(2)) {
    EXPECT_TRUE(ask<done>(gone.sp.door, detach{gone.sp.number}));
  } else {
    caf::anon_send_exit(gone.sp.actor, caf::exit_reason::kill);
  }
  settle();
  model_.lose_claims(
    [&](const model_item& x) { return x.holder == gone.number; });
  take_in();
}

void core_world::let_time_pass(std::chrono::milliseconds t) {
  advance(t);
  advance(0ms); // what became due for an engine that started meanwhile
  model_.lose_claims([&](const model_item& x) {
    return x.deadline_us != never && x.deadline_us <= now();
  });
  take_in();
}

void core_world::change_limits() {
  const auto queue = any_queue();
  const auto user = any_user();
  user_limits_changed x{queue,        user,      chance(2),
                        1 + below(3), chance(2), below(4)};
  if (x.has_concurrency)
    model_.caps[{queue, user}] = x.concurrency;
  else
    model_.caps.erase({queue, user});
  EXPECT_TRUE(change({x}));
  take_in();
}

void core_world::change_eligibility() {
  const auto user = any_user();
  const user_eligibility_changed x{user, chance(3), chance(4)};
  model_.held.erase(user);
  model_.prohibited.erase(user);
  if (x.held)
    model_.held.insert(user);
  if (x.prohibited)
    model_.prohibited.insert(user);
  EXPECT_TRUE(change({x}));
  take_in();
}

void core_world::suspend() {
  model_.suspended = !model_.suspended;
  EXPECT_TRUE(change({server_changed{model_.suspended, true}}));
  take_in();
}

void core_world::park() {
  park_matching what;
  what.queue = any_queue();
  what.users = {any_user()};
  what.to_us = now() + 1;
  what.parked = chance(2);
  std::uint64_t count = 0;
  for (auto& [id, x] : model_.live)
    if (x.queue == what.queue && x.user == what.users[0] && !x.claimed
        && x.parked != what.parked) {
      x.parked = what.parked;
      x.touched = true;
      x.available_us = never;
      ++count;
    }
  auto reply = ask<matching_parked>(core, what);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->count, count);
  take_in();
}

void core_world::purge() {
  const auto queue = any_queue();
  std::vector<item_id> ids;
  for (const auto& [id, x] : model_.live)
    if (x.queue == queue)
      ids.push_back(id);
  for (auto id : ids)
    model_.finish(id);
  EXPECT_TRUE(ask<done>(core, purge_queue{queue}));
  take_in();
}

void core_world::crash_and_restart() {
  if (chance(2)) {
    EXPECT_TRUE(ask<submissions_found>(read_model, submission_query{}));
  }
  crash();
  forget_workers();
  check_store(); // what was committed, no more and no less
  begin_engine();
  lose_local_claims();
}

void core_world::lose_local_claims() {
  model_.lose_claims(
    [](const model_item& x) { return x.holder != core_model::poller; });
}

} // namespace depositd::testing
