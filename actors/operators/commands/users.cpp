// Users as the engine sees them: accounts, settings and places in the rings.

#include "actors/operators/command.hpp"
#include "actors/operators/user_places.hpp"

#include "messages/projection.hpp"
#include "messages/shard.hpp"
#include "messages/values/words.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace depositd::operators {

namespace about_users {
namespace {

/// What a user has in the ring of a queue.
struct place {
  const std::string* queue;
  const eligibility_report* report;
};

document place_document(const place& at) {
  const auto& x = *at.report;
  const bool eligible = x.state == eligibility::eligible;
  return {{"queue", *at.queue},
          {"state", word(x.state)},
          {"turn", eligible ? document(x.turn) : document(nullptr)},
          {"turns", eligible ? document(x.length) : document(nullptr)},
          {"ready", x.ready},
          {"in_flight", x.in_flight},
          {"turns_taken", x.turns_taken},
          {"allocation", x.limits.allocation},
          {"concurrency", cap_or_null(x.limits.concurrency)}};
}

document limits_document(const user_limits_changed* x) {
  const document unset("default");
  return {
    {"queue", x->queue},
    {"allocation", x->has_allocation ? document(x->allocation) : unset},
    {"concurrency", x->has_concurrency ? cap_or_null(x->concurrency) : unset}};
}

/// Everything about some users, looked up by name, in what was answered. There
/// may be a million of them: nothing is copied for those that are not shown.
struct user_sources {
  const control_state& state;
  std::map<std::string_view, std::vector<place>> places;
  std::map<std::string_view, std::vector<const user_limits_changed*>> limits;
};

/// Calls `use` with each user of whom something is set in the queue; without
/// one, anywhere.
template <class F>
void each_limit(const control_state& state, const std::string& queue, F use) {
  for (const auto& [key, limits] : state.limits)
    if (queue.empty() || key.first == queue)
      use(limits);
}

template <class F>
void each_place(const users_listed& listed, F use) {
  for (const auto& report : listed.queues)
    for (const auto& entry : report.entries)
      use(entry.user, place{&report.queue, &entry.report});
}

/// Of those users whom `is_meant` tells.
template <class F>
user_sources gather(const control_state& state, const users_listed& listed,
                    const std::string& queue, F is_meant) {
  user_sources out{state, {}, {}};
  each_place(listed, [&](const std::string& user, const place& at) {
    if (is_meant(user))
      out.places[user].push_back(at);
  });
  each_limit(state, queue, [&](const user_limits_changed& x) {
    if (is_meant(x.user))
      out.limits[x.user].push_back(&x);
  });
  return out;
}

template <class Map, class Make>
document array_of(const Map& from, const std::string& name, Make make) {
  auto out = document::array();
  if (const auto at = from.find(name); at != from.end())
    for (const auto& x : at->second)
      out.push_back(make(x));
  return out;
}

/// Whoever has an account, a setting or a place in a ring, and is for the
/// caller to see.
std::unordered_set<std::string_view> names_of(const admin_call& call,
                                              const control_state& state,
                                              const users_listed& listed,
                                              const std::string& queue) {
  std::unordered_set<std::string_view> out;
  const auto add = [&](const std::string& user) {
    if (call.by.sees(user))
      out.insert(user);
  };
  each_place(listed, [&](const auto& user, const auto&) { add(user); });
  each_limit(state, queue, [&](const auto& x) { add(x.user); });
  if (queue.empty()) {
    for (const auto& entry : state.accounts)
      add(entry.first);
    for (const auto& entry : state.eligibilities)
      add(entry.first);
  }
  return out;
}

/// The first of those behind `after`, one more than a page has.
std::map<std::string, bool>
page_of(const std::unordered_set<std::string_view>& names,
        const admin_arguments& in) {
  const std::string after = in.text("after");
  std::vector<std::string_view> left;
  for (const auto name : names)
    if (name > after)
      left.push_back(name);
  const auto count =
    std::min(left.size(), static_cast<std::size_t>(in.number("limit")) + 1);
  const auto end = left.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(left.begin(), end, left.end());
  std::map<std::string, bool> out;
  for (auto at = left.begin(); at != end; ++at)
    out.emplace(*at, true);
  return out;
}

/// What stands by the name, or `otherwise`.
template <class Map>
auto value_or(const Map& from, const std::string& name,
              typename Map::mapped_type otherwise = {}) {
  const auto at = from.find(name);
  return at == from.end() ? otherwise : at->second;
}

document user_document(const user_sources& from, const std::string& name) {
  const auto eligibility = value_or(from.state.eligibilities, name);
  return {{"user", name},
          {"account", from.state.accounts.count(name) > 0},
          {"prefixes", value_or(from.state.accounts, name).prefixes},
          {"held", eligibility.held},
          {"prohibited", eligibility.prohibited},
          {"limits", array_of(from.limits, name, limits_document)},
          {"queues", array_of(from.places, name, place_document)}};
}

/// What is set, and where the users of a queue stand, or all if none is named.
using use_users =
  std::function<void(const control_state&, const users_listed&)>;

void with_users(admin_pointer self, const admin_call_ptr& call,
                const std::string& queue, const use_users& use) {
  with_control(self, call, [=](const control_snapshot& control) {
    if (!queue.empty() && !control->queues.count(queue))
      return refuse(call, ec::not_found, "there is no queue of this name");
    ask(self, call, self->state.options.shard, list_users{queue},
        [=](const users_listed& x) { use(*control, x); });
  });
}

void list(admin_pointer self, const admin_call_ptr& call) {
  const auto queue = call->arguments.text("queue");
  with_users(
    self, call, queue,
    [=](const control_state& state, const users_listed& listed) {
      const auto names = names_of(*call, state, listed, queue);
      const auto page = page_of(names, call->arguments);
      const auto from =
        gather(state, listed, queue, [&](const std::string& user) {
          return page.contains(user);
        });
      document out{{"total", names.size()}};
      add_page(out, "users", page, call->arguments,
               [&](const auto& x) { return user_document(from, x.first); });
      out["more"] = out.contains("next");
      deliver(call, out);
    });
}

void served(admin_pointer self, const admin_call_ptr& call) {
  using of_user = std::pair<const std::string*, place>;
  const auto had_more = [](const of_user& a, const of_user& b) {
    const auto mine = a.second.report->turns_taken;
    const auto other = b.second.report->turns_taken;
    return mine != other ? mine > other : *a.first < *b.first;
  };
  const auto limit = static_cast<std::size_t>(call->arguments.number("limit"));
  with_users(self, call, call->arguments.text("queue"),
             [=](const control_state&, const users_listed& listed) {
               std::vector<of_user> all;
               each_place(listed, [&](const auto& user, const auto& at) {
                 if (call->by.sees(user))
                   all.emplace_back(&user, at);
               });
               const auto count = std::min(all.size(), limit);
               const auto end =
                 all.begin() + static_cast<std::ptrdiff_t>(count);
               std::partial_sort(all.begin(), end, all.end(), had_more);
               document out{{"users", document::array()}};
               for (auto x = all.begin(); x != end; ++x)
                 out["users"].push_back(
                   document{{"user", *x->first},
                            {"queue", *x->second.queue},
                            {"turns_taken", x->second.report->turns_taken}});
               deliver(call, out);
             });
}

/// Adds what waits in the queues from `at` on, then answers.
void count_pending_from(admin_pointer self, const admin_call_ptr& call,
                        const std::shared_ptr<document>& user, std::size_t at) {
  auto& queues = (*user)["queues"];
  if (at == queues.size())
    return deliver(call, *user);
  const auto& place = queues[at];
  count_pending what;
  what.queue = place["queue"].get<std::string>();
  what.user = (*user)["user"].get<std::string>();
  pending_counted in_ring;
  in_ring.pending = place["ready"].get<std::uint64_t>();
  in_ring.limit = no_cap;
  count_theirs(self, call, std::move(what), in_ring,
               [=](const pending_counted& x) {
                 auto& queue = (*user)["queues"][at];
                 queue["pending"] = x.pending;
                 queue["pending_limit"] = cap_or_null(x.limit);
                 count_pending_from(self, call, user, at + 1);
               });
}

void show_found(admin_pointer self, const admin_call_ptr& call,
                const control_state& state, const users_listed& places) {
  const auto name = call->arguments.text("name");
  const auto from = gather(state, places, "", [&](const std::string& user) {
    return user == name;
  });
  const auto user = std::make_shared<document>(user_document(from, name));
  if (!from.places.empty() || !from.limits.empty()
      || state.accounts.contains(name) || state.eligibilities.contains(name))
    return count_pending_from(self, call, user, 0);
  // Whoever has no account and nothing in process may have had something.
  submission_query theirs;
  theirs.user = name;
  theirs.count_max = 1;
  theirs.with_documents = false;
  ask(self, call, self->state.options.projector, std::move(theirs),
      [=](const submissions_found& x) {
        if (x.rows.empty())
          refuse(call, ec::not_found, "nothing is known of " + name);
        else
          deliver(call, *user);
      });
}

void show(admin_pointer self, const admin_call_ptr& call) {
  with_control(self, call, [=](const control_snapshot& control) {
    ask(self, call, self->state.options.shard,
        places_of(call->arguments.text("name")), [=](const rings_shown& x) {
          show_found(self, call, *control, places_in(x));
        });
  });
}

/// A line for each place of each user.
view_block place_table(const char* rows) {
  auto out = table_view(
    rows, "^USER={user}; ^IS={account?,held?,prohibited?}; QUEUE={queue}; "
          "STATE={state}; >TURN={turn}/{turns}||-; >READY={ready}; "
          ">IN PROCESS={in_flight}; >TAKEN={turns_taken}; "
          ">ALLOCATION={allocation}; >CONCURRENCY={concurrency}||none");
  out.inner = "queues";
  return out;
}

std::vector<view_block> user_view() {
  view_block user{.kind = block_kind::pairs};
  user.columns = columns("user={user}; is={account?,held?,prohibited?}; "
                         "prefixes={prefixes}");
  const auto limits =
    table_view("limits", "QUEUE={queue}; >OWN ALLOCATION={allocation}; "
                         ">OWN CONCURRENCY={concurrency}||none");
  const auto waiting =
    table_view("queues", "QUEUE={queue}; >PENDING={pending}; "
                         ">LIMIT={pending_limit}||none");
  return {user, apart(limits, "limits"), apart(place_table(""), "queues"),
          apart(waiting, "queues")};
}

} // namespace
} // namespace about_users

std::vector<command> user_commands() {
  using namespace about_users;
  return {
    concerning(
      concern::answered,
      reading("user list", "Users with their settings and places",
              {in_queue_argument(), limit_argument(1'000),
               after_argument("USER", "Go on after this name", "user list")},
              {place_table("users"),
               line_view("next", "{users:count} of {total} users; go on with "
                                 "--after {next}")},
              list)),
    concerning(concern::answered,
               reading("user served", "Whose turns were taken, the most first",
                       {in_queue_argument(), limit_argument(100)},
                       {table_view("users", "USER={user}; QUEUE={queue}; "
                                            ">TAKEN={turns_taken}")},
                       served)),
    concerning(concern::named,
               reading("user show", "One user", {user_name_argument()},
                       user_view(), show)),
    user_place_command(),
    user_forget_command(),
  };
}

} // namespace depositd::operators
