// Submission processors, and what their slots do, wherever they run.

#include "actors/operators/command.hpp"

#include "messages/shard.hpp"
#include "messages/values/names.hpp"

#include <algorithm>

namespace depositd::operators {

namespace about_processors {
namespace {

using names = std::vector<std::string>;

names nodes_of(const control_state& state, const std::string& processor) {
  const auto at = state.placements.find(processor);
  return at == state.placements.end() ? names{} : at->second.nodes;
}

document processor_document(const processor_spec& x, const names& nodes) {
  const bool excludes = !x.wants.excluded.empty();
  const auto size_max = x.wants.size_max;
  return {{"name", x.name},
          {"types", x.types},
          {"slots", x.slots},
          {"user_filter", excludes ? x.wants.excluded : x.wants.required},
          {"exclude_users", excludes},
          {"preferred_users", x.wants.preferred},
          {"max_submission_size",
           size_max == no_size_limit ? document(nullptr) : document(size_max)},
          {"nodes", nodes}};
}

document slot_document(const slots_report::entry& x) {
  const bool busy = x.item != 0;
  // A slot inside the engine is on no node.
  return {{"node", x.node.empty() ? document(nullptr) : document(x.node)},
          {"processor", x.processor},
          {"slot", x.slot},
          {"queue", x.queue},
          {"state", busy ? "busy" : "idle"},
          {"item", busy ? document(x.item) : document(nullptr)},
          {"user", busy ? document(x.user) : document(nullptr)},
          {"since", time_or_null(x.since_us)}};
}

/// What the slots of one processor have in hand.
document working_document(const slots_report& slots, const std::string& name) {
  auto out = document::array();
  for (const auto& slot : slots.entries)
    if (slot.item != 0 && slot.processor == name) {
      auto& entry = out.emplace_back(slot_document(slot));
      entry.erase("processor");
      entry.erase("state");
    }
  return out;
}

/// Processors as set up, every slot, and the nodes that have joined.
document processors_document(const control_state& state,
                             const slots_gathered& x) {
  document out{{"processors", document::array()},
               {"slots", document::array()},
               {"nodes", document::array()}};
  for (const auto& [name, spec] : state.processors) {
    auto entry = processor_document(spec, nodes_of(state, name));
    entry["working"] = working_document(x.slots, name);
    out["processors"].push_back(std::move(entry));
  }
  for (const auto& slot : x.slots.entries)
    out["slots"].push_back(slot_document(slot));
  for (const auto& name : x.nodes) {
    const auto silent = std::count(x.silent.begin(), x.silent.end(), name) > 0;
    out["nodes"].push_back(
      {{"name", name}, {"state", silent ? "silent" : "joined"}});
  }
  return out;
}

void list(admin_pointer self, const admin_call_ptr& call) {
  with_control(self, call, [=](const control_snapshot& control) {
    gather_slots(self, call, [=](const slots_gathered& x) {
      deliver(call, processors_document(*control, x));
    });
  });
}

// -- changes ------------------------------------------------------------------

/// Takes over what is given; the rest stays as it is in `spec`.
void read_spec(const admin_arguments& in, processor_spec& spec) {
  if (in.has("types"))
    spec.types = in.texts("types");
  else if (spec.types.empty())
    spec.types = {"metadata"};
  in.take("slots", spec.slots);
  if (in.has("preferred_users"))
    spec.wants.preferred = in.texts("preferred_users");
  if (const auto size_max = in.limit("max_submission_size"))
    spec.wants.size_max =
      size_max->value == no_cap ? no_size_limit : size_max->value;
  auto filter = in.texts("user_filter");
  bool excludes = in.flag("exclude_users");
  if (!in.has("user_filter"))
    filter =
      spec.wants.required.empty() ? spec.wants.excluded : spec.wants.required;
  if (!in.has("exclude_users") && !in.has("user_filter"))
    excludes = !spec.wants.excluded.empty();
  spec.wants.required = excludes ? std::vector<std::string>{} : filter;
  spec.wants.excluded = excludes ? filter : std::vector<std::string>{};
}

caf::error check_spec(const processor_spec& spec, const control_state& now) {
  if (!legal_processor_name(spec.name))
    return refuse(ec::invalid_argument,
                  "a processor needs a name of A-Z a-z 0-9 . _ -");
  if (spec.types.empty())
    return refuse(ec::invalid_argument, "types must name a queue");
  for (const auto& type : spec.types) {
    const auto at = now.queues.find(type);
    if (at == now.queues.end())
      return refuse(ec::not_found, "types: there is no queue " + shown(type));
    if (at->second.kind != queue_kind::deposit)
      return refuse(ec::invalid_argument,
                    "types: " + type
                      + " is no queue of deposits, and a processor would end "
                        "what is for somebody else");
  }
  for (const auto* users :
       {&spec.wants.required, &spec.wants.excluded, &spec.wants.preferred})
    for (const auto& user : *users)
      if (!legal_user_name(user))
        return refuse(ec::invalid_argument, shown(user) + " is no user name");
  if (spec.wants.size_max == 0)
    return refuse(ec::invalid_argument,
                  "a max_submission_size of 0 fits nothing");
  return caf::none;
}

/// Where it is to run; "any" says everywhere.
caf::expected<names> read_nodes(const admin_arguments& in) {
  auto out = in.texts("nodes");
  if (out == names{"any"})
    return names{};
  for (const auto& node : out)
    if (!legal_processor_name(node))
      return refuse(ec::invalid_argument,
                    "nodes: " + shown(node) + " is no name of a node");
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  if (out.empty() || out.size() > placement_nodes_max)
    return refuse(ec::invalid_argument, "nodes must name 1 to 64, or be any");
  return out;
}

change put(const admin_arguments& in, const control_state& now, bool is_new) {
  processor_spec spec;
  spec.name = in.text("name");
  const auto at = now.processors.find(spec.name);
  const bool known = at != now.processors.end();
  if (known)
    spec = at->second;
  read_spec(in, spec);
  if (auto problem = check_spec(spec, now))
    return problem;
  if (in.flag("exclude_users") && !in.has("user_filter")
      && spec.wants.excluded.empty())
    return refuse(ec::invalid_argument,
                  "exclude_users needs a user_filter with the users to leave "
                  "out");
  const auto before = nodes_of(now, spec.name);
  const auto nodes =
    in.has("nodes") ? read_nodes(in) : caf::expected<names>{before};
  if (!nodes)
    return nodes.error();
  if (is_new && known)
    return refuse(ec::already_exists,
                  spec.name + " exists already; see sp set");
  if (!is_new && !known)
    return refuse(ec::not_found, "there is no processor " + spec.name);
  admin_change out{{},
                   known ? processor_document(at->second, before) : document{},
                   processor_document(spec, *nodes)};
  if (!known || !(spec == at->second))
    out.events.emplace_back(processor_changed{spec, false});
  if (*nodes != before)
    out.events.emplace_back(processor_placed{spec.name, *nodes});
  return out;
}

/// `is_new`: it must be; otherwise it must exist.
decide_function putting(bool is_new) {
  return [=](const admin_arguments& in, const control_state& now) {
    return put(in, now, is_new);
  };
}

change stop(const admin_arguments& in, const control_state& now) {
  const auto name = in.text("name");
  const auto at = now.processors.find(name);
  if (at == now.processors.end())
    return refuse(ec::not_found, "there is no processor of this name");
  const auto nodes = nodes_of(now, name);
  admin_change out{{processor_changed{at->second, true}},
                   processor_document(at->second, nodes),
                   {{"name", name}, {"stopped", true}}};
  if (!nodes.empty())
    out.events.emplace_back(processor_placed{name, {}});
  return out;
}

// -- rows ---------------------------------------------------------------------

std::vector<view_block> list_view() {
  auto silent =
    table_view("nodes", "={name}; =-; =-; =-; ={state}; =-; =-; =-");
  silent.where = "state=silent";
  silent.joins = true;
  return {
    table_view("processors",
               "PROCESSOR={name}; TYPES={types}; >SLOTS={slots}; "
               ">BUSY={working:count}; FILTER={exclude_users?not} "
               "{user_filter}||{user_filter}; PREFERRED={preferred_users}; "
               ">MAX SIZE={max_submission_size}||none; "
               "ONLY ON={nodes}||any"),
    apart(table_view("slots", "NODE={node}||engine; PROCESSOR={processor}; "
                              ">SLOT={slot}; QUEUE={queue}; STATE={state}; "
                              ">ITEM={item}; USER={user}; SINCE={since:time}")),
    silent};
}

/// What sets a processor up.
std::vector<argument_spec> spec_arguments() {
  using kind = value_kind;
  const auto users = [](const char* spelling, const char* key,
                        const char* help) {
    return argument_spec{spelling, key,   kind::names, "USER[,USER...]",
                         help,     false, "user list"};
  };
  argument_spec slots{"--slots", "slots", kind::number, "N",
                      "How many items at once"};
  slots.min = 1;
  slots.max = 1'024;
  return {name_argument("Name of the processor", "PROCESSOR", "sp list"),
          {"--types", "types", kind::names, "QUEUE[,QUEUE...]",
           "Queues to serve; the first with work decides (default metadata)",
           false, "queue list"},
          slots,
          users("--userFilter,--user-filter", "user_filter",
                "Only these users, or with --excludeUsers all others"),
          {"--excludeUsers,--exclude-users", "exclude_users", kind::flag, "",
           "The filter names users to leave out"},
          users("--preferredUsers,--preferred-users", "preferred_users",
                "Serve these first"),
          // For the sake of Crossref's settings; means nothing.
          users("--lowPriorityUsers,--low-priority-users", "low_priority_users",
                "Accepted and ignored"),
          {"--maxSubmissionSize,--max-submission-size", "max_submission_size",
           kind::limit, "BYTES", "Larger items are left to others; or none"},
          {"--nodes", "nodes", kind::names, "NODE[,NODE...]",
           "Only these nodes and engines run it; or any"}};
}

} // namespace
} // namespace about_processors

std::vector<command> processor_commands() {
  using namespace about_processors;
  const auto arguments = spec_arguments();
  return {
    reading("sp list", "Processors and what they work on", {}, list_view(),
            list),
    operating(doing("sp add", "Start a processor", arguments, putting(true))),
    operating(doing("sp set", "Change a processor; what is not given stays",
                    arguments, putting(false))),
    operating(doing("sp stop", "Stop a processor; what it has it finishes",
                    {arguments.front()}, stop)),
  };
}

} // namespace depositd::operators
