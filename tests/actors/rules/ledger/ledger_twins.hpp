#pragma once

// A ledger, its model and its journal, driven by random commands that both must
// answer alike.

#include "actors/rules/ledger/ledger.hpp"
#include "tests/actors/rules/ledger/ledger_model.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace depositd::testing {

template <class T>
T between(T first, T last) {
  return *rc::gen::inRange<T>(first, static_cast<T>(last + 1));
}

inline bool one_in(int n) {
  return between(1, n) == 1;
}

/// A ledger, the model of it, and everything that was journalled.
class ledger_twins {
public:
  ledger_twins() {
    settings_.attempts_max = one_in(3) ? no_cap : between(1u, 4u);
    settings_.pending_limit = one_in(2) ? no_cap : between(1u, 12u);
    settings_.dedup = one_in(3) ? dedup_mode::while_pending : dedup_mode::none;
    settings_.priority =
      one_in(2) ? priority_mode::across_users : priority_mode::within_user;
    settings_.retry_delay_ms = between(0u, 3u);
    settings_.retry_delay_ms_max = 5;
    configure();
  }

  void step() {
    if (one_in(3))
      now_ += between(0, 3000);
    switch (between(0, 15)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return accept();
      case 4:
      case 5:
      case 6:
      case 7:
        return choose();
      case 8:
      case 9:
      case 10:
        return settle();
      case 11:
        return extend();
      case 12:
        return park();
      case 13:
        return end_claims();
      case 14:
        return finish();
      default:
        return rarely();
    }
  }

  void check() {
    RC_ASSERT(live_.items() == model_.views());
    RC_ASSERT(live_.size() == model_.items.size());
    RC_ASSERT(live_.pending() == model_.pending());
    RC_ASSERT(live_.claims() == model_.count(item_state::claimed));
    RC_ASSERT(live_.parked() == model_.count(item_state::parked));
    RC_ASSERT(live_.idle() == model_.items.empty());
    RC_ASSERT(live_.next_due() == model_.next_due());
    for (const auto& x : model_.items)
      RC_ASSERT(live_.find(x.id)->ahead == live_.items()[index_of(x.id)].ahead);
    check_changes();
  }

  // -- for comparison
  rules::ledger& live() {
    return live_;
  }

  const std::vector<record>& log() const {
    return log_;
  }

  micros now() const {
    return now_;
  }

  /// A ledger with the settings of now and nothing in it.
  rules::ledger empty() const {
    rules::ledger out;
    out.configure("q", settings_, classes_);
    return out;
  }

private:
  void configure() {
    live_.configure("q", settings_, classes_);
  }

  std::size_t index_of(item_id id) {
    std::size_t out = 0;
    while (model_.items[out].id != id)
      ++out;
    return out;
  }

  /// Changes must add up to the counts, however seldom they are taken.
  void check_changes() {
    if (one_in(2))
      return;
    const auto told = live_.take_changes();
    std::set<std::pair<std::uint8_t, size_class>> named;
    for (const auto& x : told.ready) {
      RC_ASSERT(x.delta != 0);
      RC_ASSERT(named.emplace(x.band, x.cls).second);
      told_[{x.band, x.cls}] += x.delta;
    }
    std::erase_if(told_, [](const auto& x) { return x.second == 0; });
    const auto across = settings_.priority == priority_mode::across_users;
    RC_ASSERT(told_ == model_.ready_counts(across, classes_));
    std::map<std::pair<std::uint8_t, size_class>, std::int64_t> counts;
    for (const auto& x : live_.ready_counts())
      counts[{x.band, x.cls}] = x.delta;
    RC_ASSERT(counts == told_);
    in_flight_ -= told.claims_ended;
    RC_ASSERT(in_flight_
              == static_cast<std::int64_t>(model_.count(item_state::claimed)));
  }

  void journal(const event& x) {
    live_.apply(x);
    log_.push_back({"u", {x}});
  }

