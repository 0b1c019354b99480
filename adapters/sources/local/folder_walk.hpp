#pragma once

// The files below a folder, in the order of the bytes of their paths.

#include "messages/values/errors.hpp"
#include "messages/values/types.hpp"

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::sources {

/// What one step of a walk meets.
struct met_entry {
  enum class kind : std::uint8_t {
    nothing, ///< a folder, or what does not count
    file,
    too_long, ///< its path; below such a folder nothing is looked at
    end,
  };

  kind is = kind::nothing;
  std::string path;             ///< below the folder
  std::uint64_t size = 0;       ///< file: bytes
  std::int64_t modified_us = 0; ///< file: since 1970, may be negative
};

/// Keeps the names of the folders on the way to where it stands, at most
/// `names_max` of each at a time. A folder that is gone is passed over, unless
/// it is the first.
class folder_walk {
public:
  static constexpr std::size_t names_max_usual = 65'536;

  /// Says from time to time whether to go on.
  using checkpoint = std::function<caf::error()>;

  /// Begins with the first path behind `behind`. Touches nothing yet. `root`:
  /// absolute, without a slash at its end (but for "/").
  folder_walk(std::string root, std::string behind,
              std::size_t names_max = names_max_usual);

  /// Goes on by one entry. `ec::not_found`: the folder is not there;
  /// `ec::store_failed`: it, or something below it, cannot be read; or what the
  /// checkpoint says. After an error the walk is over.
  caf::expected<met_entry> step(const checkpoint& check);

private:
  /// The names in one folder behind which something may still come.
  struct level {
    std::string prefix;             ///< path of the folder with its slash
    std::vector<std::string> names; ///< in order; those of folders with a slash
    std::size_t at = 0;
    bool more = false; ///< there are others behind these
  };

  caf::error open_root(const checkpoint& check);
  caf::expected<met_entry> end() const;
  caf::error enter(std::string prefix, const checkpoint& check);
  caf::error fill(level& to, std::string_view last, const checkpoint& check);
  bool wanted(std::string_view path, std::string_view last) const;
  caf::expected<met_entry> look_at(std::string path) const;
  std::string place_of(std::string_view path) const;

  std::string root_;
  std::string behind_;
  std::size_t names_max_;
  std::string real_root_; ///< without links
  dev_t device_ = 0;      ///< of the root, as it was opened
  ino_t number_ = 0;
  bool begun_ = false;
  std::vector<level> levels_;
};

} // namespace depositd::sources
