#include "actors/operators/feeding.hpp"

#include "actors/rules/sources/progress.hpp"
#include "actors/rules/sources/setting_table.hpp"
#include "messages/shard.hpp"
#include "messages/values/words.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace depositd::operators {

namespace about_feeding {
namespace {

/// Thousandths are enough.
document rate_document(double per_second) {
  return std::round(per_second * 1'000) / 1'000;
}

/// An operator's word comes before what a scheduler knew a moment ago.
source_state state_of(const source_changed& x, const source_report* told,
                      bool resumed) {
  if (x.paused)
    return source_state::paused;
  if (!told)
    return source_state::running;
  const bool over = told->state == source_state::ended && resumed;
  if (told->state != source_state::paused && !over)
    return told->state;
  return told->failures > 0 ? source_state::failing : source_state::running;
}

document total_or_null(const source_report& x) {
  return x.has_total ? document(x.total) : document(nullptr);
}

/// Seconds until all of a source is done, if anybody can say.
document left_document(const source_report& x) {
  const auto done = x.records.finished + x.records.failed;
  const auto left = rules::seconds_left(
    done, x.has_total ? std::optional{x.total} : std::nullopt, x.rate);
  return left ? document(*left) : document(nullptr);
}

document records_document(const source_report& x) {
  return {{"buffered", x.buffer},
          {"queued", x.records.queued},
          {"claimed", x.records.claimed},
          {"finished", x.records.finished},
          {"failed", x.records.failed}};
}

/// A setting as its kind of value; null for words as "none".
template <class Settings>
document setting_document(const rules::setting_line<Settings>& line,
                          Settings x) {
  const bool address =
    line.name == "url" || line.name == "downstream" || line.name == "endpoint";
  if (line.text && line.name == "command")
    return text_or_null(without_arguments(line.text(x)));
  if (line.text)
    return text_or_null(address ? without_secrets(line.text(x)) : line.text(x));
  if (!line.number)
    return nullptr;
  const auto number = line.number(x);
  return number == no_size_limit ? document(nullptr) : document(number);
}

/// What of the settings is not in the document yet and means something.
void add_settings(document& to, const source_settings& x) {
  for (const auto& line : rules::source_lines)
    if ((line.kinds & rules::bit_of(x.kind)) != 0)
      if (const std::string key{line.name}; !to.contains(key))
        to[key] = key == "ends" ? document(x.ends) : setting_document(line, x);
}

void add_settings(document& to, const scheduler_settings& x) {
  for (const auto& line : rules::scheduler_lines)
    if (const std::string key{line.name}; !to.contains(key))
      to[key] = setting_document(line, x);
}

scheduler_state state_of(const feeding& in, const scheduler_changed& x,
                         const scheduler_report* told) {
  if (told)
    return told->state;
  const auto& queues = in.control->queues;
  const auto at = queues.find(x.settings.queue);
  const bool stands = in.control->server.suspended
                      || (at != queues.end() && at->second.suspended);
  return stands ? scheduler_state::suspended : scheduler_state::feeding;
}

/// Goes on with what is set of the name that is given, or refuses.
template <class Map, class Use>
void with_named(admin_pointer self, const admin_call_ptr& call,
                Map control_state::*map,
                caf::error (*unknown)(const std::string&), Use use) {
  with_control(self, call, [=](const control_snapshot& control) {
    const auto& all = (*control).*map;
    const auto name = call->arguments.text("name");
    const auto at = all.find(name);
    if (at == all.end())
      refuse(call, unknown(name));
    else
      use(control, at->second);
  });
}

feeding feeding_of(const control_snapshot& control,
                   const schedulers_reported& told) {
  feeding out{control, {}};
  for (const auto& one : told.schedulers)
    out.reports[one.name] = one;
  return out;
}

} // namespace
} // namespace about_feeding

const scheduler_report* feeding::report_of(const scheduler_changed& x) const {
  const auto at = reports.find(x.name);
  return at == reports.end() ? nullptr : &at->second;
}

const source_report* feeding::report_of(const source_changed& x) const {
  const auto of = reports.find(x.settings.scheduler);
  if (of == reports.end())
    return nullptr;
  const auto& all = of->second.sources;
  const auto at = std::find_if(all.begin(), all.end(), [&](const auto& y) {
    return y.name == x.name && y.made_us == x.made_us;
  });
  return at == all.end() ? nullptr : &*at;
}

void with_feeding(admin_pointer self, const admin_call_ptr& call,
                  const control_snapshot& control, const std::string& scheduler,
                  std::function<void(const feeding&)> use) {
  if (control->schedulers.empty())
    return use({control, {}});
  ask(self, call, self->state.options.shard, report_schedulers{scheduler},
      [=](const schedulers_reported& x) {
        use(about_feeding::feeding_of(control, x));
      });
}

void with_feeding_if_told(admin_pointer self, const control_snapshot& control,
                          const std::string& scheduler,
                          std::function<void(const feeding&)> use) {
  const auto& options = self->state.options;
  self
    ->request(options.shard, options.timeout_node, report_schedulers{scheduler})
    .then(
      [=](const schedulers_reported& x) {
        use(about_feeding::feeding_of(control, x));
      },
      [=](const caf::error&) {
        use({control, {}});
      });
}

void with_source(
  admin_pointer self, const admin_call_ptr& call,
  std::function<void(const control_snapshot&, const source_changed&)> use) {
  about_feeding::with_named(self, call, &control_state::sources, unknown_source,
                            std::move(use));
}

void with_scheduler(
  admin_pointer self, const admin_call_ptr& call,
  std::function<void(const control_snapshot&, const scheduler_changed&)> use) {
  about_feeding::with_named(self, call, &control_state::schedulers,
                            unknown_scheduler, std::move(use));
}

caf::error unknown_source(const std::string& name) {
  return refuse(ec::not_found,
                "there is no source " + shown(name) + "; see source list");
}

caf::error unknown_scheduler(const std::string& name) {
  return refuse(ec::not_found, "there is no scheduler " + shown(name)
                                 + "; see scheduler list");
}

document source_document(const feeding& in, const source_changed& x,
                         bool resumed) {
  using namespace about_feeding;
  const auto* told = in.report_of(x);
  const auto r = told ? *told : source_report{};
  const auto in_flight = r.records.queued + r.records.claimed;
  document out{
    {"name", x.name},
    {"kind", to_string(x.settings.kind)},
    {"scheduler", x.settings.scheduler},
    {"state", to_string(state_of(x, told, resumed))},
    {"buffer", r.buffer},
    {"capacity", x.settings.capacity},
    {"replenish_threshold", x.settings.threshold()},
    {"known", r.buffer + in_flight + r.records.remembered},
    {"in_flight", in_flight},
    {"replenishing", r.replenishing},
    {"replenishes", r.replenishes},
    {"replenish_ms_last", r.replenish_ms_last},
    {"replenish_records_last", r.replenish_records_last},
    {"failures", r.failures},
    {"error", text_or_null(r.error)},
    {"error_at", time_or_null(r.error_us)},
    {"cursor", r.has_cursor ? document(r.cursor) : document(nullptr)},
    {"rate", rate_document(r.rate)},
    {"done", r.records.finished + r.records.failed},
    {"total", total_or_null(r)},
    {"left_s", left_document(r)},
    {"duplicates", r.duplicates},
    {"bad", r.bad},
    {"bad_last", text_or_null(r.bad_last)},
    {"records", records_document(r)},
    {"made_at", time_or_null(x.made_us)}};
  add_settings(out, x.settings);
  return out;
}

document scheduler_document(const feeding& in, const scheduler_changed& x) {
  using namespace about_feeding;
  const auto* told = in.report_of(x);
  const auto& by = x.settings;
  document out{{"name", x.name},
               {"queue", by.queue},
               {"strategy", by.strategy},
               {"high", by.high},
               {"low", by.low_mark()},
               {"high_per_user", by.high_per_user == no_mark
                                   ? document(nullptr)
                                   : document(by.high_per_user)},
               {"state", to_string(state_of(in, x, told))},
               {"left", told ? told->left : 0},
               {"fed", told ? told->fed : 0},
               {"rate", rate_document(told ? told->rate : 0)},
               {"sources", document::array()}};
  for (const auto& [name, source] : in.control->sources)
    if (source.settings.scheduler == x.name)
      out["sources"].push_back(name);
  add_settings(out, by);
  return out;
}

std::vector<argument_spec>
setting_options(const std::string& section,
                const std::vector<std::string>& settings) {
  std::vector<argument_spec> out;
  for (const auto& setting : settings) {
    auto option = setting;
    std::replace(option.begin(), option.end(), '_', '-');
    argument_spec one{"--" + option, setting, value_kind::text, "VALUE",
                      "The setting " + section + ".NAME." + setting};
    if (setting == "scheduler")
      one.names_from = "scheduler list";
    else if (setting == "queue")
      one.names_from = "queue list";
    out.push_back(std::move(one));
  }
  return out;
}

} // namespace depositd::operators
