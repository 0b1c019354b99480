#pragma once

// Which keys there are and where their values go.

#include "config/setting_values.hpp"

#include <string>
#include <vector>

namespace depositd {

struct setting_key {
  std::string name;
  setting_reader read;
};

/// All keys but those of queues and storage targets.
const std::vector<setting_key>& setting_table();

struct queue_setting_key {
  const char* name; ///< the part after "queues.NAME."
  std::function<caf::error(queue_settings&, const given_setting&)> read;
};

/// Keys of one queue; `kind` is the first.
const std::vector<queue_setting_key>& queue_setting_table();

struct storage_setting_key {
  const char* name; ///< the part after "storage.NAME."
  std::function<caf::error(storage_settings&, const given_setting&)> read;
};

/// Keys of one storage target.
const std::vector<storage_setting_key>& storage_setting_table();

} // namespace depositd
