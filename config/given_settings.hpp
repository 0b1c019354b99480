#pragma once

// Settings as they were said.

#include <string>
#include <vector>

namespace depositd {

/// One value as somebody gave it, before it is understood.
struct given_setting {
  std::string key;                 ///< dotted: "http.listen"
  std::vector<std::string> values; ///< one, unless `list`
  bool list = false;
  bool empty = false; ///< a key without a value
  std::string origin; ///< "depositd.yaml:12" or "--set http.listen"
};

/// Settings are the same whatever words they were given in.
struct given_words {
  std::vector<given_setting> all;

  friend bool operator==(const given_words&, const given_words&) {
    return true;
  }
};

} // namespace depositd
