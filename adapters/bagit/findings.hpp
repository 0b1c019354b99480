#pragma once

// What is wrong with a bag, and what is only odd.

#include "adapters/bagit/finding_codes.hpp"
#include "messages/values/errors.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::bagit {

using depositd::render; // of errors

struct finding {
  finding_code code = finding_code::unreadable;
  std::string file; ///< inside the bag, or the archive's; empty: the whole bag
  std::string text; ///< a sentence for people

  friend bool operator==(const finding&, const finding&) = default;
};

/// "missing_file data/x.txt: is in manifest-md5.txt, but not in the bag".
std::string render(const finding& x);

/// Keeps the first of them and counts the others, so that a bag of a million
/// faults costs no more than one of a hundred.
class finding_list {
public:
  static constexpr std::size_t kept_max = 100;
  static constexpr std::size_t file_bytes_max = 1'024;
  static constexpr std::size_t text_bytes_max = 1'024;

  /// Longer names and texts are cut.
  void add(finding_code code, std::string_view file, std::string_view text);

  bool empty() const {
    return kept_.empty();
  }

  /// The first hundred.
  const std::vector<finding>& kept() const {
    return kept_;
  }

  /// With those that are not kept.
  std::uint64_t count() const {
    return count_;
  }

  bool has(finding_code code) const;

private:
  std::vector<finding> kept_;
  std::uint64_t count_ = 0;
};

} // namespace depositd::bagit
