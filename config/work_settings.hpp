#pragma once

// Settings of batches and jobs: pipelines, what their stages work with, and
// where objects go.

#include "config/setting_table.hpp"

#include <vector>

namespace depositd {

/// Their part of `setting_table`.
std::vector<setting_key> work_keys();

/// Reads "storage.NAME.FIELD", or "storage.NAME" alone.
caf::error read_storage(depositd_settings& out, const given_setting& x);

/// What is wrong with several of them together: the key, and why. An empty key:
/// nothing.
struct setting_fault {
  std::string key;
  std::string reason;
};
setting_fault check_work(const depositd_settings& x);

} // namespace depositd
