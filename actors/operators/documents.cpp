#include "actors/operators/documents.hpp"

#include "messages/values/time_text.hpp"

#include <algorithm>
#include <set>

namespace depositd::operators {

namespace {

document cap(std::uint64_t value) {
  return value == no_cap ? document(nullptr) : document(value);
}

document time(micros at) {
  return at == never ? document(nullptr) : document(format_utc(at));
}

const char* word(queue_kind x) {
  return x == queue_kind::deposit ? "deposit" : "message";
}

const char* word(priority_mode x) {
  return x == priority_mode::within_user ? "within_user" : "across_users";
}

const char* word(dedup_mode x) {
  switch (x) {
    case dedup_mode::none:
      return "none";
    case dedup_mode::between_polls:
      return "between_polls";
    case dedup_mode::while_pending:
      return "while_pending";
  }
  return "";
}

const char* word(item_state x) {
  switch (x) {
    case item_state::pending:
      return "pending";
    case item_state::claimed:
      return "claimed";
    case item_state::delayed:
      return "delayed";
    case item_state::parked:
      return "parked";
  }
  return "";
}

const char* word(eligibility x) {
  switch (x) {
    case eligibility::eligible:
      return "eligible";
    case eligibility::nothing_ready:
      return "nothing_ready";
    case eligibility::held:
      return "held";
    case eligibility::prohibited:
      return "prohibited";
    case eligibility::no_allocation:
      return "no_allocation";
    case eligibility::at_cap:
      return "at_cap";
  }
  return "";
}

const char* word(submission_status x) {
  switch (x) {
    case submission_status::queued:
      return "queued";
    case submission_status::in_process:
      return "in_process";
    case submission_status::completed:
      return "completed";
  }
  return "";
}

document place_document(const std::string& queue, const eligibility_report& x) {
  document out{{"queue", queue}, {"state", word(x.state)}};
  const bool eligible = x.state == eligibility::eligible;
  out["turn"] = eligible ? document(x.turn) : document(nullptr);
  out["turns"] = eligible ? document(x.length) : document(nullptr);
  out["ready"] = x.ready;
  out["in_flight"] = x.in_flight;
  out["turns_taken"] = x.turns_taken;
  out["allocation"] = x.limits.allocation;
  out["concurrency"] = cap(x.limits.concurrency);
  return out;
}

document limits_document(const user_limits_changed& x) {
  document out{{"queue", x.queue}};
  out["allocation"] =
    x.has_allocation ? document(x.allocation) : document("default");
  out["concurrency"] =
    x.has_concurrency ? cap(x.concurrency) : document("default");
  return out;
}

/// Everything about users, looked up by name.
struct user_sources {
  const control_state& state;
  std::map<std::string, document> places; ///< arrays
  std::map<std::string, document> limits; ///< arrays
};

user_sources gather(const control_state& state, const users_listed& listed,
                    const std::string& queue) {
  user_sources out{state, {}, {}};
  for (const auto& report : listed.queues)
    for (const auto& entry : report.entries)
      out.places[entry.user].push_back(
        place_document(report.queue, entry.report));
  for (const auto& [key, limits] : state.limits)
    if (queue.empty() || key.first == queue)
      out.limits[key.second].push_back(limits_document(limits));
  return out;
}

std::set<std::string> names_in(const user_sources& from, bool in_queue) {
  std::set<std::string> out;
  for (const auto& [name, ignored] : from.places)
    out.insert(name);
  for (const auto& [name, ignored] : from.limits)
    out.insert(name);
  if (in_queue)
    return out;
  for (const auto& [name, ignored] : from.state.accounts)
    out.insert(name);
  for (const auto& [name, ignored] : from.state.eligibilities)
    out.insert(name);
  return out;
}

document or_empty(const std::map<std::string, document>& from,
                  const std::string& name) {
  const auto at = from.find(name);
  return at == from.end() ? document::array() : at->second;
}

document user_document(const user_sources& from, const std::string& name) {
  document out{{"user", name}};
  const auto account = from.state.accounts.find(name);
  out["account"] = account != from.state.accounts.end();
  out["prefixes"] = document::array();
  if (account != from.state.accounts.end())
    out["prefixes"] = account->second.prefixes;
  const auto eligibility = from.state.eligibilities.find(name);
  const bool known = eligibility != from.state.eligibilities.end();
  out["held"] = known && eligibility->second.held;
  out["prohibited"] = known && eligibility->second.prohibited;
  out["limits"] = or_empty(from.limits, name);
  out["queues"] = or_empty(from.places, name);
  return out;
}

} // namespace

std::string to_text(const document& x) {
  return x.dump(-1, ' ', false, document::error_handler_t::replace);
}

document settings_document(const std::string& queue, const queue_settings& x) {
  return {{"name", queue},
          {"kind", word(x.kind)},
          {"suspended", x.suspended},
          {"allocation", x.allocation},
          {"concurrency", cap(x.concurrency)},
          {"pending_limit", cap(x.pending_limit)},
          {"priority_mode", word(x.priority)},
          {"dedup", word(x.dedup)},
          {"attempts_max", cap(x.attempts_max)},
          {"retry_delay_ms", x.retry_delay_ms},
          {"retry_delay_ms_max", x.retry_delay_ms_max}};
}

document queue_document(const queue_report& x) {
  auto out = settings_document(x.name, x.settings);
  out["ready"] = x.ready;
  out["in_flight"] = x.in_flight;
  out["users"] = x.users;
  out["eligible_users"] = x.eligible_users;
  out["processors"] = x.processors;
  out["handed_out"] = x.handed_out;
  out["finished"] = x.finished;
  return out;
}

document item_document(const item_row& x) {
  const bool claimed = x.state == item_state::claimed;
  return {{"id", x.id},
          {"user", x.user},
          {"priority", x.priority},
          {"size", x.size},
          {"state", word(x.state)},
          {"attempt", x.attempt},
          {"received_at", time(x.received_us)},
          {"available_at", time(x.available_us)},
          {"processor", claimed ? document(x.processor) : document(nullptr)},
          {"deadline_at", claimed ? time(x.deadline_us) : document(nullptr)}};
}

document submission_document(const submission_row& x, bool whole) {
  document out{{"id", x.id},
               {"user", x.user},
               {"queue", x.queue},
               {"file_name", x.submission.file_name},
               {"operation", x.submission.operation},
               {"source", x.submission.source},
               {"login", x.submission.login},
               {"size", x.submission.size},
               {"blob", x.submission.blob},
               {"status", word(x.status)},
               {"failed", x.failed},
               {"parked", x.parked},
               {"attempt", x.attempt},
               {"batch_id", x.batch_id},
               {"processor", x.processor},
               {"reason", x.reason},
               {"received_at", time(x.received_us)},
               {"started_at", time(x.started_us)},
               {"finished_at", time(x.finished_us)}};
  if (whole)
    out["document"] = x.document;
  return out;
}

document processor_document(const processor_spec& x) {
  const bool excludes = !x.wants.excluded.empty();
  document out{{"name", x.name},
               {"types", x.types},
               {"slots", x.slots},
               {"user_filter", excludes ? x.wants.excluded : x.wants.required},
               {"exclude_users", excludes},
               {"preferred_users", x.wants.preferred},
               {"max_submission_size", nullptr}};
  if (x.wants.size_max != no_size_limit)
    out["max_submission_size"] = x.wants.size_max;
  return out;
}

namespace {

/// Null: inside the engine.
document node_of(const slots_report::entry& x) {
  return x.node.empty() ? document(nullptr) : document(x.node);
}

document slot_document(const slots_report::entry& x) {
  const bool busy = x.item != 0;
  return {{"node", node_of(x)},
          {"processor", x.processor},
          {"slot", x.slot},
          {"queue", x.queue},
          {"state", busy ? "busy" : "idle"},
          {"item", busy ? document(x.item) : document(nullptr)},
          {"user", busy ? document(x.user) : document(nullptr)},
          {"since", time(x.since_us)}};
}

} // namespace

document processors_document(const control_state& state,
                             const slots_report& slots) {
  std::map<std::string, document> working;
  for (const auto& slot : slots.entries)
    if (slot.item != 0)
      working[slot.processor].push_back({{"node", node_of(slot)},
                                         {"slot", slot.slot},
                                         {"queue", slot.queue},
                                         {"item", slot.item},
                                         {"user", slot.user},
                                         {"since", time(slot.since_us)}});
  document out{{"processors", document::array()}};
  for (const auto& [name, spec] : state.processors) {
    auto entry = processor_document(spec);
    entry["working"] = or_empty(working, name);
    out["processors"].push_back(std::move(entry));
  }
  out["slots"] = document::array();
  for (const auto& slot : slots.entries)
    out["slots"].push_back(slot_document(slot));
  return out;
}

document nodes_document(const std::vector<std::string>& names,
                        const std::vector<std::string>& silent) {
  auto out = document::array();
  for (const auto& name : names) {
    const auto answered
      = std::find(silent.begin(), silent.end(), name) == silent.end();
    out.push_back(
      {{"name", name}, {"state", answered ? "joined" : "silent"}});
  }
  return out;
}

document users_document(const control_state& state, const users_listed& listed,
                        const users_wanted& wanted) {
  const auto from = gather(state, listed, wanted.queue);
  document out{{"total", 0}, {"users", document::array()}};
  const auto names = names_in(from, !wanted.queue.empty());
  out["total"] = names.size();
  auto next = names.upper_bound(wanted.after);
  if (!wanted.only.empty())
    next = names.find(wanted.only);
  const auto count_max = wanted.only.empty() ? wanted.count_max : 1;
  for (; next != names.end() && out["users"].size() < count_max; ++next)
    out["users"].push_back(user_document(from, *next));
  out["more"] = wanted.only.empty() && next != names.end();
  return out;
}

document logs_document(const std::vector<log_report>& logs) {
  auto out = document::array();
  for (const auto& x : logs) {
    auto partitions = document::array();
    for (const auto& p : x.in.partitions)
      partitions.push_back({{"partition", p.partition},
                            {"next", p.next},
                            {"end", p.end},
                            {"lag", std::max<std::int64_t>(
                                      p.end - std::max<std::int64_t>(p.next, 0),
                                      0)}});
    out.push_back({{"shard", x.shard},
                   {"intake",
                    {{"partitions", std::move(partitions)},
                     {"accepted", x.in.accepted},
                     {"rejected", x.in.rejected},
                     {"trouble", x.in.trouble}}},
                   {"publisher",
                    {{"published", x.out.published},
                     {"events", x.out.events},
                     {"dead_letters", x.out.dead_letters},
                     {"trouble", x.out.trouble}}}});
  }
  return out;
}

document status_document(const status_numbers& engine,
                         const control_state& state,
                         const queues_listed& queues, const slots_report& slots,
                         const store_report& store) {
  document out{{"version", engine.version},
               {"started_at", time(engine.started_us)},
               {"uptime_s", (engine.now_us - engine.started_us) / 1'000'000},
               {"suspended", queues.suspended},
               {"drop_folder_polling", state.server.drop_folder_polling}};
  std::size_t busy = 0;
  for (const auto& slot : slots.entries)
    busy += slot.item != 0;
  out["slots"] = {{"total", slots.entries.size()}, {"busy", busy}};
  out["accounts"] = state.accounts.size();
  out["queues"] = document::array();
  for (const auto& queue : queues.queues)
    out["queues"].push_back(queue_document(queue));
  out["store"] = {{"journalled", store.journalled},
                  {"projected", store.projected},
                  {"journal_bytes", store.journal_bytes},
                  {"extents", store.segments}};
  return out;
}

} // namespace depositd::operators
