// Users as the engine sees them: accounts, settings and places in the rings.

#include "actors/operators/command.hpp"

#include "messages/projection.hpp"
#include "messages/shard.hpp"
#include "messages/values/words.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
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

/// Everything about users, looked up by name, in what was answered. There may
/// be very many of them: documents are made of those that are shown.
struct user_sources {
  const control_state& state;
  std::map<std::string, std::vector<place>> places;
  std::map<std::string, std::vector<const user_limits_changed*>> limits;
};

user_sources gather(const control_state& state, const users_listed& listed,
                    const std::string& queue) {
  user_sources out{state, {}, {}};
  for (const auto& report : listed.queues)
    for (const auto& entry : report.entries)
      out.places[entry.user].push_back({&report.queue, &entry.report});
  for (const auto& [key, limits] : state.limits)
    if (queue.empty() || key.first == queue)
      out.limits[key.second].push_back(&limits);
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

/// Whoever has an account, a setting or a place in a ring.
std::map<std::string, bool> names_in(const user_sources& from, bool in_queue) {
  std::map<std::string, bool> out;
  const auto add = [&](const auto& entries) {
    for (const auto& entry : entries)
      out[entry.first] = true;
  };
  add(from.places);
  add(from.limits);
  if (!in_queue) {
    add(from.state.accounts);
    add(from.state.eligibilities);
  }
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

/// Goes on with what is known of the users of a queue, or of all if none is
/// named.
void with_users(admin_pointer self, const admin_call_ptr& call,
                const std::string& queue,
                const std::function<void(const user_sources&)>& use) {
  ask(self, call, self->state.options.shard, watch_control{nullptr},
      [=](const control_changed& control) {
        const auto state = control.state;
        if (!queue.empty() && !state->queues.count(queue))
          return refuse(call, ec::not_found, "there is no queue of this name");
        ask(self, call, self->state.options.shard, list_users{queue},
            [=](const users_listed& x) { use(gather(*state, x, queue)); });
      });
}

void list(admin_pointer self, const admin_call_ptr& call) {
  const auto queue = call->arguments.text("queue");
  with_users(self, call, queue, [=](const user_sources& from) {
    auto names = names_in(from, !queue.empty());
    std::erase_if(names,
                  [&](const auto& x) { return !call->by.sees(x.first); });
    document out{{"total", names.size()}};
    add_page(out, "users", names, call->arguments,
             [&](const auto& x) { return user_document(from, x.first); });
    out["more"] = out.contains("next");
    deliver(call, out);
  });
}

void served(admin_pointer self, const admin_call_ptr& call) {
  const auto queue = call->arguments.text("queue");
  with_users(self, call, queue, [=](const user_sources& from) {
    using of_queue = std::pair<const std::string*, const std::string*>;
    std::multimap<std::uint64_t, of_queue, std::greater<>> by_turns;
    for (const auto& [user, places] : from.places) {
      if (!call->by.sees(user))
        continue;
      for (const auto& x : places)
        by_turns.emplace(x.report->turns_taken, std::pair{&user, x.queue});
    }
    document out{{"users", document::array()}};
    auto left = call->arguments.number("limit");
    for (auto at = by_turns.begin(); at != by_turns.end() && left-- > 0; ++at)
      out["users"].push_back(document{{"user", *at->second.first},
                                      {"queue", *at->second.second},
                                      {"turns_taken", at->first}});
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

void show(admin_pointer self, const admin_call_ptr& call) {
  const auto name = call->arguments.text("name");
  with_users(self, call, "", [=](const user_sources& from) {
    const auto user = std::make_shared<document>(user_document(from, name));
    if (names_in(from, false).count(name))
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
