#include "actors/rules/ring/cost_account.hpp"

#include "actors/rules/ring/ring.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace depositd::rules {

namespace {

/// Beyond so many, reports that the queue may not have heard are one. Then the
/// sum is wrong by those of them that it has heard, until the next pick.
constexpr std::size_t unheard_max = 1000;

} // namespace

cost_account::cost_account(const fair_terms& terms, const cost_sum& paid,
                           std::uint32_t weight, micros begun_us)
  : terms_(terms), spent_(paid.spent), floor_(paid.floor), weight_(weight),
    begun_us_(begun_us) {
  assert(terms.by != fair_by::turns && "turns are counted by the ring alone");
}

const fair_terms& cost_account::terms() const noexcept {
  return terms_;
}

void cost_account::meet_picks(std::uint64_t heard, std::uint64_t floor) {
  floor_ = std::max(floor_, floor);
  while (!unheard_.empty() && unheard_.front().number <= heard)
    unheard_.pop_front();
}

void cost_account::take(const pick& x, item_id id, std::uint64_t size,
                        micros now) {
  spent_ = x.spent;
  picked_ = true;
  weight_ = x.weight;
  changed_ = true;
  if (terms_.by == fair_by::bytes)
    settle(x.charge, std::max<std::uint64_t>(size, 1));
  else
    claims_[id] = {x.charge, now};
}

void cost_account::take_unpicked(item_id id, std::uint64_t size, micros now,
                                 bool charged_before) {
  if (terms_.by == fair_by::seconds)
    claims_[id] = {0, now};
  else if (!charged_before)
    settle(0, std::max<std::uint64_t>(size, 1));
}

void cost_account::end(item_id id, micros now) {
  if (terms_.by != fair_by::seconds)
    return;
  claim ended{0, begun_us_};
  if (const auto at = claims_.find(id); at != claims_.end()) {
    ended = at->second;
    claims_.erase(at);
  }
  constexpr micros us_per_ms = 1000;
  // A clock that was set back must not give anything away.
  rest_us_ += now > ended.since_us ? now - ended.since_us : 1;
  settle(ended.charge, static_cast<std::uint64_t>(rest_us_ / us_per_ms));
  rest_us_ %= us_per_ms;
}

void cost_account::settle(std::uint64_t charged, std::uint64_t cost) {
  next_.charged += charged;
  next_.cost += cost;
  changed_ = changed_ || charged != 0 || cost != 0;
}

void cost_account::correct(const report& by) {
  pick charged;
  charged.charge = by.charged;
  charged.weight = weight_;
  spent_ = spent_after(spent_, charged, by.cost);
}

void cost_account::keep_unheard() {
  if (unheard_.size() < unheard_max) {
    unheard_.push_back(next_);
    return;
  }
  auto& last = unheard_.back();
  last.number = next_.number;
  last.charged += next_.charged;
  last.cost += next_.cost;
}

std::optional<cost_account::news> cost_account::take_news() {
  if (!changed_)
    return std::nullopt;
  changed_ = false;
  if (std::exchange(picked_, false))
    for (const auto& x : unheard_)
      correct(x);
  news out;
  out.charged = next_.charged;
  out.cost = next_.cost;
  if (out.charged != 0 || out.cost != 0) {
    ++next_.number;
    correct(next_);
    keep_unheard();
    next_.charged = 0;
    next_.cost = 0;
  }
  out.paid = {spent_, floor_};
  return out;
}

} // namespace depositd::rules
