// What the queue counts, and what it finds when it looks at all of its users.

#include "actors/queue/parts.hpp"

#include <algorithm>

namespace depositd::queue {

void count_anew(self_pointer self, member_number number, micros oldest_us) {
  auto& all = self->state.measures;
  if (number >= all.size())
    all.resize(number + 1);
  all[number] = {oldest_us, {}};
}

void count_news(self_pointer self, const counts_changed& x) {
  auto& state = self->state;
  state.finished += x.finished;
  if (x.finished > 0)
    state.pace.add(now_s(self), x.finished);
  state.requeued += x.requeued;
  state.timed_out += x.timed_out;
  state.measures[x.member].oldest_us = x.oldest_us;
  auto& n = state.counters.n;
  // What came and left at once counts as both; purged items only leave.
  if (const auto net = x.items + std::int64_t{x.finished}; net > 0)
    n[count_entered] += static_cast<std::uint64_t>(net);
  n[count_finished] += x.finished;
  n[count_failed] += x.failed;
  n[count_requeued] += x.requeued;
  n[count_timed_out] += x.timed_out;
  if (!x.answered.empty())
    state.counters.add(
      count_waits + static_cast<std::size_t>(x.waited_among) * time_slots,
      x.waits);
  if (x.finished > 0)
    state.counters.add(count_durations, x.durations);
}

void count_picks(self_pointer self, const std::vector<pick>& picks) {
  auto& n = self->state.counters.n;
  for (const auto& x : picks)
    ++n[count_granted + static_cast<std::size_t>(x.by)];
}

namespace {

/// The best of many by a number, without names before it is known who they are.
class best_members {
public:
  explicit best_members(std::size_t max) : max_(max) {
    // nop
  }

  /// The lowest keys are the best; of equal ones the first.
  void offer(std::int64_t key, member_number who) {
    if (kept_.size() == max_ && key >= kept_.back().first)
      return;
    const auto at = std::upper_bound(
      kept_.begin(), kept_.end(), key,
      [](std::int64_t x, const auto& y) { return x < y.first; });
    kept_.insert(at, {key, who});
    if (kept_.size() > max_)
      kept_.pop_back();
  }

  const std::vector<std::pair<std::int64_t, member_number>>& kept() const {
    return kept_;
  }

private:
  std::size_t max_;
  std::vector<std::pair<std::int64_t, member_number>> kept_;
};

std::uint64_t risen(std::uint64_t from, std::uint64_t to) {
  return to > from ? to - from : 0; // what is undone may be less than before
}

/// Since shares were judged last, by user that could always be served.
struct competition {
  rules::shares got;
  rules::shares turns;
};

void add_competitor(competition& to, const rules::share_before& before,
                    const rules::ring::standing& now, fair_by by) {
  const auto of = static_cast<double>(std::max(now.allocation, 1u));
  const auto picks = risen(before.picks_judged, now.picks);
  const auto turns = static_cast<double>(picks) / of;
  to.turns.add(turns);
  // What is spent is divided by the allocation already.
  to.got.add(by == fair_by::turns
               ? turns
               : static_cast<double>(risen(before.spent_judged, now.spent)));
}

void judge_anew(self_pointer self) {
  auto& state = self->state;
  for (member_number i = 0; i < state.measures.size(); ++i) {
    const auto now = state.ring.look(i);
    auto& before = state.measures[i].before;
    before.picks_judged = now.picks;
    before.spent_judged = now.spent;
    before.competes = now.eligible;
  }
  state.judged.steps = 0;
}

/// Judges shares if those who compete have had enough turns. Else who competes
/// goes on to be watched.
void judge(self_pointer self, const competition& all) {
  auto& judged = self->state.judged;
  ++judged.steps;
  const auto alone = all.turns.count() < 2; // nobody to be fair to
  if (!alone && all.turns.mean() < rules::turns_judged_min
      && judged.steps < rules::steps_judged_max)
    return;
  judged.known = !alone;
  judged.evenness = all.got.evenness();
  judged.lag = all.got.lag();
  judge_anew(self);
}

void end_step(self_pointer self) {
  auto& state = self->state;
  auto& judged = state.judged;
  competition all;
  best_members most{users_named_max};
  judged.taken = 0;
  judged.at_cap = 0;
  for (member_number i = 0; i < state.measures.size(); ++i) {
    const auto now = state.ring.look(i);
    if (!now.present)
      continue;
    auto& before = state.measures[i].before;
    const auto taken = risen(before.picks, now.picks);
    before.picks = now.picks;
    before.competes = before.competes && now.eligible;
    if (before.competes)
      add_competitor(all, before, now, state.options.fair.by);
    judged.taken += taken;
    judged.at_cap += now.at_cap ? 1 : 0;
    if (taken > 0)
      most.offer(-static_cast<std::int64_t>(taken), i);
  }
  judged.users.clear();
  for (const auto& [key, i] : most.kept())
    judged.users.push_back(
      {state.members[i].user, static_cast<std::uint64_t>(-key)});
  judge(self, all);
}

void find_longest(self_pointer self, ring_measured& to) {
  const auto& state = self->state;
  best_members longest{users_named_max + 1};
  for (member_number i = 0; i < state.measures.size(); ++i) {
    const auto since = state.measures[i].oldest_us;
    if (since == never)
      continue;
    longest.offer(since, i);
    if ((to.oldest_eligible_us == never || since < to.oldest_eligible_us)
        && state.ring.look(i).eligible)
      to.oldest_eligible_us = since;
  }
  for (const auto& [since, i] : longest.kept())
    to.waits.push_back({state.members[i].user, since});
  if (!to.waits.empty())
    to.oldest_us = to.waits.front().oldest_us;
}

} // namespace

ring_measured measure_all(self_pointer self, const measure_ring& x) {
  if (x.ends_step)
    end_step(self);
  const auto& state = self->state;
  ring_measured out;
  out.report = report(self);
  out.counters = state.counters;
  out.parked = state.parked;
  find_longest(self, out);
  out.users_at_cap = state.judged.at_cap;
  out.shares = state.judged.users;
  out.taken = state.judged.taken;
  out.judged = state.judged.known;
  out.evenness = state.judged.evenness;
  out.lag = state.judged.lag;
  return out;
}

} // namespace depositd::queue
