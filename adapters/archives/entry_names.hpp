#pragma once

// Which names the entries of one archive may have.

#include "messages/values/errors.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace depositd {

/// Remembers what was there, so that no entry replaces another one anywhere.
class entry_names {
public:
  /// The path to write to; empty for the archive's own folder. `ec::malformed`
  /// if the name is not allowed, or collides with an earlier one.
  caf::expected<std::string> add(std::string_view raw, bool is_folder);

  /// How many there are, with those that only stand in names of others.
  std::size_t folders() const {
    return folders_;
  }

private:
  struct seen {
    std::string path;
    bool is_folder = false;
  };

  caf::error add_part(const std::string& path, bool is_folder);

  std::map<std::string, seen> seen_; ///< by collision key
  std::size_t folders_ = 0;
};

} // namespace depositd
