#pragma once

// Text for terminals: nothing that came from users may steer one.

#include <string>
#include <string_view>
#include <vector>

namespace depositd::shell {

/// The text with control characters, bytes that are no UTF-8, and marks that
/// turn the direction of writing, shown as \n, \x1b, \u{202e}.
std::string escaped(std::string_view text);

/// How many columns a terminal needs for it, roughly: code points.
std::size_t width_of(std::string_view text);

/// Columns that line up. Cells are escaped here.
class table {
public:
  /// Titles; one that begins with '>' is for a column of numbers.
  explicit table(std::vector<std::string> titles);

  void add(std::vector<std::string> cells);

  /// Ends with a newline; without rows only the titles.
  std::string text() const;

private:
  std::vector<std::string> titles_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

/// "name:  value" lines that line up.
std::string
pairs(const std::vector<std::pair<std::string, std::string>>& entries);

} // namespace depositd::shell
