// What an engine was started with: whoever changed last, its file or an
// operator, has decided.

#include "messages/values/codec.hpp"
#include "tests/simulation/checker.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace depositd::simulation {

namespace {

std::string bytes_of(const event& x) {
  std::string out;
  encode(x, out);
  return out;
}

/// A queue that is there keeps these.
queue_settings as_fixed(queue_settings x, const queue_settings& known) {
  x.kind = known.kind;
  x.priority = known.priority;
  x.oldest_band_every = known.oldest_band_every;
  x.dedup = known.dedup;
  x.suspended = known.suspended;
  return x;
}

struct configured_checker {
  findings& out;
  std::map<std::string, queue_settings> queues;
  std::map<std::string, std::uint32_t> slots; ///< of processors that there are
  std::map<std::string, pipeline> pipelines;
  std::set<std::string> prohibited; ///< users
  std::optional<configuration_seen> file;
  std::optional<pipelines_seen> pipelines_file;
  std::set<std::string> wanted; ///< by operators, as bytes
  /// Queues and pipelines that were set since anything else happened, and that
  /// no operator had wanted so.
  std::set<std::string> set_alone;

  void complain(std::size_t at, const std::string& what) {
    out.push_back({"C-3", at, what});
  }

  const queue_settings* said_of(const std::string& queue) const {
    if (file)
      for (const auto& x : file->queues)
        if (x.name == queue)
          return &x.settings;
    return nullptr;
  }

  void compare(const configuration_seen::queue& x, std::size_t at) {
    const auto known = queues.find(x.name);
    if (known == queues.end())
      return complain(at, "there is no queue " + x.name);
    if (known->second.kind != x.settings.kind)
      return;
    const auto* before = said_of(x.name);
    const auto news = before == nullptr || !(*before == x.settings);
    if (news && !(known->second == as_fixed(x.settings, known->second)))
      complain(at, "queue " + x.name + " is not as its file says");
    if (!news && set_alone.contains(x.name))
      complain(at,
               "queue " + x.name + " was set and its file says nothing new");
  }

  void compare_slots(const configuration_seen& x,
                     const configuration_seen::queue& of, std::size_t at) {
    const auto known = queues.find(of.name);
    if (of.settings.kind != queue_kind::deposit || known == queues.end()
        || known->second.kind != queue_kind::deposit)
      return;
    const auto* before = said_of(of.name);
    if (before != nullptr && before->kind == queue_kind::deposit
        && file->processors_count == x.processors_count)
      return;
    const auto has = slots.find(of.name);
    if ((has == slots.end() ? 0 : has->second) != x.processors_count)
      complain(at, "processor " + of.name + " has not the slots of its file");
  }

  /// A list that says something else decides about all who are, or were, in
  /// it.
  void compare_prohibited(const configuration_seen& x, std::size_t at) {
    const auto& now = x.prohibited_users;
    const auto before
      = file ? file->prohibited_users : std::vector<std::string>{};
    if (before == now)
      return;
    for (const auto& user : now)
      if (!prohibited.contains(user))
        complain(at, "user " + user + " is not prohibited");
    for (const auto& user : before)
      if (prohibited.contains(user)
          && std::find(now.begin(), now.end(), user) == now.end())
        complain(at, "user " + user + " is prohibited still");
  }

  void see(const configuration_seen& x, std::size_t at) {
    compare_prohibited(x, at);
    for (const auto& one : x.queues) {
      compare(one, at);
      compare_slots(x, one, at);
    }
    file = x;
    set_alone.clear();
  }

  /// One of its queues was there before and is none of a stage.
  bool is_taken(const pipeline& x) const {
    const auto other_kind = [&](const std::string& stage) {
      const auto known = queues.find(stage_queue_name(x.name, stage));
      return known != queues.end() && known->second.kind != queue_kind::stage;
    };
    return other_kind(split_stage) || other_kind(report_stage)
           || std::any_of(x.stages.begin(), x.stages.end(),
                          [&](const auto& y) { return other_kind(y.name); });
  }

  void see(const pipelines_seen& x, std::size_t at) {
    for (const auto& one : x.pipelines) {
      const auto same = [&](const auto& y) { return y == one; };
      const auto news
        = !pipelines_file
          || std::none_of(pipelines_file->pipelines.begin(),
                          pipelines_file->pipelines.end(), same);
      if (pipelines.contains(one.name) && is_taken(pipelines[one.name]))
        complain(at, "pipeline " + one.name + " has a queue of others");
      if (news && !(pipelines[one.name] == one))
        complain(at, "pipeline " + one.name + " is not as its file says");
      if (!news && set_alone.contains(one.name))
        complain(at,
                 "pipeline " + one.name + " was set and its file is as it was");
    }
    pipelines_file = x;
    set_alone.clear();
  }

  void see(const event& what, std::size_t at) {
    const auto alone = !wanted.contains(bytes_of(what));
    if (const auto* queue = std::get_if<queue_changed>(&what)) {
      queues[queue->queue] = queue->settings;
      if (alone)
        set_alone.insert(queue->queue);
    } else if (const auto* line = std::get_if<pipeline_changed>(&what)) {
      pipelines[line->what.name] = line->what;
      if (alone)
        set_alone.insert(line->what.name);
    } else if (const auto* x = std::get_if<processor_changed>(&what)) {
      slots[x->spec.name] = x->removed ? 0 : x->spec.slots;
    } else if (const auto* gone = std::get_if<queue_retired>(&what)) {
      queues.erase(gone->queue);
    } else if (const auto* seen = std::get_if<configuration_seen>(&what)) {
      see(*seen, at);
    } else if (const auto* lines = std::get_if<pipelines_seen>(&what)) {
      see(*lines, at);
    } else if (const auto* who
               = std::get_if<user_eligibility_changed>(&what)) {
      if (who->prohibited)
        prohibited.insert(who->user);
      else
        prohibited.erase(who->user);
    } else {
      set_alone.clear();
    }
  }
};

} // namespace

void check_configured(const history& x, findings& out) {
  configured_checker all{out, {}, {}, {}, {}, {}, {}, {}, {}};
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto& what = x.entries[i].what;
    if (const auto* wish = std::get_if<proposed>(&what))
      for (const auto& change : wish->changes)
        all.wanted.insert(bytes_of(change));
    const auto* record = std::get_if<journalled>(&what);
    if (record != nullptr && record->shard == 0 && record->user.empty())
      all.see(record->what, i);
  }
}

} // namespace depositd::simulation
