// Schedulers and their strategies.

#include "actors/operators/feeding.hpp"

#include "actors/rules/control/control.hpp"
#include "messages/shard.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace depositd::operators {

namespace about_schedulers {
namespace {

// -- looking ------------------------------------------------------------------

void list(admin_pointer self, const admin_call_ptr& call) {
  with_control(self, call, [=](const control_snapshot& control) {
    with_feeding(self, call, control, "", [=](const feeding& in) {
      document out;
      add_page(out, "schedulers", in.control->schedulers, call->arguments,
               [&](const auto& x) { return scheduler_document(in, x.second); });
      deliver(call, out);
    });
  });
}

void show(admin_pointer self, const admin_call_ptr& call) {
  with_scheduler(
    self, call, [=](const control_snapshot& now, const scheduler_changed& x) {
      with_feeding(self, call, now, x.name, [=](const feeding& in) {
        deliver(call, scheduler_document(in, x));
      });
    });
}

/// What a change was made to.
void tell(admin_pointer self, const admin_call_ptr& call, const document&) {
  with_scheduler(
    self, call, [=](const control_snapshot& now, const scheduler_changed& x) {
      with_feeding_if_told(self, now, x.name, [=](const feeding& in) {
        deliver(call, scheduler_document(in, x));
      });
    });
}

document strategy_document(const scheduler_changed& x) {
  return {{"scheduler", x.name}, {"strategy", x.settings.strategy}};
}

void show_strategy(admin_pointer self, const admin_call_ptr& call) {
  with_scheduler(self, call,
                 [=](const control_snapshot&, const scheduler_changed& x) {
                   deliver(call, strategy_document(x));
                 });
}

document explained_document(const std::string& scheduler,
                            const strategy_explained& x) {
  document out{{"scheduler", scheduler},
               {"strategy", x.strategy},
               {"next", text_or_null(x.next)},
               {"why", x.why},
               {"picks", x.picks},
               {"sources", document::array()}};
  for (const auto& source : x.sources)
    out["sources"].push_back(
      {{"name", source.name}, {"buffer", source.buffer}});
  return out;
}

void explain(admin_pointer self, const admin_call_ptr& call) {
  with_scheduler(
    self, call, [=](const control_snapshot& now, const scheduler_changed& x) {
      const auto name = x.name;
      const auto text = call->arguments.text("strategy");
      if (!text.empty())
        if (const auto wrong =
              rules::check_strategy(name, text, rules::sources_of(*now)))
          return refuse(call, rules::as_argument(wrong));
      const auto picks =
        static_cast<std::uint32_t>(call->arguments.number("picks"));
      ask(self, call, self->state.options.shard,
          explain_strategy{name, text, picks},
          [=](const strategy_explained& found) {
            deliver(call, explained_document(name, found));
          });
    });
}

// -- changing -----------------------------------------------------------------

document set_document(const control_state& now, const scheduler_changed& x) {
  return scheduler_document({std::make_shared<control_state>(now), {}}, x);
}

/// The change with the queue that it needs, if everything goes together then.
change proposed(const control_state& now, const scheduler_changed* before,
                const scheduler_changed& after) {
  auto later = now;
  auto events = rules::with_queue(now, after);
  for (const auto& x : events) {
    if (auto wrong = rules::check(later, x))
      return wrong;
    rules::apply(later, x);
  }
  if (before && *before == after)
    events.clear();
  return admin_change{std::move(events),
                      before ? set_document(now, *before) : document(nullptr),
                      set_document(later, after)};
}

change add(const admin_arguments& in, const control_state& now) {
  scheduler_changed after;
  after.name = in.text("name");
  if (now.schedulers.contains(after.name))
    return refuse(ec::already_exists, "there is a scheduler " + after.name
                                        + " already; see scheduler set");
  if (auto wrong = take_settings(in, rules::scheduler_setting_names(),
                                 after.name, after.settings))
    return wrong;
  // Before a queue is made for it.
  if (auto wrong = rules::check(after.name, after.settings))
    return rules::as_argument(wrong);
  return proposed(now, nullptr, after);
}

change set(const admin_arguments& in, const control_state& now) {
  const auto at = now.schedulers.find(in.text("name"));
  if (at == now.schedulers.end())
    return unknown_scheduler(in.text("name"));
  const auto settings = rules::scheduler_setting_names();
  if (std::none_of(settings.begin(), settings.end(),
                   [&](const auto& x) { return in.has(x.c_str()); }))
    return refuse(ec::invalid_argument, "give a setting, as --high");
  auto after = at->second;
  if (auto wrong = take_settings(in, settings, after.name, after.settings))
    return wrong;
  // The query goes with the database that it was for.
  if (!in.has("downstream_query") && !rules::asks_database(after.settings))
    after.settings.downstream_query.clear();
  if (auto wrong = rules::check(after.name, after.settings))
    return rules::as_argument(wrong);
  return proposed(now, &at->second, after);
}

change remove(const admin_arguments& in, const control_state& now) {
  const auto at = now.schedulers.find(in.text("name"));
  if (at == now.schedulers.end())
    return unknown_scheduler(in.text("name"));
  auto after = at->second;
  after.removed = true;
  if (auto wrong = rules::check_feeding(now, after))
    return wrong;
  return admin_change{{after},
                      set_document(now, at->second),
                      {{"name", after.name}, {"removed", true}}};
}

change set_strategy(const admin_arguments& in, const control_state& now) {
  const auto at = now.schedulers.find(in.text("name"));
  if (at == now.schedulers.end())
    return unknown_scheduler(in.text("name"));
  auto after = at->second;
  after.settings.strategy = in.text("strategy");
  if (auto wrong = rules::check_feeding(now, after))
    return wrong;
  return changed(at->second, after, strategy_document);
}

// -- rows ---------------------------------------------------------------------

using kind = value_kind;

std::vector<argument_spec> with_settings(argument_spec name) {
  std::vector<argument_spec> out{std::move(name)};
  for (auto& x :
       setting_options("schedulers", rules::scheduler_setting_names()))
    out.push_back(std::move(x));
  return out;
}

command telling_row(command x) {
  x.then = tell;
  return x;
}

argument_spec picks_argument() {
  argument_spec out{"--picks", "picks", kind::number, "N",
                    "Of how many picks to tell (10)"};
  out.max = 1'000;
  out.initial = 10;
  return out;
}

} // namespace
} // namespace about_schedulers

