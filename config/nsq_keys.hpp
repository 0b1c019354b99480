#pragma once

#include "config/setting_table.hpp"
#include "config/work_settings.hpp"

#include <vector>

namespace depositd {

/// The part of `setting_table` that NSQ's doors have.
std::vector<setting_key> nsq_keys();

/// What is wrong with several of them together.
setting_fault check_nsq(const depositd_settings& x);

} // namespace depositd
