#include "actors/operators/why.hpp"

#include "messages/values/time_text.hpp"

#include <algorithm>

namespace depositd::operators {

namespace {

void add(document& out, const char* reason, std::string text) {
  out.push_back({{"reason", reason}, {"text", std::move(text)}});
}

/// Why it waits for a time: it failed, or, before its first attempt, whoever
/// sent it said so, or its turn was given back.
std::string delayed_text(const item_view& x) {
  const auto when = "not before " + format_utc(x.available_us);
  if (x.attempt == 0)
    return "its first attempt is " + when;
  return "attempt " + std::to_string(x.attempt)
         + " did not succeed; the next is " + when;
}

/// What is true of the item itself.
void add_item(document& out, const item_explained& x) {
  switch (x.item.state) {
    case item_state::pending:
      break;
    case item_state::claimed:
      add(out, "claimed",
          "being processed by " + x.item.processor
            + (x.item.deadline_us == never
                 ? std::string{}
                 : " until " + format_utc(x.item.deadline_us))
            + ", attempt " + std::to_string(x.item.attempt));
      break;
    case item_state::delayed:
      add(out, "delayed", delayed_text(x.item));
      break;
    case item_state::parked:
      add(out, "parked", "parked by an operator until unpark");
      break;
  }
}

/// What is true of its user, from the most general reason on.
void add_user(document& out, const std::string& user,
              const eligibility_report& report) {
  const auto& limits = report.limits;
  if (limits.prohibited)
    add(out, "prohibited",
        user + " is prohibited: only processors that require this user");
  if (limits.held)
    add(out, "held", user + " is held by an operator");
  if (limits.allocation == 0)
    add(out, "no_allocation", user + " has an allocation of 0");
  if (limits.concurrency == 0)
    add(out, "at_cap", user + " has a concurrency of 0");
  else if (limits.concurrency != no_cap
           && report.in_flight >= limits.concurrency)
    add(out, "at_cap",
        user + " has " + std::to_string(report.in_flight) + " of "
          + std::to_string(limits.concurrency) + " items in process");
}

/// Those of the queue that only run where nobody is, and where that is.
std::string placed_elsewhere(const control_state& state,
                             const std::string& queue) {
  std::string out;
  for (const auto& [name, x] : state.placements) {
    const auto spec = state.processors.find(name);
    if (spec == state.processors.end()
        || std::count(spec->second.types.begin(), spec->second.types.end(),
                      queue)
             == 0)
      continue;
    std::string nodes;
    for (const auto& node : x.nodes)
      nodes += (nodes.empty() ? "" : ", ") + node;
    out += (out.empty() ? "" : "; ") + name + " runs only on " + nodes;
  }
  return out;
}

void add_processors(document& out, const item_explained& x,
                    const control_state& state) {
  const auto elsewhere =
    x.member.processors == 0 ? placed_elsewhere(state, x.queue) : std::string{};
  if (!elsewhere.empty())
    add(out, no_processor_on_node,
        "nobody here serves the queue " + x.queue + ": " + elsewhere);
  else if (x.member.processors == 0)
    add(out, "no_processor", "no processor serves the queue " + x.queue);
  else if (x.member.processors_matching == 0)
    add(out, "no_matching_processor",
        "none of " + std::to_string(x.member.processors)
          + " processors takes an item like this");
}

/// What the turn hangs on where the queue does not share out turns.
std::string cost_text(const item_explained& x, const control_state& state) {
  const auto terms = state.fairness.find(x.queue);
  if (terms == state.fairness.end() || terms->second.by == fair_by::turns)
    return {};
  const auto& report = x.member.report;
  const std::string unit =
    terms->second.by == fair_by::bytes ? " bytes" : " ms";
  const auto weight = std::max<std::uint32_t>(report.limits.allocation, 1);
  return "; " + x.user + " is " + std::to_string(report.ahead) + unit
         + (weight > 1
              ? " for each of its " + std::to_string(weight) + " shares ahead"
              : " ahead")
         + " of who is next, and an item of it is thought to cost "
         + std::to_string(report.charge) + unit;
}

void add_turn(document& out, const item_explained& x,
              const control_state& state) {
  const auto& report = x.member.report;
  if (report.state == eligibility::eligible)
    add(out, "turn",
        "turn " + std::to_string(report.turn) + " of "
          + std::to_string(report.length) + " for " + x.user + ", and "
          + std::to_string(x.item.ahead) + " items of this user before it"
          + cost_text(x, state));
  else
    add(out, "moving", "it is just changing places; ask again");
}

/// The answer without a turn. `Item` has an id and an attempt.
template <class Item>
document explained(const Item& x, bool live, const std::string& user,
                   const std::string& queue, document reasons) {
  return {{"id", x.id},
          {"live", live},
          {"user", user},
          {"queue", queue},
          {"reason", reasons.front()["reason"]},
          {"text", reasons.front()["text"]},
          {"reasons", reasons},
          {"turn", nullptr},
          {"turns", nullptr},
          {"ahead", 0},
          {"attempt", x.attempt}};
}

} // namespace

document why_document(const item_explained& x, const control_state& state) {
  auto reasons = document::array();
  add_item(reasons, x);
  if (x.item.state != item_state::claimed) {
    if (x.member.server_suspended)
      add(reasons, "server_suspended", "the server is suspended");
    if (x.member.suspended)
      add(reasons, "queue_suspended", "the queue " + x.queue + " is suspended");
    add_user(reasons, x.user, x.member.report);
    add_processors(reasons, x, state);
  }
  if (reasons.empty())
    add_turn(reasons, x, state);
  auto out = explained(x.item, true, x.user, x.queue, std::move(reasons));
  const auto& report = x.member.report;
  if (report.state == eligibility::eligible) {
    out["turn"] = report.turn;
    out["turns"] = report.length;
  }
  out["ahead"] = x.item.ahead;
  return out;
}

document why_not_texts(const std::string& user,
                       const eligibility_report& report) {
  auto reasons = document::array();
  if (report.state == eligibility::nothing_ready)
    add(reasons, "nothing_ready", "nothing of " + user + " waits for a turn");
  if (report.state != eligibility::eligible)
    add_user(reasons, user, report);
  auto out = document::array();
  for (const auto& reason : reasons)
    out.push_back(reason["text"]);
  return out;
}

document why_finished_document(const submission_row& x) {
  auto reasons = document::array();
  if (x.status != submission_status::completed)
    add(reasons, "moving", "it is just changing places; ask again");
  else if (x.failed)
    add(reasons, "finished",
        "failed at " + format_utc(x.finished_us)
          + (x.reason.empty() ? std::string{} : ": " + x.reason));
  else
    add(reasons, "finished", "completed at " + format_utc(x.finished_us));
  return explained(x, false, x.user, x.queue, std::move(reasons));
}

} // namespace depositd::operators
