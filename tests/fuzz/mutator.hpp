#pragma once

// Makes new bytes of old ones, the same ones of the same seed on any machine.

#include "tests/support/chance.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace depositd::fuzz {

class mutator {
public:
  mutator(std::uint64_t seed, std::vector<std::string> corpus,
          std::size_t bytes_max);

  /// The next bytes; the first are the corpus itself.
  const std::string& next();

  /// How many it has made.
  std::uint64_t made() const {
    return made_;
  }

private:
  std::size_t below(std::size_t n);
  void change(std::string& x);
  void insert(std::string& x);
  void splice(std::string& x);

  testing::chance chance_;
  std::vector<std::string> corpus_;
  std::size_t bytes_max_;
  std::uint64_t made_ = 0;
  std::string current_;
};

} // namespace depositd::fuzz
