#include "actors/projection/recovery.hpp"
#include "tests/actors/engine/core_world.hpp"

#include <algorithm>

namespace depositd::testing {

using namespace std::chrono_literals;

/// Compares what processors received since the last time with the model.
/// `failing`: outcomes and hand-outs may have been lost with the append.
void core_world::take_in(bool failing) {
  for (auto& who : workers_) {
    const auto& settled = who.sp.got->settled;
    for (; who.settled_seen < settled.size(); ++who.settled_seen) {
      const auto& got = settled[who.settled_seen];
      ASSERT_EQ(expected_.size(), 1u) << "settled without being asked to";
      const auto x = expected_.front();
      expected_.clear();
      EXPECT_EQ(got.id, x.id);
      EXPECT_EQ(got.accepted, x.accepted) << "outcome of item " << x.id;
      if (got.accepted && model_.live.count(x.id) > 0)
        model_.end_claim(x.id, x.says, x.available_us);
    }
  }
  EXPECT_TRUE(expected_.empty() || failing) << "an outcome was not answered";
  expected_.clear();
  for (const auto& who : workers_)
    for (auto i = who.items_seen; i < who.sp.got->items.size(); ++i)
      handed_now_.insert(who.sp.got->items[i].id);
  for (auto& who : workers_)
    for (; who.items_seen < who.sp.got->items.size(); ++who.items_seen)
      check_hand_out(who, who.sp.got->items[who.items_seen]);
}

void core_world::check_hand_out(worker& to, const claimed_item& item) {
  ASSERT_GT(to.credit, 0u) << "more than was asked for";
  --to.credit;
  model_.claim(item, to.queue, to.number);
  if (HasFailure())
    return;
  const auto& wants = to.wants;
  const auto names = [&](const std::vector<std::string>& users) {
    return std::find(users.begin(), users.end(), item.user) != users.end();
  };
  EXPECT_LE(item.body.size(), wants.size_max);
  EXPECT_FALSE(names(wants.excluded));
  EXPECT_TRUE(wants.required.empty() || names(wants.required));
  EXPECT_TRUE(model_.prohibited.count(item.user) == 0 || names(wants.required))
    << item.user << " is prohibited";
  EXPECT_EQ(item.deadline_us,
            to.lease_ms == 0 ? never : now() + micros{to.lease_ms} * 1000);
  if (const auto* passed =
        model_.passed_over(item.id, wants.size_max, handed_now_))
    ADD_FAILURE() << "item " << item.id << " came before " << *passed;
}

/// What a start at this moment would find is what was acknowledged.
void core_world::check_store() {
  auto found = projection::recover_state(*store, *tables);
  ASSERT_TRUE(found) << render(found.error());
  std::size_t count = 0;
  for (const auto& [user, ledgers] : (*found)->ledgers)
    for (const auto& [queue, ledger] : ledgers)
      for (const auto& x : ledger.items()) {
        ++count;
        model_.expect_same(x);
      }
  EXPECT_EQ(count, model_.live.size()) << "acknowledged items are missing";
}

bool core_world::may_be_handed(const worker& to, const model_item& x,
                               item_id id) {
  const auto names = [&](const std::vector<std::string>& users) {
    return std::find(users.begin(), users.end(), x.user) != users.end();
  };
  const auto required = names(to.wants.required);
  return x.queue == to.queue && !x.claimed && !x.parked
         && x.available_us <= now() && handed_now_.count(id) == 0
         && model_.held.count(x.user) == 0
         && (required || model_.prohibited.count(x.user) == 0)
         && (required || to.wants.required.empty()) && !names(to.wants.excluded)
         && x.body.size() <= to.wants.size_max
         && model_.claims_of(x.queue, x.user) < model_.cap_of(x.queue, x.user);
}

/// Nobody has work and nobody lacks it at once.
void core_world::check_nobody_waits_in_vain() {
  if (model_.suspended || HasFailure())
    return;
  for (const auto& who : workers_) {
    if (who.credit == 0)
      continue;
    for (const auto& [id, x] : model_.live)
      ASSERT_FALSE(may_be_handed(who, x, id))
        << "item " << id << " of " << x.user << " in " << x.queue
        << " waits while a processor waits for it";
  }
}

void core_world::forget_workers() {
  for (const auto& who : workers_)
    caf::anon_send_exit(who.sp.actor, caf::exit_reason::kill);
  settle();
  workers_.clear();
}

/// Everything that is left comes out once, and then there is nothing.
void core_world::drain_everything() {
  SCOPED_TRACE("at the end");
  crash_and_restart();
  model_.suspended = false;
  std::vector<event> changes{event{server_changed{false, true}}};
  for (std::uint32_t i = 0; i < users_; ++i) {
    const auto user = "u" + std::to_string(i);
    changes.emplace_back(user_eligibility_changed{user, false, false});
    for (const auto& [queue, settings] : model_.queues)
      changes.emplace_back(
        user_limits_changed{queue, user, false, 0, false, 0});
  }
  model_.held.clear();
  model_.prohibited.clear();
  model_.caps.clear();
  ASSERT_TRUE(change(changes));
  park_matching back;
  back.to_us = now() + 1;
  back.parked = false;
  ASSERT_TRUE(ask<matching_parked>(core, back));
  for (auto& [id, x] : model_.live) {
    x.parked = false;
    x.touched = true;
  }
  let_time_pass(10s); // delays
  for (const auto& [queue, settings] : model_.queues) {
    worker x;
    x.number = ++workers_last_;
    x.queue = queue;
    x.sp = attach_to(queue);
    workers_.push_back(std::move(x));
  }
  for (auto& who : workers_) {
    who.credit = credit_max;
    want(who.sp, credit_max);
  }
  take_in();
  while (!model_.live.empty() && !HasFailure()) {
    const auto before = model_.live.size();
    for (auto& who : workers_)
      for (std::size_t i = 0; i < who.sp.got->items.size(); ++i) {
        const auto got = who.sp.got->items[i];
        if (model_.live.count(got.id) == 0)
          continue;
        expected_.push_back({got.id, verdict::done, never, true});
        end(who.sp, got);
        take_in();
      }
    ASSERT_LT(model_.live.size(), before) << "items are stuck";
  }
  check_store();
  for (const auto& [queue, settings] : model_.queues) {
    const auto report = report_of(queue);
    EXPECT_EQ(report.ready, 0u);
    EXPECT_EQ(report.in_flight, 0u);
  }
}

} // namespace depositd::testing
