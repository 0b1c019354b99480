#pragma once

// Several digests of one file after the other, in one reading of each.

#include "adapters/digests/digester.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace depositd::bagit {

inline constexpr std::size_t algorithms_max = 9;
static_assert(static_cast<std::size_t>(digest_algorithm::sha224) + 1
              == algorithms_max);

/// Puts an algorithm into a list that has each once.
inline void add_algorithm(std::vector<digest_algorithm>& to,
                          digest_algorithm x) {
  for (const auto known : to)
    if (known == x)
      return;
  to.push_back(x);
}

class digest_run {
public:
  /// A new file. Digesters are kept from file to file: making one costs more
  /// than most files of a bag do.
  void begin(std::vector<digest_algorithm> algorithms) {
    running_ = std::move(algorithms);
    for (const auto algorithm : running_) {
      auto& kept = kept_[static_cast<std::size_t>(algorithm)];
      if (kept)
        kept->restart();
      else
        kept.emplace(algorithm);
    }
  }

  void add(std::string_view bytes) {
    for (const auto algorithm : running_)
      kept_[static_cast<std::size_t>(algorithm)]->add(bytes);
  }

  std::vector<digest> finish() {
    std::vector<digest> out;
    out.reserve(running_.size());
    for (const auto algorithm : running_)
      out.push_back(kept_[static_cast<std::size_t>(algorithm)]->finish());
    running_.clear();
    return out;
  }

private:
  std::array<std::optional<digester>, algorithms_max> kept_;
  std::vector<digest_algorithm> running_;
};

} // namespace depositd::bagit
