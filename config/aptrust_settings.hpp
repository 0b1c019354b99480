#pragma once

// How APTrust's settings are read.

#include "config/setting_table.hpp"
#include "config/work_settings.hpp"

#include <vector>

namespace depositd {

/// Their part of `setting_table`: all but the receiving places.
std::vector<setting_key> aptrust_keys();

/// Whether the key is one of a receiving place, or of all of them.
bool is_receiving_key(const given_setting& x);

/// Reads "aptrust.receiving.NAME.FIELD".
caf::error read_receiving(depositd_settings& out, const given_setting& x);

/// What is wrong with several of them together.
setting_fault check_aptrust(const depositd_settings& x);

/// As it is without those settings: the name is user and collection.
std::string receiving_user(const std::string& name,
                           const receiving_settings& x);
std::string receiving_collection(const std::string& name,
                                 const receiving_settings& x);

} // namespace depositd
