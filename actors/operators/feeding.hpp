#pragma once

// What commands about sources and schedulers share: what is set of them, what
// their shards tell, and both as documents.

#include "actors/operators/command.hpp"

#include "messages/sources.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace depositd::operators {

/// What is set, and what schedulers told of themselves, by name. One that was
/// set a moment ago may not have told anything yet.
struct feeding {
  control_snapshot control; ///< not null
  std::map<std::string, scheduler_report> reports;

  /// Null if nobody has told.
  const scheduler_report* report_of(const scheduler_changed& x) const;
  const source_report* report_of(const source_changed& x) const;
};

/// Goes on with all schedulers, or with one. None is asked if none is set.
void with_feeding(admin_pointer self, const admin_call_ptr& call,
                  const control_snapshot& control, const std::string& scheduler,
                  std::function<void(const feeding&)> use);

/// The same after a change, which is durable: what is set will do if nobody
/// tells how it does within `timeout_node`.
void with_feeding_if_told(admin_pointer self, const control_snapshot& control,
                          const std::string& scheduler,
                          std::function<void(const feeding&)> use);

/// Goes on with the source or scheduler that the argument `name` names.
void with_source(
  admin_pointer self, const admin_call_ptr& call,
  std::function<void(const control_snapshot&, const source_changed&)> use);
void with_scheduler(
  admin_pointer self, const admin_call_ptr& call,
  std::function<void(const control_snapshot&, const scheduler_changed&)> use);

caf::error unknown_source(const std::string& name);
caf::error unknown_scheduler(const std::string& name);

/// All that is known of it. `resumed`: just now, which it may not have heard.
document source_document(const feeding& in, const source_changed& x,
                         bool resumed = false);
document scheduler_document(const feeding& in, const scheduler_changed& x);

/// An option for each setting: "--a-b" for "SECTION.NAME.a_b". Its value is
/// checked as the setting is, so that refusals name it.
std::vector<argument_spec>
setting_options(const std::string& section,
                const std::vector<std::string>& settings);

/// Takes over the settings that are given. `ec::invalid_argument`.
template <class Settings>
caf::error take_settings(const admin_arguments& in,
                         const std::vector<std::string>& settings,
                         const std::string& name, Settings& to);

} // namespace depositd::operators

// -- template definitions -----------------------------------------------------

#include "actors/rules/control/sources.hpp"

namespace depositd::operators {

template <class Settings>
caf::error take_settings(const admin_arguments& in,
                         const std::vector<std::string>& settings,
                         const std::string& name, Settings& to) {
  for (const auto& setting : settings)
    if (in.has(setting.c_str()))
      if (auto wrong =
            rules::set_setting(to, name, setting, in.text(setting.c_str())))
        return rules::as_argument(wrong);
  return caf::none;
}

} // namespace depositd::operators
