// Messages on their way out, and what workers say of them.

#include "adapters/doors/emodb/named_items.hpp"
#include "adapters/doors/emodb/parts.hpp"
#include "adapters/doors/emodb/wire_id.hpp"
#include "messages/projection.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

namespace depositd::emodb {

namespace {

/// One poll hands out no more deposits: each comes with its document.
constexpr std::uint32_t deposits_max = 16;

/// What is shown without being claimed.
struct view {
  std::string queue; ///< the core's name
  std::size_t limit = 0;
  bool collapsed = false; ///< equal messages show once
  bool deposits = false;
};

http::response answer_of(const items_found& x, const view& how) {
  std::unordered_set<std::string_view> seen;
  std::string out = "[";
  std::size_t count = 0;
  for (std::size_t i = 0; i < x.rows.size() && count < how.limit; ++i) {
    const auto& row = x.rows[i];
    if (x.bodies[i].empty()
        || (how.collapsed && !seen.insert(x.bodies[i]).second))
      continue;
    begin_message(out, {row.id, digest_of_user(row.user)}, how.queue);
    if (how.deposits)
      append_deposit(out, {x.bodies[i], row.user, row.received_us}, nullptr);
    else
      out += x.bodies[i];
    out += '}';
    ++count;
  }
  out += ']';
  auto answer = json_answer(std::move(out));
  answer.repeatable = true;
  return answer;
}

void show(call& x, std::uint32_t limit, bool pending_only) {
  view how{x.core_name(x.queue()), limit, pending_only && x.dedup, false};
  how.deposits = x.holds_deposits(how.queue);
  peek_items what;
  what.queue = how.queue;
  // Which of them are equal is known once they are read.
  what.count_max =
    how.collapsed ? static_cast<std::uint32_t>(limit_max) : limit;
  what.pending_only = pending_only;
  what.with_bodies = true;
  ask<items_found>(x, x.core->options.projector, std::move(what),
                   [how = std::move(how)](const items_found& found) {
                     return answer_of(found, how);
                   });
}

/// A poll that claims.
receive_items claiming(const call& x, std::int64_t limit, std::int64_t ttl_s) {
  receive_items out;
  out.queue = x.core_name(x.queue());
  out.taker = x.key->name;
  out.count = static_cast<std::uint32_t>(limit);
  out.lease_ms = static_cast<std::uint32_t>(ttl_s * 1000);
  out.claims_max = x.core->options.claims_max;
  return out;
}

using wait_time = std::chrono::milliseconds;
using still_forbidden = std::function<std::optional<http::response>()>;

/// Nothing if it does not wait: then it is answered with what it may now.
still_forbidden forbidden_later(const call& x, wait_time wait) {
  if (wait.count() == 0)
    return {};
  return [right = std::make_shared<lasting_right>(x)] { return right->gone(); };
}

/// Has them answered with their documents.
void read_deposits(const std::shared_ptr<door_core>& core,
                   const receive_items& what,
                   std::vector<received_item> items,
                   const std::shared_ptr<http::responder>& to) {
  caf::anon_send(
    core->deposits,
    answer_deposits{what.queue, std::move(items), to,
                    [=, since = std::chrono::steady_clock::now()](
                      const std::vector<received_item>& all) {
                      give_back(core->waiting, what, all, since);
                    }});
}

/// A poll of deposits that finds nothing and waits.
void wait_for_deposits(const std::shared_ptr<door_core>& core,
                       const receive_items& what, wait_time wait,
                       const still_forbidden& forbidden,
                       const std::shared_ptr<http::responder>& to) {
  auto out = std::make_shared<waiting_poll>();
  out->what = what;
  out->wait = wait;
  out->found = [=](std::vector<received_item> items) {
    if (items.empty())
      to->send(json_answer("[]"));
    else
      read_deposits(core, what, std::move(items), to);
  };
  out->failed = [=](const caf::error& why) { to->send(failure(why)); };
  out->over = [=] { return to->over(); };
  out->refused = [=] {
    auto why = forbidden();
    if (why)
      to->send(std::move(*why));
    return why.has_value();
  };
  caf::anon_send(core->waiting, wait_for_items{std::move(out)});
}

void take_deposits(call& x, receive_items what, wait_time wait) {
  what.count = std::min(what.count, deposits_max);
  x.core->asked.ask(
    x.core->options.shard, receive_items{what},
    [core = x.core, what, wait, forbidden = forbidden_later(x, wait),
     to = std::make_shared<http::responder>(std::move(x.answer))](
      kit::core_answer found) {
      auto* taken = found.as<items_received>();
      if (!taken)
        to->send(failure(found.why()));
      else if (!taken->items.empty())
        read_deposits(core, what, std::move(taken->items), to);
      else if (wait.count() > 0)
        wait_for_deposits(core, what, wait, forbidden, to);
      else
        to->send(json_answer("[]"));
    });
}

/// Who is answered by what the poll finds: at once, or when it has waited.
template <class To>
void take(call& x, receive_items what, wait_time wait, To to) {
  auto poll = std::make_shared<claiming_poll>(claiming_poll{
    x.core->waiting, what, wait, std::move(to), forbidden_later(x, wait)});
  x.core->together.take(std::move(what), std::move(poll));
}

void claim(call& x, receive_items what, wait_time wait) {
  if (x.holds_deposits(what.queue))
    take_deposits(x, std::move(what), wait);
  else
    take(x, std::move(what), wait, std::move(x.answer));
}

/// How long a poll waits if there is nothing; what is wrong with that.
std::optional<http::response> read_wait(const call& x, query_reader& query,
                                        bool claims, wait_time& out) {
  const auto wait_s = query.number("wait", 0);
  out = std::chrono::seconds{wait_s};
  return check_wait(wait_s, x.core->options.wait_max.count(), claims);
}

/// Deposits come with their documents, so they are taken for one alone.
void settle_and_take(call x, named_items named, receive_items what,
                     wait_time wait) {
  const auto core = x.core;
  const auto queue = what.queue;
  core->asked.ask(
    core->options.shard, settle_items{queue, std::move(named.items)},
    [x = std::move(x), what = std::move(what),
     wait](kit::core_answer said) mutable {
      if (said.as<items_settled>())
        take_deposits(x, std::move(what), wait);
      else
        x.answer.send(failure(said.why()));
    });
}

} // namespace

void poll(call x) {
  query_reader query{x.from};
  const auto ttl_s = query.number("ttl", ttl_default_s);
  const auto limit = query.number("limit", limit_default);
  wait_time wait{0};
  auto wrong = read_wait(x, query, ttl_s != 0, wait);
  if (x.refused(query) || x.refused(check_limit(limit))
      || x.refused(check_ttl(ttl_s)) || x.refused(std::move(wrong)))
    return;
  if (ttl_s == 0) {
    show(x, static_cast<std::uint32_t>(limit), true);
    return;
  }
  claim(x, claiming(x, limit, ttl_s), wait);
}

void peek(call x) {
  query_reader query{x.from};
  const auto limit = query.number("limit", limit_default);
  if (x.refused_look(query) || x.refused(check_limit(limit)))
    return;
  show(x, static_cast<std::uint32_t>(limit), false);
}

void acknowledge(call x) {
  query_reader query{x.from};
  if (auto named = read_items(x, query, id_objects::outcomes))
    x.core->together.acknowledge(x.core_name(x.queue()),
                                 std::move(named->items), std::move(x.answer));
}

void acknowledge_and_poll(call x) {
  query_reader query{x.from};
  const auto ttl_s = query.number("ttl", ttl_default_s);
  const auto limit = query.number("limit", limit_default);
  wait_time wait{0};
  const auto wrong_wait = read_wait(x, query, true, wait);
  auto wrong = check_limit(limit);
  if (!wrong)
    wrong =
      ttl_s == 0 ? illegal_argument("ClaimTtl must be >0") : check_ttl(ttl_s);
  auto named = read_items(x, query, id_objects::outcomes,
                          wrong ? std::move(wrong) : wrong_wait, true);
  if (!named)
    return;
  auto what = claiming(x, limit, ttl_s);
  if (named->items.empty())
    return claim(x, std::move(what), wait);
  if (x.holds_deposits(what.queue))
    return settle_and_take(std::move(x), std::move(*named), std::move(what),
                           wait);
  auto both = std::make_shared<ack_and_poll>(std::move(x.answer));
  x.core->together.acknowledge(what.queue, std::move(named->items), both);
  take(x, std::move(what), wait, std::move(both));
}

void renew(call x) {
  query_reader query{x.from};
  const auto ttl_s = query.number("ttl", ttl_default_s);
  const auto named =
    read_items(x, query, id_objects::refused, check_ttl(ttl_s));
  if (!named)
    return;
  renew_items what;
  what.queue = x.core_name(x.queue());
  what.taker = x.key->name;
  what.lease_ms = static_cast<std::uint32_t>(ttl_s * 1000);
  what.claims_max = x.core->options.claims_max;
  for (const auto& one : named->items)
    what.items.push_back(one.name);
  ask_done(x, std::move(what));
}

void fail(call x) {
  query_reader query{x.from};
  auto named = read_items(x, query, id_objects::failures);
  if (!named)
    return;
  ask<items_settled>(
    x, x.core->options.shard,
    settle_items{x.core_name(x.queue()), std::move(named->items)},
    [ids = std::move(named->texts)](const items_settled& ended) {
      std::string refused;
      for (std::size_t i = 0; i < ids.size(); ++i)
        if (!ended.accepted[i])
          refused += (refused.empty() ? "\"" : ",\"") + ids[i] + '"';
      return refused.empty() ? success()
                             : json_answer(R"({"success":false,"refused":[)"
                                           + refused + "]}");
    });
}

} // namespace depositd::emodb
