// Sources: what they read, how they do, and changing them.

#include "actors/operators/feeding.hpp"

#include "messages/shard.hpp"

#include <algorithm>
#include <utility>

namespace depositd::operators {

namespace about_sources {
namespace {

// -- looking ------------------------------------------------------------------

void list(admin_pointer self, const admin_call_ptr& call) {
  with_control(self, call, [=](const control_snapshot& control) {
    with_feeding(self, call, control, "", [=](const feeding& in) {
      document out;
      add_page(out, "sources", in.control->sources, call->arguments,
               [&](const auto& x) { return source_document(in, x.second); });
      deliver(call, out);
    });
  });
}

void show(admin_pointer self, const admin_call_ptr& call) {
  with_source(self, call,
              [=](const control_snapshot& now, const source_changed& x) {
                with_feeding(self, call, now, x.settings.scheduler,
                             [=](const feeding& in) {
                               deliver(call, source_document(in, x));
                             });
              });
}

/// What a change was made to.
void tell(admin_pointer self, const admin_call_ptr& call, bool resumed) {
  with_source(self, call,
              [=](const control_snapshot& now, const source_changed& x) {
                with_feeding_if_told(
                  self, now, x.settings.scheduler, [=](const feeding& in) {
                    deliver(call, source_document(in, x, resumed));
                  });
              });
}

then_function telling(bool resumed = false) {
  return [=](admin_pointer self, const admin_call_ptr& call, const document&) {
    tell(self, call, resumed);
  };
}

// -- changing -----------------------------------------------------------------

/// What is set, for the log and for who cannot be told more.
document set_document(const source_changed& x) {
  auto out = source_document({}, x);
  out["resumes"] = x.resumes;
  return out;
}

/// What `how` makes of the source that is named.
change edit(const admin_arguments& in, const control_state& now,
            const std::function<caf::error(source_changed&)>& how) {
  const auto at = now.sources.find(in.text("name"));
  if (at == now.sources.end())
    return unknown_source(in.text("name"));
  auto after = at->second;
  if (auto wrong = how(after))
    return wrong;
  if (auto wrong = rules::check_feeding(now, after))
    return wrong;
  return changed(at->second, after, set_document);
}

change add(const admin_arguments& in, const control_state& now) {
  source_changed after;
  after.name = in.text("name");
  after.made_us = in.came_us();
  if (now.sources.contains(after.name))
    return refuse(ec::already_exists, "there is a source " + after.name
                                        + " already; see source set");
  if (!in.has("kind"))
    return refuse(ec::invalid_argument,
                  "sources." + after.name.substr(0, 64) + ".kind: is required");
  if (auto wrong = take_settings(in, rules::source_setting_names(), after.name,
                                 after.settings))
    return wrong;
  if (auto wrong = rules::check_feeding(now, after))
    return wrong;
  return admin_change{{after}, nullptr, set_document(after)};
}

change set(const admin_arguments& in, const control_state& now) {
  const auto settings = rules::source_setting_names();
  if (std::none_of(settings.begin(), settings.end(),
                   [&](const auto& x) { return in.has(x.c_str()); }))
    return refuse(ec::invalid_argument, "give a setting, as --capacity");
  return edit(in, now, [&](source_changed& x) {
    return take_settings(in, settings, x.name, x.settings);
  });
}

change pause(const admin_arguments& in, const control_state& now) {
  return edit(in, now, [](source_changed& x) {
    x.paused = true;
    return caf::error{};
  });
}

change resume(const admin_arguments& in, const control_state& now) {
  return edit(in, now, [](source_changed& x) {
    x.paused = false;
    ++x.resumes;
    return caf::error{};
  });
}

change remove(const admin_arguments& in, const control_state& now) {
  const auto at = now.sources.find(in.text("name"));
  if (at == now.sources.end())
    return unknown_source(in.text("name"));
  auto after = at->second;
  after.removed = true;
  if (auto wrong = rules::check_feeding(now, after))
    return wrong;
  return admin_change{{after},
                      set_document(at->second),
                      {{"name", after.name}, {"removed", true}}};
}

// -- rows ---------------------------------------------------------------------

std::vector<argument_spec> with_settings(argument_spec name) {
  std::vector<argument_spec> out{std::move(name)};
  for (auto& x : setting_options("sources", rules::source_setting_names())) {
    if (x.key == "kind")
      x.words = {"sql", "sqs", "kafka", "s3", "folder", "queue", "exec"};
    else if (x.key == "ends")
      x.words = {"true", "false"};
    out.push_back(std::move(x));
  }
  return out;
}

command telling_row(command x, bool resumed = false) {
  x.then = telling(resumed);
  return x;
}

} // namespace
} // namespace about_sources

std::vector<command> source_commands() {
  using namespace about_sources;
  const auto name = name_argument("Name of the source", "NAME", "source list");
  const auto new_name = name_argument("Name of the source");
  const auto sources = table_view(
    "sources", "SOURCE={name}; KIND={kind}; SCHEDULER={scheduler}; "
               "STATE={state}; >BUFFER={buffer}; >CAPACITY={capacity}; "
               ">IN FLIGHT={in_flight}; >RATE={rate}; >DONE={done}; "
               ">TOTAL={total}; >LEFT S={left_s}; >BAD={bad}; ERROR={error}");
  return {
    reading("source list", "All sources, and how they do",
            {limit_argument(10'000),
             after_argument("NAME", "Go on after this name", "source list")},
            {sources, next_page_line("sources")}, list),
    reading("source show", "One source", {name}, {}, show),
    telling_row(
      doing("source add", "Read from somewhere", with_settings(new_name), add)),
    telling_row(doing("source set", "Change settings of a source",
                      with_settings(name), set)),
    telling_row(operating(
      doing("source pause", "Read nothing and feed nothing", {name}, pause))),
    telling_row(operating(doing("source resume",
                                "End of pause; read again what has ended",
                                {name}, resume)),
                true),
    asking("Remove this source, with what waits in its buffer and what is "
           "remembered of it?",
           doing("source remove", "Forget a source; what was queued stays",
                 {name}, remove)),
  };
}

} // namespace depositd::operators
