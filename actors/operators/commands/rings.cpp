// Whose turn comes next, and where a user stands.

#include "actors/operators/command.hpp"
#include "actors/operators/why.hpp"

#include "actors/rules/ring/pace.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace depositd::operators {

namespace about_rings {
namespace {

using entry = members_report::entry;

/// `place` counts from 1; 0: none.
document ring_user_document(const entry& x, std::size_t place) {
  const auto& report = x.report;
  return {{"user", x.user},
          {"place", place == 0 ? document(nullptr) : document(place)},
          {"waiting", report.ready},
          {"in_process", report.in_flight},
          {"turns_taken", report.turns_taken},
          {"allocation", report.limits.allocation},
          {"concurrency", cap_or_null(report.limits.concurrency)},
          {"eligible", place != 0},
          {"why", why_not_texts(x.user, report)}};
}

document ring_document(const ring_report& x, const admin_call& call) {
  auto users = document::array();
  for (std::size_t i = 0; i < x.in_turn.size(); ++i)
    if (call.by.sees(x.in_turn[i].user))
      users.push_back(ring_user_document(x.in_turn[i], i + 1));
  for (const auto& one : x.out_of_turn)
    if (call.by.sees(one.user))
      users.push_back(ring_user_document(one, 0));
  const bool known = !x.in_turn.empty() && call.by.sees(x.in_turn[0].user);
  return {{"queue", x.queue},
          {"turns_taken", x.turns_taken},
          {"suspended", x.suspended || x.server_suspended},
          {"users", std::move(users)},
          {"next", known ? document(x.in_turn[0].user) : document(nullptr)}};
}

/// Of an operator who is limited to some users: they may stand behind any
/// number of others, so each is asked for by name.
struct own_ring {
  ring_report found;
  std::size_t asked = 0; ///< users, so far
};

void deliver_own(const admin_call_ptr& call, own_ring& own) {
  auto& all = own.found.in_turn;
  std::stable_sort(all.begin(), all.end(), [](const auto& x, const auto& y) {
    return x.report.turn < y.report.turn;
  });
  const auto limit = static_cast<std::size_t>(call->arguments.number("limit"));
  for (auto* part : {&all, &own.found.out_of_turn})
    part->resize(std::min(part->size(), limit));
  auto out = ring_document(own.found, *call);
  for (std::size_t i = 0; i < all.size(); ++i)
    out["users"][i]["place"] = all[i].report.turn;
  if (!all.empty() && all.front().report.turn > 1)
    out["next"] = nullptr; // it is somebody else's turn
  deliver(call, out);
}

void ring_of_own(admin_pointer self, const admin_call_ptr& call,
                 const std::shared_ptr<own_ring>& own) {
  const auto& users = call->by.users;
  if (own->asked == users.size())
    return deliver_own(call, *own);
  ask(self, call, self->state.options.shard,
      show_rings{call->arguments.text("name"), users[own->asked++], 1},
      [=](const rings_shown& x) {
        if (x.rings.empty())
          return refuse(call, ec::not_found, "there is no queue of this name");
        const auto before = std::exchange(own->found, x.rings.front());
        const auto put_first = [](auto& to, const auto& what) {
          to.insert(to.begin(), what.begin(), what.end());
        };
        put_first(own->found.in_turn, before.in_turn);
        put_first(own->found.out_of_turn, before.out_of_turn);
        ring_of_own(self, call, own);
      });
}

void ring(admin_pointer self, const admin_call_ptr& call) {
  if (!call->by.users.empty())
    return ring_of_own(self, call, std::make_shared<own_ring>());
  const auto name = call->arguments.text("name");
  const auto limit = call->arguments.number("limit");
  ask(self, call, self->state.options.shard,
      show_rings{name, "", static_cast<std::uint32_t>(limit)},
      [=](const rings_shown& x) {
        if (x.rings.empty())
          refuse(call, ec::not_found, "there is no queue of this name");
        else
          deliver(call, ring_document(x.rings.front(), *call));
      });
}

/// The user's entry, or null. Only that user was asked for.
const entry* entry_in(const ring_report& x) {
  return !x.in_turn.empty()       ? &x.in_turn.front()
         : !x.out_of_turn.empty() ? &x.out_of_turn.front()
                                  : nullptr;
}

/// Whoever is only at its cap gets a turn at the end, once it is below it.
std::optional<rules::ring_place> place_in(const ring_report& x,
                                          const entry& of) {
  const auto& report = of.report;
  const std::uint64_t users = x.eligible_users;
  rules::ring_place out;
  out.waiting = report.ready;
  out.allocation = report.limits.allocation;
  out.left = x.ready + x.in_flight;
  if (report.state == eligibility::at_cap && report.limits.concurrency > 0) {
    out.before = users;
    out.users = users + 1;
    return out;
  }
  if (report.state != eligibility::eligible)
    return std::nullopt;
  // In the ring of its shard, and so far in all of them.
  const auto length = std::max<std::uint64_t>(report.length, 1);
  out.users = std::max(users, length);
  const auto turn = std::max<std::uint64_t>(report.turn, 1);
  out.before = (turn * out.users + length - 1) / length - 1;
  return out;
}

document place_document(const ring_report& x, const entry& of, micros now_us) {
  const auto place = place_in(x, of);
  const bool stands = x.suspended || x.server_suspended || x.processors == 0;
  auto done_us = never;
  if (place && place->waiting > 0 && !stands)
    if (const auto time =
          rules::time_for(rules::items_until_done(*place), x.finished_per_hour))
      done_us = now_us + *time;
  return {{"queue", x.queue},
          {"place", place ? document(place->before + 1) : document(nullptr)},
          {"users_before", place ? document(place->before) : document(nullptr)},
          {"waiting", of.report.ready},
          {"in_process", of.report.in_flight},
          {"rate_per_hour", x.finished_per_hour},
          {"done_by", time_or_null(done_us)},
          {"why", why_not_texts(of.user, of.report)}};
}

void place(admin_pointer self, const admin_call_ptr& call) {
  ask(
    self, call, self->state.options.shard,
    show_rings{call->arguments.text("queue"), call->arguments.text("name"), 1},
    [=](const rings_shown& x) {
      document out{{"queues", document::array()}};
      for (const auto& ring : x.rings)
        if (const auto* of = entry_in(ring))
          out["queues"].push_back(
            place_document(ring, *of, call->arguments.came_us()));
      deliver(call, out);
    });
}

} // namespace
} // namespace about_rings

command queue_ring_command() {
  return concerning(
    concern::answered,
    reading(
      "queue ring", "Whose turns come next, and why others get none",
      {queue_name_argument(), limit_argument(100, 1'000)},
      {line_view("suspended", "suspended: nothing is handed out"),
       table_view("users", ">PLACE={place}||-; USER={user}; "
                           ">WAITING={waiting}; >IN PROCESS={in_process}; "
                           ">TAKEN={turns_taken}; "
                           ">ALLOCATION={allocation}; "
                           ">CONCURRENCY={concurrency}||none; WHY NOT={why}")},
      about_rings::ring));
}

command user_place_command() {
  return concerning(
    concern::named,
    reading(
      "user place", "Where a user stands, and when all will be done",
      {user_name_argument(), in_queue_argument()},
      {table_view("queues", "QUEUE={queue}; >PLACE={place}||-; "
                            ">USERS BEFORE={users_before}||-; "
                            ">WAITING={waiting}; >IN PROCESS={in_process}; "
                            ">PER HOUR={rate_per_hour}; "
                            "DONE BY={done_by:time}||-; WHY NOT={why}")},
      about_rings::place));
}

} // namespace depositd::operators
