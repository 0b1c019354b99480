#include "actors/queue/parts.hpp"

#include <algorithm>
#include <tuple>

namespace depositd::queue {

namespace {

// -- handing out --------------------------------------------------------------

/// Picks for one processor from one user, sent as one message.
struct batch_key {
  std::uint32_t processor;
  member_number member;

  friend bool operator==(const batch_key&, const batch_key&) = default;
};

struct batch_key_hash {
  std::size_t operator()(const batch_key& x) const noexcept {
    return std::hash<std::uint64_t>{}((std::uint64_t{x.processor} << 32)
                                      | x.member);
  }
};

void send_picks(self_pointer self, const batch_key& key,
                std::vector<pick> picks) {
  auto& processor = *find_processor(self, key.processor);
  const auto count = static_cast<std::uint32_t>(picks.size());
  processor.credit -= std::min(processor.credit, count);
  processor.holds += count;
  processor.served.insert(key.member);
  self->state.handed_out += count;
  count_picks(self, picks);
  hand_over what;
  what.queue = self->state.options.number;
  what.picks = std::move(picks);
  what.who = taker{caf::actor_cast<caf::strong_actor_ptr>(processor.actor),
                   key.processor,
                   processor.name,
                   processor.lease_ms,
                   processor.local,
                   nullptr};
  add_terms(self, key.member, what);
  self->send(self->state.members[key.member].actor, std::move(what));
}

} // namespace

queue_member* find_member(self_pointer self, member_number number) {
  auto& members = self->state.members;
  if (number >= members.size() || !members[number].actor)
    return nullptr;
  return &members[number];
}

bool open(self_pointer self) {
  const auto& state = self->state;
  return state.begun && !state.options.settings.suspended
         && !state.options.server_suspended;
}

bool is_full(self_pointer self) {
  const auto& state = self->state;
  const auto workers = state.options.workers;
  // Whose claims survived a restart may come back from anywhere.
  return workers != no_cap && (!state.one_process || !state.survivors.empty())
         && state.ring.in_flight_total() >= workers;
}

void change_items(self_pointer self, member_number number, std::int64_t by) {
  self->state.members[number].items += static_cast<std::uint64_t>(by);
  self->state.items += static_cast<std::uint64_t>(by);
}

namespace {

/// The same of those that are parked.
void change_parked(self_pointer self, member_number number, std::int64_t by) {
  self->state.members[number].parked += static_cast<std::uint64_t>(by);
  self->state.parked += static_cast<std::uint64_t>(by);
}

/// Serves those who wait, as far as anybody can be served.
void match_waiting(self_pointer self) {
  auto& ring = self->state.ring;
  const auto next_match = [&] {
    return is_full(self) ? std::nullopt : ring.next_match();
  };
  auto first = next_match();
  if (!first)
    return;
  const auto key_of = [](const rules::ring::match& x) {
    return batch_key{static_cast<std::uint32_t>(x.taker), x.what.member};
  };
  auto next = next_match();
  if (!next) { // the usual case: one item for one processor
    send_picks(self, key_of(*first), {first->what});
    return;
  }
  std::vector<std::pair<batch_key, std::vector<pick>>> batches;
  std::unordered_map<batch_key, std::size_t, batch_key_hash> index;
  for (auto match = first; match; match = std::exchange(next, std::nullopt)) {
    const auto key = key_of(*match);
    auto [at, fresh] = index.try_emplace(key, batches.size());
    if (fresh)
      batches.emplace_back(key, std::vector<pick>{});
    batches[at->second].second.push_back(match->what);
    if (!next)
      next = next_match();
  }
  for (auto& [key, picks] : batches)
    send_picks(self, key, std::move(picks));
}

} // namespace

void serve_waiting(self_pointer self) {
  if (!open(self))
    return;
  match_waiting(self);
  tell_growth(self);
}

namespace {

/// The processor looks elsewhere: what it asked for cannot be served now.
void void_credit(self_pointer self, std::uint32_t number) {
  auto* processor = find_processor(self, number);
  if (processor == nullptr || processor->waits || processor->credit == 0)
    return;
  self->state.ring.stop_waiting(number);
  processor->credit = 0;
  processor->told = 0;
  self->send(processor->actor, deliver{}); // nobody is eligible for it
}

void take_credit_back(self_pointer self, std::uint32_t number) {
  if (auto* processor = find_processor(self, number)) {
    self->state.ring.stop_waiting(number);
    processor->credit = 0;
    processor->waits = false; // nor does what comes back from a user's actor
  }
}

void take_work(self_pointer self, settle_and_request& x) {
  auto* processor = find_processor(self, x.processor);
  if (processor == nullptr)
    return;
  if (!x.outcomes.empty())
    settle_outcomes(self, *processor, x.outcomes);
  if (x.counts) {
    if (!processor->asked)
      self->state.watchers.insert(x.processor);
    tell_count(self, *processor, eligible_for(self, *processor));
    return;
  }
  const auto more = std::min(x.credit, credit_max - processor->credit);
  if (more > 0) {
    if (!std::exchange(processor->asked, true))
      self->state.watchers.erase(x.processor);
    processor->credit += more;
    processor->waits = x.waits;
    self->state.ring.wait(processor->view, x.processor, more);
  }
  serve_waiting(self);
  void_credit(self, x.processor);
}

// -- users --------------------------------------------------------------------

member_forgotten forget(self_pointer self, member_number number) {
  auto& state = self->state;
  member_forgotten out;
  out.fair = state.options.fair;
  out.paid = {state.ring.spent(number), state.ring.cost_floor()};
  std::tie(out.stamp, out.credit) = state.ring.leave(number);
  state.survivors.erase(number);
  auto& member = state.members[number];
  state.items -= member.items;
  state.parked -= member.parked;
  state.collapsing -= member.collapsing;
  const auto digest = digest_of_user(member.user);
  const auto [first, last] = state.members_by_digest.equal_range(digest);
  for (auto at = first; at != last; ++at)
    if (at->second == number) {
      state.members_by_digest.erase(at);
      break;
    }
  member = {};
  count_anew(self, number, never);
  return out;
}

void introduce_member(self_pointer self, const introduce& x) {
  auto& state = self->state;
  if (x.member >= state.members.size())
    state.members.resize(x.member + 1);
  count_anew(self, x.member, x.oldest_us);
  state.members[x.member] = {x.user, caf::actor_cast<user_actor>(x.actor)};
  change_items(self, x.member, static_cast<std::int64_t>(x.items));
  change_parked(self, x.member, static_cast<std::int64_t>(x.parked));
  state.members_by_digest.emplace(digest_of_user(x.user), x.member);
  state.ring.join(x.member, x.user, x.limits, x.stamp, x.credit, x.paid.spent);
  if (x.in_flight > 0) {
    state.ring.change_in_flight(x.member,
                                static_cast<std::int32_t>(x.in_flight));
    state.survivors.insert(x.member);
  }
  for (const auto& change : x.ready)
    state.ring.change_ready(x.member, change);
  take_arrivals(self, x.member, x.arrived);
  // The user's actor knows only the first classes yet.
  if (state.classes_version > 0)
    self->send(
      state.members[x.member].actor,
      reclassify{state.options.number, state.classes, state.classes_version});
}

void change_counts(self_pointer self, const counts_changed& x) {
  auto& state = self->state;
  auto* member = find_member(self, x.member);
  if (member == nullptr)
    return;
  member->classes_version = x.classes_version;
  rules::ring::news news;
  news.answered = x.answered;
  news.claims_ended = x.claims_ended;
  // Counts under older class numbers are followed by totals under the new.
  if (x.classes_version == state.classes_version) {
    news.ready = x.ready;
    news.all = x.all;
  }
  take_costs(self, x, news);
  state.ring.report(x.member, news);
  if (x.begins_judged > 0)
    state.ring.change_in_flight(x.member,
                                -static_cast<std::int32_t>(x.begins_judged));
  change_items(self, x.member, x.items);
  change_parked(self, x.member, x.parked);
  count_news(self, x);
  take_arrivals(self, x.member, x.arrived);
  take_delivered(self, x.deliver);
  take_left(self, x.left);
  take_collapsed(self, x.member, x.collapses_done);
  serve_waiting(self);
}

/// A processor did not get so many items that it was to get.
void ask_again(self_pointer self, std::uint32_t number, std::uint32_t count) {
  auto& processor = self->state.processors.at(number);
  processor.holds -= count;
  processor.credit += count;
  self->state.ring.wait(processor.view, number, count);
}

void take_back(self_pointer self, const picks_declined& x) {
  auto& state = self->state;
  const auto count = static_cast<std::uint32_t>(x.picks.size());
  state.handed_out -= count;
  undo_picks(self, x);
  if (find_processor(self, x.processor) != nullptr)
    ask_again(self, x.processor, count);
  serve_waiting(self);
  void_credit(self, x.processor);
}

void replace_lost(self_pointer self, const hand_outs_lost& x) {
  for (const auto& [number, processor] : self->state.processors)
    if (caf::actor_cast<caf::strong_actor_ptr>(processor.actor) == x.to) {
      ask_again(self, number, x.count);
      serve_waiting(self);
      void_credit(self, number);
      return;
    }
  serve_waiting(self);
}

} // namespace

queue_self::behavior_type queue(actor_with<queue_state>* self,
                                queue_options options) {
  self->state.ring =
    rules::ring{options.settings.priority, options.settings.oldest_band_every};
  self->state.options = std::move(options);
  self->state.ring.set_fair_by(self->state.options.fair.by);
  self->set_down_handler(
    [=](const caf::down_msg& x) { processor_down(self, x); });
  // CAF tries them one after the other: what comes with each item is first.
  return {
    [=](const counts_changed& x) { change_counts(self, x); },
    [=](settle_and_request& x) { take_work(self, x); },
    [=](const receive_items& x) { return take(self, x); },
    [=](const settle_items& x) { return end(self, x); },
    [=](const attach& x) { return attach_processor(self, x); },
    [=](const cancel_credit& x) { take_credit_back(self, x.processor); },
    [=](const renew_claims& x) { touch(self, x); },
    [=](const detach& x) {
      remove_processor(self, x.processor);
      return done{};
    },
    [=](const introduce& x) { introduce_member(self, x); },
    [=](const forget_member& x) { return forget(self, x.member); },
    [=](const configure_queue& x) {
      self->state.options.settings = x.settings;
      self->state.options.server_suspended = x.server_suspended;
      self->state.options.workers = x.workers;
      use_terms(self, x.fair);
      serve_waiting(self);
    },
    [=](const change_limits& x) {
      for (const auto& entry : x.entries)
        if (find_member(self, entry.member) != nullptr)
          self->state.ring.set_limits(entry.member, entry.limits);
      serve_waiting(self);
    },
    [=](const begin& x) {
      self->state.ring.raise_stamp(x.stamp_last);
      self->state.ring.raise_floor(x.cost_floor);
      self->state.ring.settle_order();
      self->state.begun = true;
      sort_early(self);
      serve_waiting(self);
    },
    [=](const claims_purged& x) { tell_holders(self, x); },
    [=](const picks_declined& x) { take_back(self, x); },
    [=](report_queue) { return report(self); },
    [=](measure_left) { return measure(self); },
    [=](const measure_ring& x) { return measure_all(self, x); },
    [=](report_members) { return report_all_members(self); },
    [=](const report_ring& x) { return report_turns(self, x); },
    [=](const explain_member& x) { return explain(self, x); },
    [=](report_processors) { return report_all_processors(self); },
    [=](const renew_items& x) { return extend(self, x); },
    [=](const release_queue&) { return release_all(self); },
    [=](const count_queue&) { return count(self); },
    [=](const hand_outs_lost& x) { replace_lost(self, x); },
    [=](tell_again) {
      self->state.tell_due = false;
      tell_growth(self);
    },
    [=](journal::pass_journal) {
      return journal::command{self->state.options.journal}.commit_and_answer(
        self, done{});
    },
  };
}

} // namespace depositd::queue
