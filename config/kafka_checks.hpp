#pragma once

#include "config/setting_origins.hpp"
#include "config/settings.hpp"

namespace depositd {

/// `ec::bad_setting` names the setting and what was expected, if what is set of
/// Kafka cannot work, or not together.
caf::error check_kafka(const kafka_settings& x, const origins& from);

} // namespace depositd
