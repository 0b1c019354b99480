// Messages on their way out, and what workers say of them.

#include "adapters/doors/emodb/parts.hpp"
#include "adapters/doors/emodb/wire_id.hpp"
#include "messages/projection.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_set>
#include <utility>
#include <vector>

namespace depositd::emodb {

namespace {

/// One poll hands out no more deposits: each comes with its document.
constexpr std::uint32_t deposits_max = 16;

/// Of one request to the core.
constexpr std::size_t ids_max = 100'000;

constexpr double delay_s_max = 7 * 24 * 3600;

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
  return json_answer(std::move(out));
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

void take_deposits(call& x, receive_items what) {
  what.count = std::min(what.count, deposits_max);
  x.core->asked.ask(
    x.core->options.shard, receive_items{what},
    [core = x.core, queue = what.queue,
     to = std::move(x.answer)](kit::core_answer found) mutable {
      auto* taken = found.as<items_received>();
      if (!taken)
        to.send(failure(found.why()));
      else if (taken->items.empty())
        to.send(json_answer("[]"));
      else
        caf::anon_send(
          core->deposits,
          answer_deposits{queue, std::move(taken->items),
                          std::make_shared<http::responder>(std::move(to))});
    });
}

void claim(call& x, receive_items what) {
  if (x.holds_deposits(what.queue))
    take_deposits(x, std::move(what));
  else
    x.core->together.take(std::move(what), std::move(x.answer));
}

/// Ids as workers name them, perhaps with what they say of each.
struct named_items {
  std::vector<settle_items::one> items;
  std::vector<std::string> texts;      ///< by position, of failures
  std::optional<http::response> wrong; ///< what the service refuses
};

enum class id_objects : std::uint8_t { refused, outcomes, failures };

/// The seconds of a delay as milliseconds.
bool read_delay(kit::json_reader& from, std::uint32_t& out) {
  std::string text;
  if (!from.copy(text))
    return false;
  double seconds = -1;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, seconds);
  if (parsed.ec != std::errc{} || parsed.ptr != end || seconds < 0
      || seconds > delay_s_max)
    return from.refuse("delay is a number of seconds, 0 to 604800");
  // Zero would be the queue's own delay.
  out = std::max(static_cast<std::uint32_t>(seconds * 1000), 1u);
  return true;
}

bool read_flag(kit::json_reader& from, bool& out) {
  std::string text;
  if (!from.copy(text))
    return false;
  out = text == "true";
  return out || text == "false" || from.refuse("skip and not_yet are booleans");
}

/// What is said of the item beside that it did not succeed.
struct failing {
  bool delayed = false;
  bool skips = false;
  bool waits = false;

