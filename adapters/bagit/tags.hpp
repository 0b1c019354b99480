#pragma once

// Files of tags: "Label: value", as bag-info.txt has them.

#include <string>
#include <string_view>
#include <vector>

namespace depositd::bagit {

/// UTF-8, without the white space around; continued lines are joined by a
/// space.
struct tag {
  std::string label;
  std::string value;

  friend bool operator==(const tag&, const tag&) = default;
};

/// A file of tags that was read.
struct tag_file {
  std::string path; ///< "bag-info.txt", "aptrust-info.txt"
  std::vector<tag> tags;
};

/// Values of a label, in order; case does not matter.
std::vector<std::string> values_of(const std::vector<tag>& tags,
                                   std::string_view label);

/// The first of them, or nothing.
std::string value_of(const std::vector<tag>& tags, std::string_view label);

} // namespace depositd::bagit