  void accept() {
    std::vector<rules::incoming> items(between(1, 3));
    for (auto& x : items) {
      x.id = id_next_ += between(1, 2);
      x.priority = between<std::uint8_t>(0, 2);
      x.size = between(0, 30);
      x.digest = between(0, 4);
      if (!one_in(3))
        x.body = std::make_shared<const std::string>("body");
    }
    std::vector<item_id> refused;
    const auto events = live_.accept(items, now_, &refused);
    std::size_t accepted = 0;
    std::size_t refusals = 0;
    for (const auto& x : items) {
      if (settings_.dedup == dedup_mode::while_pending && x.digest != 0
          && model_.digest_pending(x.digest))
        continue;
      if (settings_.pending_limit != no_cap
          && model_.pending() >= settings_.pending_limit) {
        RC_ASSERT(refused.at(refusals++) == x.id);
        continue;
      }
      RC_ASSERT(events.at(accepted++).id == x.id);
      model_.items.push_back(
        {x.id, item_state::pending, x.priority, 0, x.size, x.digest, now_});
    }
    RC_ASSERT(events.size() == accepted);
    RC_ASSERT(refused.size() == refusals);
    for (const auto& x : events)
      journal(event{x});
  }

  void choose() {
    pick what;
    what.band = between<std::uint8_t>(0, 2);
    what.class_max = between<size_class>(0, 2);
    const rules::taker_limits who{std::string(1, between('a', 'c')),
                                  one_in(2) ? never : now_ + between(1, 5000),
                                  one_in(2)};
    const auto x = live_.choose(what, who, now_);
    const auto across = settings_.priority == priority_mode::across_users;
    const auto id = model_.choice(what, across, classes_);
    RC_ASSERT(x.has_value() == (id != 0));
    if (!x)
      return;
    RC_ASSERT(x->item.id == id);
    // I-7, I-8: a new token, and one attempt more than were counted.
    RC_ASSERT(x->item.token > model_.token_last);
    auto& m = *model_.find(id);
    RC_ASSERT(x->item.attempt == m.attempt + 1);
    RC_ASSERT(settings_.attempts_max == no_cap
              || x->item.attempt <= settings_.attempts_max);
    model_.token_last = m.token = x->item.token;
    m.state = item_state::claimed;
    m.attempt = x->item.attempt;
    m.deadline_us = who.deadline_us;
    m.processor = who.processor;
    m.local = who.local;
    ++in_flight_;
    journal(event{x->claim});
  }

  item_id some_id() {
    return between<item_id>(1, id_next_ + 1);
  }

  bool exhausted(const model_item& x) const {
    return settings_.attempts_max != no_cap
           && x.attempt >= settings_.attempts_max;
  }

  void model_release(model_item& x, std::uint32_t attempt, micros when) {
    x.attempt = attempt;
    model_.back_to(x, when == never ? item_state::pending : item_state::delayed,
                   when);
  }

  void settle() {
    outcome what;
    // Often a claim that is live, else whatever comes.
    const auto id = some_id();
    for (const auto& x : model_.items)
      if (x.state == item_state::claimed && (what.id == 0 || x.id <= id))
        what.id = x.id;
    if (what.id == 0 || one_in(8))
      what.id = id;
    auto* m = model_.find(what.id);
    what.token = m != nullptr && !one_in(5)
                   ? m->token
                   : between<claim_token>(0, model_.token_last + 1);
    what.says = static_cast<verdict>(between(0, 4));
    what.delay_ms = between(0, 2);
    const auto e = live_.settle(what, now_);
    const auto live =
      m != nullptr && m->state == item_state::claimed && m->token == what.token;
    RC_ASSERT(static_cast<bool>(e) == live);
    if (!live) {
      RC_ASSERT(e.error() == ec::stale_claim);
      return;
    }
    const auto base = settings_.retry_delay_ms;
    const auto due = [&](std::uint32_t policy_ms) {
      const auto ms = what.delay_ms != 0 ? what.delay_ms : policy_ms;
      return ms == 0 ? never : now_ + ms * 1000;
    };
    switch (what.says) {
      case verdict::done:
      case verdict::skip:
      case verdict::failed:
      case verdict::rejected:
        model_.erase(what.id);
        break;
      case verdict::retry:
        if (exhausted(*m))
          model_.erase(what.id);
        else
          model_release(*m, m->attempt,
                        due(std::min<std::uint32_t>(
                          5, base << std::min(m->attempt - 1, 8u))));
        break;
      case verdict::not_yet:
        model_release(*m, m->attempt - 1, due(base));
        break;
      case verdict::release:
        model_release(*m, m->attempt - 1, never);
        break;
    }
    journal(*e);
  }