  verdict says() const {
    if (waits)
      return verdict::not_yet;
    if (skips)
      return verdict::skip;
    return delayed ? verdict::retry : verdict::failed;
  }
};

bool read_object(kit::json_reader& from, id_objects kind, std::string& id,
                 settle_items::one& to) {
  const bool fails = kind == id_objects::failures;
  bool has_id = false;
  failing how;
  std::string name;
  if (!from.open('{'))
    return false;
  for (bool first = true; from.next('}', first);) {
    if (!from.key(name))
      return false;
    bool read = false;
    if (name == "id")
      read = has_id = from.text(id);
    else if (name == "document")
      read = from.text(to.document);
    else if (!fails && name == "batch_id")
      read = from.text(to.batch_id);
    else if (fails && name == "reason")
      read = from.text(to.reason);
    else if (fails && name == "delay")
      read = how.delayed = read_delay(from, to.delay_ms);
    else if (fails && name == "skip")
      read = read_flag(from, how.skips);
    else if (fails && name == "not_yet")
      read = read_flag(from, how.waits);
    else
      read = from.skip();
    if (!read)
      return false;
  }
  to.says = fails ? how.says() : verdict::done;
  if (to.says == verdict::failed || to.says == verdict::retry)
    to.document.clear(); // nothing came of it
  if (from.fault() != kit::json_fault::none)
    return false;
  return has_id || from.refuse("An object without an id");
}

/// One element: an id, or an object that holds one.
bool read_item(kit::json_reader& from, const std::string& queue,
               id_objects kind, named_items& to) {
  std::string id;
  settle_items::one one;
  const auto c = from.look();
  if (c == '{' && kind != id_objects::refused) {
    if (!read_object(from, kind, id, one))
      return false;
  } else if (c == '"' && kind != id_objects::failures) {
    if (!from.text(id))
      return false;
  } else if (c == '{' || c == '[' || kind == id_objects::failures) {
    return from.skip() && from.refuse("A message id is expected");
  } else if (!from.skip()) {
    return false;
  }
  const auto fault = read_wire_id(id, queue, one.name);
  if (!to.wrong && fault != id_fault::none)
    to.wrong = illegal_argument(fault == id_fault::malformed
                                  ? "Invalid event ID."
                                  : "Invalid event ID checksum.");
  if (!to.wrong && to.items.size() == ids_max)
    to.wrong =
      illegal_argument("More than " + std::to_string(ids_max) + " message ids");
  if (to.wrong)
    return true;
  to.items.push_back(std::move(one));
  if (kind == id_objects::failures)
    to.texts.push_back(std::move(id));
  return true;
}

/// What the body names; nothing if the request has been answered: something is
/// wrong, `otherwise` for example, or it names nothing and nothing else is
/// asked.
std::optional<named_items>
read_items(call& x, query_reader& query, id_objects kind,
           std::optional<http::response> otherwise = {},
           bool asks_more = false) {
  query.flag("partitioned");
  if (x.refused(query.wrong()))
    return std::nullopt;
  named_items out;
  const auto read = [&](kit::json_reader& from) {
    const auto queue = x.core_name(x.queue());
    out.items.reserve(
      std::min(x.from.body.size() / (wire_id_size + 3) + 1, ids_max));
    bool going_on = from.open('[');
    for (bool first = true; going_on && from.next(']', first);)
      going_on = read_item(from, queue, kind, out);
    return going_on;
  };
  if (!read_body(x, read) || x.refused(check_queue_name(x.queue()))
      || x.refused(std::move(otherwise)) || x.refused(std::move(out.wrong)))
    return std::nullopt;
  if (asks_more || !out.items.empty())
    return out;
  x.answer.send(success());
  return std::nullopt;
}

/// Deposits come with their documents, so they are taken for one alone.
void settle_and_take(call x, named_items named, receive_items what) {
  const auto core = x.core;
  const auto queue = what.queue;
  core->asked.ask(
    core->options.shard, settle_items{queue, std::move(named.items)},
    [x = std::move(x), what = std::move(what)](kit::core_answer said) mutable {
      if (said.as<items_settled>())
        take_deposits(x, std::move(what));
      else
        x.answer.send(failure(said.why()));
    });
}

} // namespace

void poll(call x) {
  query_reader query{x.from};
  const auto ttl_s = query.number("ttl", ttl_default_s);
  const auto limit = query.number("limit", limit_default);
  if (x.refused(query) || x.refused(check_limit(limit))
      || x.refused(check_ttl(ttl_s)))
    return;
  if (ttl_s == 0) {
    show(x, static_cast<std::uint32_t>(limit), true);
    return;
  }
  claim(x, claiming(x, limit, ttl_s));
}

void peek(call x) {
  query_reader query{x.from};
  const auto limit = query.number("limit", limit_default);
  if (x.refused(query) || x.refused(check_limit(limit)))
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
  auto wrong = check_limit(limit);
  if (!wrong)
    wrong =
      ttl_s == 0 ? illegal_argument("ClaimTtl must be >0") : check_ttl(ttl_s);
  auto named =
    read_items(x, query, id_objects::outcomes, std::move(wrong), true);
  if (!named)
    return;
  auto what = claiming(x, limit, ttl_s);
  if (named->items.empty())
    return claim(x, std::move(what));
  if (x.holds_deposits(what.queue))
    return settle_and_take(std::move(x), std::move(*named), std::move(what));
  auto both = std::make_shared<ack_and_poll>(std::move(x.answer));
  x.core->together.acknowledge(what.queue, std::move(named->items), both);
  x.core->together.take(std::move(what), std::move(both));
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
