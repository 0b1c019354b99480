#pragma once

// Settings of sources and schedulers by name, and what is refused. A refusal is
// `ec::bad_setting`; its text begins with the setting, as `sources.NAME.x: `.

#include "messages/values/errors.hpp"
#include "messages/values/sources.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::rules {

/// Names of the settings of `sources.NAME`, in the order of the documentation.
std::vector<std::string> source_setting_names();
/// Those of `schedulers.NAME`.
std::vector<std::string> scheduler_setting_names();

/// Sets one setting from its text. Refuses unknown names, what is no number,
/// and numbers out of bounds; all else is for `check`. `replenish_threshold`
/// and `low` understand `half`, `high_per_user` understands `none`.
caf::error set_setting(source_settings& x, const std::string& source,
                       std::string_view setting, const std::string& text);
caf::error set_setting(scheduler_settings& x, const std::string& scheduler,
                       std::string_view setting, const std::string& text);

/// As the documents show it: the inverse of `set_setting`.
std::string setting_text(const source_settings& x, std::string_view setting);
std::string setting_text(const scheduler_settings& x, std::string_view setting);

/// Whether a query of a database says how much is downstream.
bool asks_database(const scheduler_settings& x);

/// Whether one source or scheduler can be as it is, by itself.
caf::error check(const std::string& source, const source_settings& x);
caf::error check(const std::string& scheduler, const scheduler_settings& x);

using source_table = std::map<std::string, source_settings>;
using scheduler_table = std::map<std::string, scheduler_settings>;

/// Whether all of them go together: each by itself, every source's scheduler is
/// there, and strategies name sources of their own scheduler.
caf::error check(const source_table& sources,
                 const scheduler_table& schedulers);

/// Whether the strategy can be that scheduler's: `schedulers.NAME.strategy:
/// column C: reason`.
caf::error check_strategy(const std::string& scheduler,
                          std::string_view strategy,
                          const source_table& sources);

/// Whether a source may go: not while the strategy names it.
caf::error check_removal(const std::string& source, const source_table& sources,
                         const scheduler_table& schedulers);

/// Whether a scheduler may go: not while it has sources.
caf::error check_scheduler_removal(const std::string& scheduler,
                                   const source_table& sources);

} // namespace depositd::rules
