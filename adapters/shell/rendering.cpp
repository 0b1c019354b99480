#include "adapters/shell/rendering.hpp"

#include "adapters/shell/table.hpp"
#include "messages/journal.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <map>

namespace depositd::shell {

namespace {

using json = nlohmann::ordered_json;

/// One value as it stands in a cell.
std::string cell(const json& x) {
  if (x.is_string())
    return x.get<std::string>();
  if (x.is_null())
    return "-";
  if (x.is_boolean())
    return x.get<bool>() ? "yes" : "no";
  if (x.is_array()) {
    std::string out;
    for (const auto& entry : x) {
      out += out.empty() ? "" : ",";
      out += cell(entry);
    }
    return out.empty() ? "-" : out;
  }
  return x.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string cell(const json& object, const char* key) {
  return object.is_object() && object.contains(key) ? cell(object[key]) : "-";
}

const json& list(const json& object, const char* key) {
  static const auto nothing = json::array();
  return object.is_object() && object.contains(key) && object[key].is_array()
           ? object[key]
           : nothing;
}

/// A cap: null is none.
std::string cap(const json& object, const char* key) {
  const auto out = cell(object, key);
  return out == "-" ? "none" : out;
}

/// Times to the second are enough in tables.
std::string time(const json& object, const char* key) {
  const auto out = cell(object, key);
  return out.size() == 24 ? out.substr(0, 19) + "Z" : out;
}

/// Every field of a flat object, one per line.
std::string fields(const json& x) {
  if (!x.is_object())
    return escaped(cell(x)) + "\n";
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [key, value] : x.items())
    out.emplace_back(escaped(key), cell(value));
  return pairs(out);
}

// -- queues -------------------------------------------------------------------

std::string queues(const json& x) {
  table out{{"QUEUE", "KIND", "STATE", ">READY", ">IN PROCESS", ">USERS",
             ">ELIGIBLE", ">PROCESSORS", ">ALLOCATION", ">CONCURRENCY",
             ">LIMIT"}};
  for (const auto& queue : list(x, "queues"))
    out.add({cell(queue, "name"), cell(queue, "kind"),
             cell(queue, "suspended") == "yes" ? "suspended" : "open",
             cell(queue, "ready"), cell(queue, "in_flight"),
             cell(queue, "users"), cell(queue, "eligible_users"),
             cell(queue, "processors"), cell(queue, "allocation"),
             cap(queue, "concurrency"), cap(queue, "pending_limit")});
  return out.text();
}

std::string queue_list(const json& x) {
  std::string out;
  if (cell(x, "suspended") == "yes")
    out = "the server is suspended: nothing is handed out\n";
  out += queues(x);
  return out;
}

std::string peeked(const json& x) {
  table out{{">ID", "USER", ">PRIORITY", ">SIZE", "STATE", ">ATTEMPT",
             "RECEIVED", "PROCESSOR"}};
  for (const auto& item : list(x, "items"))
    out.add({cell(item, "id"), cell(item, "user"), cell(item, "priority"),
             cell(item, "size"), cell(item, "state"), cell(item, "attempt"),
             time(item, "received_at"), cell(item, "processor")});
  return out.text();
}

/// One line per shard that reads and publishes, and what is wrong with it.
std::string record_logs(const json& x) {
  const auto& logs = list(x, "record_logs");
  if (logs.empty())
    return {};
  table out{{"SHARD", ">TAKEN IN", ">REJECTED", ">BEHIND", ">PUBLISHED",
             ">DEAD LETTERS", "TROUBLE"}};
  for (const auto& log : logs) {
    const auto& in = log["intake"];
    const auto& sent = log["publisher"];
    std::int64_t lag = 0;
    for (const auto& partition : list(in, "partitions"))
      lag += partition.value("lag", std::int64_t{0});
    const auto trouble = in.value("trouble", "").empty()
                           ? cell(sent, "trouble")
                           : cell(in, "trouble");
    out.add({cell(log, "shard"), cell(in, "accepted"), cell(in, "rejected"),
             std::to_string(lag), cell(sent, "events"),
             cell(sent, "dead_letters"), trouble});
  }
  return "\n" + out.text();
}

std::string status(const json& x) {
  const auto slots = x.contains("slots") ? x["slots"] : json{};
  const auto store = x.contains("store") ? x["store"] : json{};
  return pairs(
           {{"version", cell(x, "version")},
            {"up", cell(x, "uptime_s") + " s, since " + time(x, "started_at")},
            {"state", cell(x, "suspended") == "yes" ? "suspended" : "open"},
            {"slots",
             cell(slots, "busy") + " of " + cell(slots, "total") + " busy"},
            {"accounts", cell(x, "accounts")},
            {"journal", cell(store, "journalled") + " events, "
                          + cell(store, "projected") + " projected, "
                          + cell(store, "journal_bytes") + " bytes"}})
         + "\n" + queues(x) + record_logs(x);
}

// -- users --------------------------------------------------------------------

std::string user_flags(const json& user) {
  std::string out;
  for (const auto flag : {"account", "held", "prohibited"})
    if (cell(user, flag) == "yes") {
      out += out.empty() ? "" : ",";
      out += flag;
    }
  return out.empty() ? "-" : out;
}

std::string turn(const json& place) {
  const auto out = cell(place, "turn");
  return out == "-" ? out : out + "/" + cell(place, "turns");
}

std::string places(const json& users) {
  table out{{"USER", "IS", "QUEUE", "STATE", ">TURN", ">READY", ">IN PROCESS",
             ">TAKEN", ">ALLOCATION", ">CONCURRENCY"}};
  for (const auto& user : users) {
    auto name = cell(user, "user");
    auto flags = user_flags(user);
    const auto& in = list(user, "queues");
    if (in.empty())
      out.add({name, flags});
    for (const auto& place : in) {
      out.add({name, flags, cell(place, "queue"), cell(place, "state"),
               turn(place), cell(place, "ready"), cell(place, "in_flight"),
               cell(place, "turns_taken"), cell(place, "allocation"),
               cap(place, "concurrency")});
      name.clear();
      flags.clear();
    }
  }
  return out.text();
}

std::string user_list(const json& x) {
  const auto& users = list(x, "users");
  auto out = places(users);
  if (cell(x, "more") == "yes")
    out += std::to_string(users.size()) + " of " + cell(x, "total")
           + " users; go on with --after " + escaped(cell(users.back(), "user"))
           + "\n";
  return out;
}

std::string limits(const json& x) {
  table out{{"USER", "QUEUE", ">ALLOCATION", ">CONCURRENCY"}};
  for (const auto& entry : list(x, "limits"))
    out.add({cell(entry, "user"), cell(entry, "queue"),
             cell(entry, "allocation"), cap(entry, "concurrency")});
  return out.text();
}

std::string user_show(const json& x) {
  auto out = pairs({{"user", cell(x, "user")},
                    {"is", user_flags(x)},
                    {"prefixes", cell(x, "prefixes")}});
  table waiting{{"QUEUE", ">PENDING", ">LIMIT"}};
  for (const auto& place : list(x, "queues"))
    waiting.add({cell(place, "queue"), cell(place, "pending"),
                 cap(place, "pending_limit")});
  table own{{"QUEUE", ">OWN ALLOCATION", ">OWN CONCURRENCY"}};
  for (const auto& entry : list(x, "limits"))
    own.add({cell(entry, "queue"), cell(entry, "allocation"),
             cap(entry, "concurrency")});
  if (!list(x, "limits").empty())
    out += "\n" + own.text();
  if (!list(x, "queues").empty())
    out += "\n" + places(json::array({x})) + "\n" + waiting.text();
  return out;
}

std::string eligibilities(const json& x) {
  table out{{"USER", "HELD", "PROHIBITED"}};
  for (const auto& user : list(x, "users"))
    out.add({cell(user, "user"), cell(user, "held"), cell(user, "prohibited")});
  return out.text();
}

std::string keys(const json& x) {
  table out{{"KEY", "PERMITS"}};
  for (const auto& key : list(x, "keys"))
    out.add({cell(key, "name"), cell(key, "permits")});
  return out.text();
}

// -- processors and submissions -----------------------------------------------

std::string filter(const json& spec) {
  auto users = cell(spec, "user_filter");
  if (users != "-" && cell(spec, "exclude_users") == "yes")
    users.insert(0, "not ");
  return users;
}

/// Where a slot is: nodes have names, the engine itself has none here.
std::string place(const json& slot) {
  const auto out = cell(slot, "node");
  return out == "-" ? "engine" : out;
}

std::string slots(const json& x) {
  table out{{"NODE", "PROCESSOR", ">SLOT", "QUEUE", "STATE", ">ITEM", "USER",
             "SINCE"}};
  for (const auto& slot : list(x, "slots"))
    out.add({place(slot), cell(slot, "processor"), cell(slot, "slot"),
             cell(slot, "queue"), cell(slot, "state"), cell(slot, "item"),
             cell(slot, "user"), time(slot, "since")});
  for (const auto& node : list(x, "nodes"))
    if (cell(node, "state") == "silent")
      out.add({cell(node, "name"), "-", "-", "-", "silent", "-", "-", "-"});
  return "\n" + out.text();
}

std::string processors(const json& x) {
  table out{{"PROCESSOR", "TYPES", ">SLOTS", ">BUSY", "FILTER", "PREFERRED",
             ">MAX SIZE"}};
  for (const auto& spec : list(x, "processors"))
    out.add({cell(spec, "name"), cell(spec, "types"), cell(spec, "slots"),
             std::to_string(list(spec, "working").size()), filter(spec),
             cell(spec, "preferred_users"), cap(spec, "max_submission_size")});
  return out.text() + slots(x);
}

std::string shards(const json& x) {
  table out{{">SHARD", "ENGINE", "ADDRESS", ">EPOCH", ">LEFT MS"}};
  for (const auto& shard : list(x, "shards"))
    out.add({cell(shard, "shard"), cell(shard, "engine"),
             cell(shard, "address"), cell(shard, "epoch"),
             cell(shard, "left_ms")});
  return out.text();
}

std::string topics(const json& x) {
  table out{{"TOPIC", ">PARTITIONS", "WAS THERE"}};
  for (const auto& topic : list(x, "topics"))
    out.add({cell(topic, "topic"), cell(topic, "partitions"),
             cell(topic, "existed")});
  return out.text();
}

std::string submission_state(const json& x) {
  if (cell(x, "parked") == "yes")
    return "parked";
  return cell(x, "failed") == "yes" ? "failed" : cell(x, "status");
}

std::string submissions(const json& x) {
  table out{
    {">ID", "USER", "QUEUE", "STATE", ">SIZE", "RECEIVED", "FINISHED", "FILE"}};
  for (const auto& row : list(x, "submissions"))
    out.add({cell(row, "id"), cell(row, "user"), cell(row, "queue"),
             submission_state(row), cell(row, "size"), time(row, "received_at"),
             time(row, "finished_at"), cell(row, "file_name")});
  return out.text();
}

std::string submission(json x) {
  const auto result = cell(x, "document");
  x.erase("document");
  auto out = fields(x);
  if (result == "-" || result.empty())
    return out;
  // Lines of the document stay lines.
  out += "document:\n";
  std::size_t from = 0;
  while (from < result.size()) {
    const auto end = std::min(result.find('\n', from), result.size());
    out += escaped(result.substr(from, end - from)) + "\n";
    from = end + 1;
  }
  return out;
}

std::string why(const json& x) {
  std::string out;
  for (const auto& reason : list(x, "reasons"))
    out += escaped(cell(reason, "text")) + "\n";
  return out;
}

using renderer = std::function<std::string(const json&)>;

const std::map<std::string, renderer>& renderers() {
  static const std::map<std::string, renderer> all{
    {"status", status},
    {"shards", shards},
    {"queue list", queue_list},
    {"queue peek", peeked},
    {"user list", user_list},
    {"user show", user_show},
    {"user set", limits},
    {"user prohibit", eligibilities},
    {"user allow", eligibilities},
    {"user hold", eligibilities},
    {"user release", eligibilities},
    {"key list", keys},
    {"sp list", processors},
    {"submission list", submissions},
    {"submission show", submission},
    {"submission why", why},
    {"kafka init", topics},
  };
  return all;
}

} // namespace

std::string rendered(const std::string& command, const std::string& document) {
  const auto x = json::parse(document, nullptr, false);
  if (!x.is_object())
    return escaped(document) + "\n";
  const auto at = renderers().find(command);
  return at == renderers().end() ? fields(x) : at->second(x);
}

} // namespace depositd::shell
