#pragma once

#include "config/setting_origins.hpp"
#include "config/settings.hpp"

#include <string>
#include <string_view>

namespace depositd {

/// `ec::bad_setting` names the setting and what was expected, if what is set of
/// Kafka cannot work, or not together.
caf::error check_kafka(const kafka_settings& x, const origins& from);

/// The setting that a reason of librdkafka's is about, by the words that it
/// has for it; "kafka" if nothing in it says so.
std::string kafka_setting_in(std::string_view reason);

} // namespace depositd