  void extend() {
    const auto id = some_id();
    auto* m = model_.find(id);
    const auto token = m != nullptr ? m->token : 1;
    const auto to = now_ + between(0, 5000);
    const auto e = live_.extend(id, token, to);
    RC_ASSERT(static_cast<bool>(e)
              == (m != nullptr && m->state == item_state::claimed));
    if (!e)
      return;
    if (m->deadline_us != never)
      m->deadline_us = std::max(m->deadline_us, to);
    journal(*e);
  }

  void park() {
    const auto parked = !one_in(3);
    const std::vector<item_id> ids{some_id(), some_id(), some_id()};
    std::set<item_id> expected;
    for (const auto id : ids)
      if (auto* m = model_.find(id);
          m != nullptr && m->state != item_state::claimed
          && (m->state == item_state::parked) != parked)
        expected.insert(id);
    const auto events = live_.park(ids, parked);
    RC_ASSERT(events.size() == expected.size());
    for (const auto id : expected)
      model_.back_to(*model_.find(id),
                     parked ? item_state::parked : item_state::pending, never);
    for (const auto& e : events)
      journal(e);
  }

  template <class Predicate>
  void lose_claims(const std::vector<event>& events, Predicate lost) {
    std::size_t expected = 0;
    const auto before = model_.items;
    for (const auto& x : before) {
      if (x.state != item_state::claimed || !lost(x))
        continue;
      ++expected;
      if (exhausted(x))
        model_.erase(x.id);
      else
        model_release(*model_.find(x.id), x.attempt, never);
    }
    RC_ASSERT(events.size() == expected);
    for (const auto& e : events)
      journal(e);
  }

  void end_claims() {
    if (one_in(2))
      return lose_claims(live_.expire(now_), [&](const auto& x) {
        return x.deadline_us != never && x.deadline_us <= now_;
      });
    if (one_in(2))
      return lose_claims(live_.release_local_claims(now_),
                         [](const auto& x) {
                           return x.local || x.deadline_us == never;
                         });
    const auto all = one_in(3);
    return lose_claims(
      live_.release_claims(all ? "" : "a", now_),
      [&](const auto& x) { return all || x.processor == "a"; });
  }

  void finish() {
    const auto id = some_id();
    const auto e = live_.finish({.id = id}, now_);
    RC_ASSERT(static_cast<bool>(e) == (model_.find(id) != nullptr));
    if (!e)
      return;
    model_.erase(id);
    journal(*e);
  }

  void rarely() {
    if (one_in(12)) {
      for (const auto& e : live_.purge(now_))
        journal(e);
      model_.items.clear();
    } else if (one_in(4)) {
      reclassify();
    } else {
      live_.wake(now_);
      model_.wake(now_);
    }
  }

  void reclassify() {
    const auto before = classes_.limits();
    classes_ = {};
    for (int i = between(0, 2); i > 0; --i)
      classes_.add(between(0, 30));
    configure();
    if (classes_.limits() == before)
      return;
    // As the queue does: all counts replace what was told.
    told_.clear();
    for (const auto& x : live_.ready_counts())
      told_[{x.band, x.cls}] = x.delta;
  }

  queue_settings settings_;
  size_classes classes_;
  rules::ledger live_;
  ledger_model model_;
  std::vector<record> log_;
  std::map<std::pair<std::uint8_t, size_class>, std::int64_t> told_;
  std::int64_t in_flight_ = 0;
  item_id id_next_ = 0;
  micros now_ = 1'000'000;
};

} // namespace depositd::testing
