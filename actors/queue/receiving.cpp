#include "actors/journal/reply.hpp"
#include "actors/queue/parts.hpp"

#include <algorithm>

namespace depositd::queue {

namespace {

/// The view of whoever receives: any user, any size.
rules::view_number receive_view(self_pointer self) {
  auto& state = self->state;
  if (!state.receive_view)
    state.receive_view =
      state.ring.open_view({}, state.classes.of_limit(no_size_limit));
  return *state.receive_view;
}

/// Picks of one user, with their places in the answer.
struct share_of_receive {
  std::vector<pick> picks;
  std::vector<std::uint32_t> slots;
};

std::vector<member_number> members_named(self_pointer self, user_digest user) {
  std::vector<member_number> out;
  const auto [first, last] = self->state.members_by_digest.equal_range(user);
  for (auto at = first; at != last; ++at)
    out.push_back(at->second);
  return out;
}

/// Places under the user's cap, until it says how many it has needed.
void reserve_claims(self_pointer self, member_number member,
                    std::uint32_t claims_max, renew_named& to) {
  auto& ring = self->state.ring;
  const auto claims = ring.in_flight_total();
  if (!open(self) || is_full(self) || claims >= claims_max)
    return;
  to.begins_max = std::min({static_cast<std::uint32_t>(to.ids.size()),
                            ring.room_for_claims(member),
                            static_cast<std::uint32_t>(claims_max - claims)});
  if (to.begins_max > 0)
    ring.change_in_flight(member, static_cast<std::int32_t>(to.begins_max));
}

caf::message is_done() {
  return caf::make_message(done{});
}

} // namespace

caf::result<items_received> take(self_pointer self, const receive_items& x) {
  auto& state = self->state;
  const auto claims = state.ring.in_flight_total();
  if (!open(self) || claims >= x.claims_max)
    return items_received{};
  const auto room = std::min<std::uint64_t>(x.count, x.claims_max - claims);
  const auto view = receive_view(self);
  std::vector<std::pair<member_number, share_of_receive>> shares;
  std::unordered_map<member_number, std::size_t> index;
  std::uint32_t slots = 0;
  while (slots < room) {
    auto what = state.ring.next(view);
    if (!what)
      break;
    auto [at, fresh] = index.try_emplace(what->member, shares.size());
    if (fresh)
      shares.emplace_back(what->member, share_of_receive{});
    auto& share = shares[at->second].second;
    share.picks.push_back(*what);
    share.slots.push_back(slots++);
  }
  if (slots == 0)
    return items_received{};
  auto answer = std::make_shared<receive_answer>();
  auto where = journal::take_reply(self);
  answer->to = std::move(where.to);
  answer->id = where.id;
  answer->items.resize(slots);
  answer->open = slots;
  state.handed_out += slots;
  for (auto& [member, share] : shares) {
    hand_over what;
    what.queue = state.options.number;
    what.picks = std::move(share.picks);
    count_picks(self, what.picks);
    what.who = taker{nullptr, 0, x.taker, x.lease_ms, false, answer};
    what.slots = std::move(share.slots);
    add_terms(self, member, what);
    self->send(state.members[member].actor, std::move(what));
  }
  return journal::answered_later<items_received>();
}

caf::result<items_settled> end(self_pointer self, const settle_items& x) {
  std::unordered_map<member_number, settle_named> parts;
  auto answer = std::make_shared<end_answer>();
  answer->accepted.resize(x.items.size());
  for (std::uint32_t i = 0; i < x.items.size(); ++i)
    for (const auto member : members_named(self, x.items[i].name.user)) {
      auto& part = parts[member];
      part.items.push_back(x.items[i]);
      part.positions.push_back(i);
    }
  if (parts.empty()) // nobody has such items any more, once that is durable
    return journal::command{self->state.options.journal}.commit_and_answer(
      self, items_settled{std::move(answer->accepted)});
  auto share =
    journal::share_reply(journal::take_reply(self), parts.size(), [answer] {
      return caf::make_message(items_settled{answer->accepted});
    });
  for (auto& [member, part] : parts) {
    part.queue = self->state.options.number;
    part.answer = answer;
    part.share = share;
    self->send(self->state.members[member].actor, std::move(part));
  }
  return journal::answered_later<items_settled>();
}

caf::result<done> extend(self_pointer self, const renew_items& x) {
  std::unordered_map<member_number, renew_named> parts;
  for (const auto& name : x.items)
    for (const auto member : members_named(self, name.user))
      parts[member].ids.push_back(name.id);
  if (parts.empty())
    return done{};
  auto share =
    journal::share_reply(journal::take_reply(self), parts.size(), is_done);
  for (auto& [member, part] : parts) {
    part.queue = self->state.options.number;
    part.taker = x.taker;
    part.lease_ms = x.lease_ms;
    part.share = share;
    if (x.lease_ms > 0)
      reserve_claims(self, member, x.claims_max, part);
    self->send(self->state.members[member].actor, std::move(part));
  }
  return journal::answered_later<done>();
}

caf::result<done> release_all(self_pointer self) {
  std::vector<user_actor> users;
  for (const auto& member : self->state.members)
    if (member.actor)
      users.push_back(member.actor);
  if (users.empty())
    return done{};
  auto share =
    journal::share_reply(journal::take_reply(self), users.size(), is_done);
  for (const auto& user : users)
    self->send(user, release_claims{self->state.options.number, "", share});
  return journal::answered_later<done>();
}

queue_counted count(self_pointer self) {
  const auto& state = self->state;
  // One that ends while it is told to collapse is counted off twice meanwhile.
  return {state.items - std::min(state.items, state.collapsing),
          state.ring.in_flight_total()};
}

left_measured measure(self_pointer self) {
  const auto& state = self->state;
  const auto not_left = state.collapsing + state.parked;
  return {state.items - std::min(state.items, not_left)};
}

} // namespace depositd::queue
