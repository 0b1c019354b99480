#include "actors/rules/ledger/ledger.hpp"
#include "actors/rules/ledger/state.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace depositd::rules {

namespace {

stored_item stored(const item_enqueued& x, body_bytes body) {
  stored_item out;
  out.id = x.id;
  out.received_us = x.received_us;
  out.size = x.size;
  out.digest = x.digest;
  out.place = x.place;
  out.body = std::move(body);
  out.priority = x.priority;
  out.kind = x.kind;
  return out;
}

stored_item stored(const item_copied& x, body_bytes body) {
  stored_item out;
  out.id = x.id;
  out.received_us = x.received_us;
  out.size = x.size;
  out.place = x.place;
  out.body = std::move(body);
  out.priority = x.priority;
  out.kind = x.kind;
  return out;
}

/// Applies one event. What does not fit the state (an item that is not there)
/// changes nothing: the journal is the truth, and it says so only when an
/// earlier event of it has ended the item.
template <class State>
struct applier {
  State& s;
  body_bytes body;

  template <class Event>
  void come(const Event& x) {
    if (x.id <= s.id_last && s.find(x.id).item != nullptr)
      return;
    s.id_last = std::max(s.id_last, x.id);
    s.make_pending(stored(x, std::move(body)));
  }

  void operator()(const item_enqueued& x) {
    come(x);
  }

  void operator()(const item_copied& x) {
    come(x);
  }

  void operator()(const item_delayed& x) {
    if (auto item = s.take_pending(x.id))
      s.set_aside(std::move(*item), State::set_aside_as::delayed,
                  x.available_us);
  }

  void operator()(const item_claimed& x) {
    auto item = s.take_pending(x.id);
    if (!item)
      return;
    if (s.collapses(*item))
      s.changes.deliver.push_back({item->id, item->digest});
    item->attempt = x.attempt;
    s.lend(std::move(*item), {.item = {},
                              .token = x.token,
                              .deadline_us = x.deadline_us,
                              .local = x.local,
                              .processor = x.processor,
                              .claimed_us = x.claimed_us});
  }

  void operator()(const claim_renewed& x) {
    if (const auto at = s.claims.find(x.id);
        at != s.claims.end() && at->second.token == x.token)
      s.set_deadline(x.id, at->second, x.deadline_us);
  }

  void operator()(const item_released& x) {
    auto item = s.end_claim(x.id);
    if (!item)
      return;
    item->attempt = x.attempt;
    if (x.available_us == never)
      s.make_pending(std::move(*item));
    else
      s.set_aside(std::move(*item), State::set_aside_as::delayed,
                  x.available_us);
  }

  void operator()(const item_finished& x) {
    if (s.end_claim(x.id))
      return;
    const auto item = s.take_pending(x.id);
    if (item && x.how != ending::collapsed)
      s.note_left(*item);
  }

  void operator()(const item_parked& x) {
    auto item = s.take_pending(x.id);
    if (!item)
      return;
    if (x.parked) {
      s.note_left(*item);
      s.set_aside(std::move(*item), State::set_aside_as::parked);
    } else {
      s.make_pending(std::move(*item));
    }
  }

  void operator()(const body_compacted& x) {
    s.change(x.id, [&](stored_item& item) {
      if (x.place.length > 0 && !seeded_bug("relocated_body_keeps_its_place"))
        item.place = x.place;
      if (body != nullptr)
        item.body = std::move(body);
    });
  }

  /// Submissions and control are nothing to a ledger; a move is something to
  /// two of them.
  template <class Other>
  void operator()(const Other&) {
    // nop
  }
};

/// Tokens of one item rise over all queues: by them late outcomes, and locks
/// that its job has taken, are told from those of the later holder.
template <class State>
void raise_tokens_above(const State& from, State& to) {
  if (!seeded_bug("token_given_again_after_a_move"))
    to.token_last = std::max(to.token_last, from.token_last);
}

} // namespace

void ledger::apply(const event& x, body_bytes body) {
  std::visit(applier<state>{*state_, std::move(body)}, x);
}

