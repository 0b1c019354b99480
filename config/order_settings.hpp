#pragma once

// Settings of orders about what is stored, of where depositors get things back,
// and of reconcilers.

#include "config/setting_table.hpp"
#include "config/work_settings.hpp"

#include <string>
#include <vector>

namespace depositd {

/// Their part of `setting_table`: `orders.*`.
std::vector<setting_key> order_keys();

/// Whether the key is one of `restoration.NAME` or of `reconcilers.NAME`.
bool is_order_key(const given_setting& x);

/// Reads it.
caf::error read_order_key(depositd_settings& out, const given_setting& x);

/// "restoration.NAME.kind" and all the others.
std::vector<std::string> order_setting_names();

/// What is wrong with several of them together.
setting_fault check_orders(const depositd_settings& x);

} // namespace depositd
