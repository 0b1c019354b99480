// Ages: which jobs have been in a stage longest, and who works on them.

#include "actors/operators/work.hpp"

#include "messages/projection.hpp"
#include "messages/shard.hpp"
#include "messages/values/words.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace depositd::operators {

namespace about_ages {
namespace {

/// Of one stage; of more than these the oldest of those that came first are
/// told.
constexpr std::uint32_t jobs_looked_at = 10'000;

struct stage_age {
  std::string queue;
  job_row oldest; ///< nothing has moved it for longest
  std::vector<item_id> all;
  bool is_cut = false; ///< there are more
};

std::vector<job_state> states_in_stages() {
  std::vector<job_state> out;
  for (const auto& [state, text] : words_of<job_state>)
    if (state != job_state::held && state != job_state::completed
        && state != job_state::failed && state != job_state::deleted)
      out.push_back(state);
  return out;
}

/// Also of a pipeline that is set no more: its queues are there all the same.
std::vector<std::string> queues_of(const control_state& now,
                                   const std::string& pipeline) {
  std::vector<std::string> out;
  for (const auto& [name, settings] : now.queues)
    if (settings.kind == queue_kind::stage
        && name.substr(0, name.rfind('.')) == pipeline)
      out.push_back(name);
  return out;
}

stage_age age_of(const std::string& queue, const jobs_found& x) {
  stage_age out{queue, x.rows.front(), {}, x.more};
  for (const auto& row : x.rows) {
    if (row.status.changed_us < out.oldest.status.changed_us)
      out.oldest = row;
    out.all.push_back(row.id);
  }
  out.is_cut = out.is_cut || x.rows.size() >= jobs_looked_at;
  return out;
}

/// Who has had one of these jobs in hand for longest; null: nobody.
const slots_report::entry* longest_of(const stage_age& x,
                                      const slots_gathered& slots) {
  const slots_report::entry* out = nullptr;
  for (const auto& slot : slots.slots.entries) {
    const bool is_one = std::any_of(
      x.all.begin(), x.all.end(), [&](item_id id) { return id == slot.item; });
    if (is_one && (out == nullptr || slot.since_us < out->since_us))
      out = &slot;
  }
  return out;
}

document seconds_since(micros at, micros now) {
  return at == never ? document() : document((now - at) / 1'000'000);
}

document age_document(const stage_age& x, const slots_gathered& slots,
                      micros now) {
  const auto since = x.oldest.status.changed_us;
  document out{{"queue", x.queue},
               {"jobs", x.all.size()},
               {"more", x.is_cut},
               {"oldest", x.oldest.id},
               {"since", time_or_null(since)},
               {"age_s", seconds_since(since, now)},
               {"note", x.oldest.status.note}};
  const auto* busy = longest_of(x, slots);
  const bool none = busy == nullptr;
  out["worked_on"] = none ? document() : document(busy->item);
  out["node"] = none ? document() : text_or_null(busy->node);
  out["begun"] = none ? document() : time_or_null(busy->since_us);
  out["begun_s"] = none ? document() : seconds_since(busy->since_us, now);
  return out;
}

void tell_ages(admin_pointer self, const admin_call_ptr& call,
               const std::vector<stage_age>& all) {
  gather_slots(self, call, [=](const slots_gathered& slots) {
    const auto now = self->state.options.clock.at(self->clock().now());
    const auto least = call->arguments.number("older_than") * 1'000'000;
    document out{{"pipeline", call->arguments.text("name")},
                 {"stages", document::array()}};
    for (const auto& age : all)
      if (now - age.oldest.status.changed_us >= least)
        out["stages"].push_back(age_document(age, slots, now));
    deliver(call, out);
  });
}

/// One look for each stage that is left, so that none hides another.
struct looking {
  job_query query;
  std::vector<std::string> queues; ///< the last one is next
  std::vector<stage_age> seen;
};

void look_at_next(admin_pointer self, const admin_call_ptr& call,
                  const std::shared_ptr<looking>& at) {
  if (at->queues.empty())
    return tell_ages(self, call, at->seen);
  at->query.queues = {at->queues.back()};
  at->queues.pop_back();
  ask(self, call, self->state.options.projector, at->query,
      [=](const jobs_found& found) {
        if (!found.rows.empty())
          at->seen.push_back(age_of(at->query.queues.front(), found));
        look_at_next(self, call, at);
      });
}

void ages(admin_pointer self, const admin_call_ptr& call) {
  const auto at = std::make_shared<looking>();
  if (auto wrong = restrict(*call, at->query))
    return refuse(call, wrong);
  at->query.states = states_in_stages();
  at->query.count_max = jobs_looked_at;
  with_control(self, call, [=](const control_snapshot& control) {
    const auto name = call->arguments.text("name");
    at->queues = queues_of(*control, name);
    if (at->queues.empty() && !control->pipelines.contains(name))
      return refuse(call, ec::not_found,
                    "there is no pipeline " + shown(name)
                      + "; see pipeline list");
    std::reverse(at->queues.begin(), at->queues.end());
    look_at_next(self, call, at);
  });
}

} // namespace
} // namespace about_ages

std::vector<command> age_commands() {
  using namespace about_ages;
  argument_spec least{"--older-than", "older_than", value_kind::number,
                      "SECONDS", "Only stages with a job of this age"};
  least.min = 0;
  least.max = 1'000'000'000;
  return {of_work(reading(
    "pipeline ages", "The jobs that have been in each stage longest",
    {name_argument("Name of the pipeline", "NAME", "pipeline list"), least},
    {table_view(
      "stages",
      "QUEUE={queue}; >JOBS={more?over} {jobs}||{jobs}; >OLDEST={oldest}; "
      "SINCE={since:time}; >AGE S={age_s}; >IN HAND={worked_on}; "
      "BY={node}; BEGUN={begun:time}; >FOR S={begun_s}; "
      "NOTE={note}")},
    ages))};
}

} // namespace depositd::operators
