#pragma once

// Files on their way to the engine, and the bar that shows how far they are.

#include "messages/values/errors.hpp"

#include <cstddef>
#include <iosfwd>
#include <string>

namespace depositd::shell {

inline constexpr std::size_t submit_bytes_max = 10 * 1024 * 1024;

/// The bytes of a regular file. `ec::not_found`, `ec::too_large`, or
/// `ec::malformed` for an empty one; the text names the file.
caf::expected<std::string> read_file(const std::string& path);

/// One line that is drawn again and again: "[####----] 4/10 a.xml".
class progress_bar {
public:
  /// Draws nothing unless `draws`.
  progress_bar(std::ostream& to, std::size_t total, bool draws);

  /// Removes what is drawn.
  ~progress_bar();

  void show(std::size_t done, const std::string& what);

  /// Removes the bar until the next `show`, so that a line can be printed.
  void clear();

private:
  std::ostream& to_;
  std::size_t total_;
  bool draws_;
};

} // namespace depositd::shell