std::vector<command> scheduler_commands() {
  using namespace about_schedulers;
  const auto name =
    name_argument("Name of the scheduler", "NAME", "scheduler list");
  const auto schedulers =
    table_view("schedulers",
               "SCHEDULER={name}; QUEUE={queue}; STATE={state}; >LEFT={left}; "
               ">LOW={low}; >HIGH={high}; >FED={fed}; >RATE={rate}; "
               ">SOURCES={sources:count}; STRATEGY={strategy}");
  return {
    reading("scheduler list", "All schedulers, and how they do",
            {limit_argument(10'000),
             after_argument("NAME", "Go on after this name", "scheduler list")},
            {schedulers, next_page_line("schedulers")}, list),
    reading("scheduler show", "One scheduler", {name}, {}, show),
    telling_row(doing("scheduler add", "Feed a queue from sources",
                      with_settings(name_argument("Name of the scheduler")),
                      add)),
    telling_row(doing("scheduler set", "Change settings of a scheduler",
                      with_settings(name), set)),
    asking("Remove this scheduler?",
           doing("scheduler remove",
                 "Remove a scheduler without sources; its queue stays", {name},
                 remove)),
  };
}

std::vector<command> strategy_commands() {
  using namespace about_schedulers;
  const auto name =
    name_argument("Name of the scheduler", "NAME", "scheduler list");
  return {
    reading("strategy show", "Which source is next", {name}, {}, show_strategy),
    operating(doing("strategy set", "Take another strategy at once",
                    {name,
                     {"strategy", "strategy", kind::text, "TEXT",
                      "As 'prefer z else fair(x, weighted(y:3, w:1))'", true}},
                    set_strategy)),
    reading("strategy explain", "What would be picked now, and why",
            {name,
             {"--strategy", "strategy", kind::text, "TEXT",
              "Of this one instead of that which is in force"},
             picks_argument()},
            {{.kind = block_kind::pairs,
              .columns = columns("strategy={strategy}; next={next}; "
                                 "why={why}; picks={picks}")},
             apart(table_view("sources", "SOURCE={name}; >BUFFER={buffer}"))},
            explain),
  };
}

} // namespace depositd::operators
