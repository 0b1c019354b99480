#pragma once

// Port: where an institution puts its bags. Adapters:
// adapters/stores/receiving; all pass tests/contract/receiving_suite.hpp.

#include "messages/values/errors.hpp"
#include "messages/values/types.hpp"
#include "messages/values/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace depositd {

/// A bag that waits there.
struct received_bag {
  std::string name; ///< "photos.tar"
  std::string etag; ///< other bytes have another one
  std::uint64_t bytes = 0;
  micros modified_us = never; ///< when it was put there; never: not known

  friend bool operator==(const received_bag&, const received_bag&) = default;
};

/// Every function may be called from any thread; all of them block on I/O.
/// Errors: `ec::not_found` where it is said, else `ec::store_failed`.
class receiving_place {
public:
  virtual ~receiving_place() = default;

  /// All tarred bags in any order, some at a time and without a bound; an error
  /// of `take` ends it. What is still being written is left out as far as that
  /// can be seen.
  virtual caf::error
  each(const std::function<caf::error(const received_bag&)>& take) = 0;

  /// Names of what the last `each` has passed over because it is no bag and
  /// never becomes one, as they are; the first so many. What begins with a dot
  /// is of programs.
  virtual std::vector<std::string> passed_over() {
    return {};
  }
  static constexpr std::size_t passed_over_max = 100;

  /// What is there under the name now. `ec::not_found`.
  virtual caf::expected<received_bag> look(const std::string& name) = 0;

  /// Where it can be read in place; nothing if it has to be fetched.
  virtual std::optional<std::filesystem::path>
  path_of(const std::string& name) = 0;

  /// Streams it into a file that is not there yet, durably; no file if that
  /// fails. `ec::not_found`.
  virtual caf::error fetch(const std::string& name,
                           const std::filesystem::path& to) = 0;

  /// Takes it away if it still has this tag; false: it has another one.
  /// Nothing there is done.
  virtual caf::expected<bool> remove(const std::string& name,
                                     const std::string& etag) = 0;
};

/// Whether a bag may be called so: one part of a path, which ends in ".tar".
inline bool legal_bag_name(const std::string& name) {
  const auto is_bad = [](unsigned char c) {
    return c < 0x20 || c == 0x7f || c == '/' || c == '\\';
  };
  return name.size() > 4 && name.size() <= 255 && name.ends_with(".tar")
         && name.front() != '.'
         && std::none_of(name.begin(), name.end(), is_bad)
         && find_invalid_utf8(name) == std::string_view::npos;
}

} // namespace depositd
