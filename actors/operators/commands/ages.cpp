// Ages: which jobs have been in a stage longest, and who works on them.

#include "actors/operators/work.hpp"

#include "messages/projection.hpp"

#include <map>
#include <vector>

namespace depositd::operators {

namespace {

/// Of which the oldest of each stage are told: those that came first.
constexpr std::uint32_t jobs_looked_at = 10'000;

struct stage_age {
  std::uint64_t jobs = 0;
  job_row oldest; ///< nothing has moved it for longest
  std::vector<const job_row*> all;
};

using stage_ages = std::map<std::string, stage_age>;

std::vector<job_state> states_in_stages() {
  std::vector<job_state> out;
  for (const auto& [state, text] : words_of<job_state>)
    if (state != job_state::held && state != job_state::completed
        && state != job_state::failed && state != job_state::deleted)
      out.push_back(state);
  return out;
}

stage_ages ages_of(const jobs_found& x, const std::string& pipeline) {
  stage_ages out;
  for (const auto& row : x.rows) {
    if (row.queue.empty() || row.info.pipeline != pipeline)
      continue;
    auto& at = out[row.queue];
    if (at.jobs++ == 0 || row.status.changed_us < at.oldest.status.changed_us)
      at.oldest = row;
    at.all.push_back(&row);
  }
  return out;
}

/// Who has had one of these jobs in hand for longest; null: nobody.
const slots_report::entry* longest_of(const stage_age& x,
                                      const slots_gathered& slots) {
  const slots_report::entry* out = nullptr;
  for (const auto& slot : slots.slots.entries) {
    const bool is_one =
      std::any_of(x.all.begin(), x.all.end(),
                  [&](const job_row* row) { return row->id == slot.item; });
    if (is_one && (out == nullptr || slot.since_us < out->since_us))
      out = &slot;
  }
  return out;
}

document seconds_since(micros at, micros now) {
  return at == never ? document() : document((now - at) / 1'000'000);
}

document age_document(const std::string& queue, const stage_age& x,
                      const slots_gathered& slots, micros now) {
  const auto since = x.oldest.status.changed_us;
  document out{{"queue", queue},
               {"jobs", x.jobs},
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

void ages(admin_pointer self, const admin_call_ptr& call) {
  job_query query;
  if (auto wrong = restrict(*call, query))
    return refuse(call, wrong);
  query.states = states_in_stages();
  query.count_max = jobs_looked_at;
  const auto name = call->arguments.text("name");
  ask(self, call, self->state.options.projector, std::move(query),
      [=](const jobs_found& found) {
        gather_slots(self, call, [=](const slots_gathered& slots) {
          const auto now = self->state.options.clock.at(self->clock().now());
          const auto least = call->arguments.number("older_than") * 1'000'000;
          document out{{"pipeline", name}, {"stages", document::array()}};
          for (const auto& [queue, age] : ages_of(found, name))
            if (now - age.oldest.status.changed_us >= least)
              out["stages"].push_back(age_document(queue, age, slots, now));
          deliver(call, out);
        });
      });
}

} // namespace

std::vector<command> age_commands() {
  argument_spec least{"--older-than", "older_than", value_kind::number,
                      "SECONDS", "Only stages with a job of this age"};
  least.min = 0;
  least.max = 1'000'000'000;
  return {of_work(reading(
    "pipeline ages", "The jobs that have been in each stage longest",
    {name_argument("Name of the pipeline", "NAME", "pipeline list"), least},
    {table_view("stages",
                "QUEUE={queue}; >JOBS={jobs}; >OLDEST={oldest}; "
                "SINCE={since:time}; >AGE S={age_s}; >IN HAND={worked_on}; "
                "BY={node}; BEGUN={begun:time}; >FOR S={begun_s}; "
                "NOTE={note}")},
    ages))};
}

} // namespace depositd::operators
