// What is done with whole queues: counts, release, purge, move.

#include "adapters/doors/emodb/parts.hpp"
#include "adapters/doors/kit/json_text.hpp"
#include "messages/operators.hpp"

#include <string>
#include <utility>
#include <vector>

namespace depositd::emodb {

namespace {

void report(call& x, std::uint64_t queue_counted::*number) {
  ask<queue_counted>(x, x.core->options.shard,
                     count_queue{x.core_name(x.queue())},
                     [number](const queue_counted& counted) {
                       return json_answer(std::to_string(counted.*number));
                     });
}

const char* name_of(move_status x) {
  switch (x) {
    case move_status::in_progress:
      return "IN_PROGRESS";
    case move_status::complete:
      return "COMPLETE";
    case move_status::error:
      break;
  }
  return "ERROR";
}

bool is_dedup(std::string_view queue) {
  return queue.starts_with(dedup_queue_prefix);
}

/// The answer for a move that is known to this service.
std::optional<http::response>
find_move(const control_state& from, const std::string& reference, bool dedup) {
  const auto found = from.moves.find(reference);
  if (found == from.moves.end() || is_dedup(found->second.from) != dedup)
    return std::nullopt;
  const auto& move = found->second;
  const auto skip = dedup ? dedup_queue_prefix.size() : 0;
  std::string out = R"({"from":)";
  kit::append_json_string(out, std::string_view{move.from}.substr(skip));
  out += R"(,"to":)";
  kit::append_json_string(out, std::string_view{move.to}.substr(skip));
  out += R"(,"status":")";
  out += name_of(move.status);
  out += R"("})";
  return json_answer(std::move(out));
}

std::optional<http::response> check_move(const call& x, const std::string& from,
                                         const std::string& to) {
  if (from.empty())
    return illegal_argument("from is required");
  if (to.empty())
    return illegal_argument("to is required");
  if (!x.may(queue_right::poll, from) || !x.may(queue_right::post, to))
    return not_authorized();
  if (auto wrong = check_queue_name(from))
    return wrong;
  if (auto wrong = check_queue_name(to))
    return wrong;
  if (from == to)
    return illegal_argument("cannot move queue to itself");
  for (const auto& name : {from, to})
    if (x.holds_deposits(x.core_name(name)))
      return illegal_argument("Queue " + name + " takes deposits only");
  return std::nullopt;
}

/// What the audit log has of it, with queues by the core's names.
kit::client_order
order_of(const call& x, std::string command,
         std::vector<std::pair<std::string, std::string>> arguments) {
  return {x.key->id.empty() ? "" : "key " + x.key->id, x.from.peer,
          std::move(command), std::move(arguments)};
}

/// Asks the shard, and tells the audit log of it; `show` makes the answer.
template <class Answer, class Message, class F>
void order(call& x, Message what, kit::client_order told, F show) {
  x.core->asked.ask(
    x.core->options.shard, std::move(what),
    [core = x.core, told = std::move(told), show = std::move(show),
     to = std::move(x.answer)](kit::core_answer said) mutable {
      const auto* known = said.as<Answer>();
      const auto why = known ? caf::error{} : said.why();
      core->options.audit->tell(told, why);
      to.send(known ? show(*known) : failure(why));
    });
}

} // namespace

void report_size(call x) {
  query_reader query{x.from};
  const auto limit =
    query.long_number("limit", std::numeric_limits<std::int64_t>::max());
  if (x.refused_look(query))
    return;
  if (limit <= 0)
    x.answer.send(illegal_argument("Limit must be >0"));
  else
    report(x, &queue_counted::items);
}

void report_claims(call x) {
  query_reader query{x.from};
  if (!x.refused(query))
    report(x, &queue_counted::claims);
}

void release_claims(call x) {
  query_reader query{x.from};
  if (x.refused(query))
    return;
  const auto name = x.core_name(x.queue());
  order<done>(x, release_queue{name},
              order_of(x, "queue unclaimall", {{"name", name}}),
              [](done) { return success(); });
}

void purge(call x) {
  query_reader query{x.from};
  if (x.refused(query))
    return;
  if (x.holds_deposits(x.core_name(x.queue()))) {
    x.answer.send(illegal_argument("Queue " + x.queue()
                                   + " holds deposits: only an operator may "
                                     "purge it"));
    return;
  }
  const auto name = x.core_name(x.queue());
  x.core->asked.ask(
    x.core->options.shard, purge_queue{name},
    [core = x.core, told = order_of(x, "queue purge", {{"name", name}}),
     to = std::move(x.answer)](kit::core_answer said) mutable {
      const auto why = said.as<done>() ? caf::error{} : said.why();
      core->options.audit->tell(told, why);
      // A queue that never was is empty.
      to.send(!why || why == ec::not_found ? success() : failure(why));
    });
}

void begin_move(call x) {
  const auto* from = http::find(x.from.query, "from");
  const auto* to = http::find(x.from.query, "to");
  if (x.refused(check_move(x, from ? *from : "", to ? *to : "")))
    return;
  const move_queue what{x.core_name(*from), x.core_name(*to), x.key->name};
  auto told = order_of(x, "queue move", {{"from", what.from}, {"to", what.to}});
  order<move_begun>(x, what, std::move(told), [](const move_begun& begun) {
    std::string out = R"({"id":)";
    kit::append_json_string(out, begun.reference);
    return json_answer(out + '}');
  });
}

void report_move(call x) {
  const auto reference = x.from.captured[0];
  if (auto known = find_move(x.ring->control(), reference, x.dedup)) {
    x.answer.send(std::move(*known));
    return;
  }
  // Begun a moment ago, perhaps: the shard knows.
  ask<control_changed>(
    x, x.core->options.shard, watch_control{nullptr},
    [reference, dedup = x.dedup](const control_changed& control) {
      auto known = find_move(*control.state, reference, dedup);
      return known ? std::move(*known) : unknown_move(reference);
    });
}

} // namespace depositd::emodb
