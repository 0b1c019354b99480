#pragma once

#include <string>
#include <vector>

namespace depositd::bench {

/// Who sends: an API key, or a login with its password.
struct sender {
  std::string name;
  std::string secret; ///< empty: nothing is shown
};

/// Reads lines `NAME SECRET`; what begins with # is left out. Throws
/// std::runtime_error if it cannot be read, has none, or has a wrong line.
std::vector<sender> read_senders(const std::string& file);

} // namespace depositd::bench