void ledger::apply(const item_moved& x, ledger& from, ledger& to) {
  auto item = from.state_->end_claim(x.id);
  if (!item) {
    item = from.state_->take_pending(x.id);
    if (!item)
      return;
    from.state_->note_left(*item);
  }
  item->attempt = 0;
  auto& s = *to.state_;
  raise_tokens_above(*from.state_, s);
  s.id_last = std::max(s.id_last, x.id);
  s.make_pending(std::move(*item));
}

void ledger::place(item_id id, const item_place& place, ledger& from,
                   ledger* to) {
  auto item = from.state_->end_claim(id);
  if (!item) {
    item = from.state_->take_pending(id);
    if (!item)
      return;
    from.state_->note_left(*item);
  }
  if (to == nullptr)
    return;
  auto& s = *to->state_;
  raise_tokens_above(*from.state_, s);
  item->attempt = place.attempt;
  item->priority = place.priority;
  s.id_last = std::max(s.id_last, id);
  if (place.parked)
    s.set_aside(std::move(*item), state::set_aside_as::parked);
  else if (place.available_us != never)
    s.set_aside(std::move(*item), state::set_aside_as::delayed,
                place.available_us);
  else
    s.make_pending(std::move(*item));
}

bool ledger::admit(item_id id, bool counted) {
  auto& s = *state_;
  const auto at = s.items_set_aside.find(id);
  if (at == s.items_set_aside.end()
      || at->second.where != state::set_aside_as::unadmitted)
    return false;
  auto item = *s.take_pending(id);
  item.cls = s.classes.of(item.size);
  if (counted)
    s.note_ready(item, -1);
  s.make_ready(std::move(item));
  return true;
}

stored_item stored(const item_row& x) {
  stored_item out;
  out.id = x.id;
  out.received_us = x.received_us;
  out.size = x.size;
  out.digest = x.digest;
  out.place = x.place;
  out.attempt = x.attempt;
  out.priority = x.priority;
  out.kind = x.kind;
  return out;
}

void ledger::restore(std::vector<stored_item>& waiting) {
  auto& s = *state_;
  for (auto& x : waiting) {
    s.id_last = std::max(s.id_last, x.id);
    s.make_pending(std::move(x));
  }
  waiting.clear();
}

void ledger::restore(const item_row& row) {
  auto& s = *state_;
  s.id_last = std::max(s.id_last, row.id);
  auto item = stored(row);
  switch (row.state) {
    case item_state::pending:
      s.make_pending(std::move(item));
      return;
    case item_state::claimed:
      --s.changes.claims_ended;
      s.lend(std::move(item), {.item = {},
                               .token = row.token,
                               .deadline_us = row.deadline_us,
                               .local = row.local,
                               .processor = row.processor});
      return;
    case item_state::delayed:
      if (row.available_us == never)
        s.make_pending(std::move(item));
      else
        s.set_aside(std::move(item), state::set_aside_as::delayed,
                    row.available_us);
      return;
    case item_state::parked:
      s.set_aside(std::move(item), state::set_aside_as::parked);
      return;
  }
}

std::size_t ledger::wake(micros now, std::size_t count_max) {
  auto& s = *state_;
  std::size_t count = 0;
  for (; count < count_max && !s.delays.empty()
         && (s.delays.begin()->first <= now
             || seeded_bug("delayed_item_comes_early"));
       ++count)
    s.make_pending(*s.take_pending(s.delays.begin()->second));
  return count;
}

void ledger::wake(const std::vector<item_id>& ids) {
  auto& s = *state_;
  for (const auto id : ids) {
    const auto at = s.items_set_aside.find(id);
    if (at != s.items_set_aside.end()
        && (at->second.where == state::set_aside_as::delayed
            || (at->second.where == state::set_aside_as::parked
                && seeded_bug("parked_item_woken"))))
      s.make_pending(*s.take_pending(id));
  }
}

void ledger::wake_later_than(micros when) {
  auto& s = *state_;
  while (!s.delays.empty() && s.delays.rbegin()->first > when)
    s.make_pending(*s.take_pending(s.delays.rbegin()->second));
}

} // namespace depositd::rules
