#pragma once

// What checks of settings have in common.

#include "config/setting_values.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace depositd {

/// Whether there is such a file, for this account.
inline bool readable(const std::string& file) {
  return std::ifstream{file}.good();
}

/// For checks that involve several keys: where one of them was given.
class origins {
public:
  explicit origins(const std::vector<given_setting>& given) : given_(given) {
    // nop
  }

  caf::error refuse(const std::string& key, const std::string& reason) const {
    auto text = key + ": " + reason;
    for (auto i = given_.rbegin(); i != given_.rend(); ++i)
      if (i->key == key)
        return bad_setting(text + " (" + i->origin + ")");
    return bad_setting(std::move(text));
  }

private:
  const std::vector<given_setting>& given_;
};

/// Either all of these files are named and readable, or none is named.
inline caf::error
check_files(const origins& from,
            const std::vector<std::pair<std::string, std::string>>& files) {
  const auto given = std::count_if(files.begin(), files.end(),
                                   [](auto& x) { return !x.second.empty(); });
  for (const auto& [key, file] : files) {
    if (given > 0 && file.empty())
      return from.refuse(key, "is needed too for TLS");
    if (!file.empty() && !readable(file))
      return from.refuse(key, "cannot read \"" + file + "\"");
  }
  return caf::none;
}

} // namespace depositd
