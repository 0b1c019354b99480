#pragma once

// The ids under which users have handed in deposits lately, so that the same
// deposit coming twice is taken once. By digest: an id may be long.

#include "messages/values/types.hpp"
#include "messages/values/work.hpp"

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace depositd::rules {

class recent_ids {
public:
  enum class answer : std::uint8_t { fresh, repeated, other_content };

  /// Ids are known for this long, but no more of them than `count_max` (40
  /// bytes each): the oldest go first.
  recent_ids(micros kept_us, std::size_t count_max)
    : kept_us_(kept_us), count_max_(count_max) {
    // nop
  }

  /// Takes an id in, unless it is known. The content is told by its size and
  /// its digest; 0: not known, as of what was deposited under a version that
  /// kept none.
  answer see(std::string_view user, std::string_view id, std::uint64_t size,
             std::uint64_t digest, micros now);

  /// Forgets the last so many ids that came fresh, as if they never had.
  void take_back(std::size_t count);

  std::size_t size() const noexcept {
    return known_.size();
  }

private:
  struct content {
    std::uint64_t size = 0;
    std::uint64_t digest = 0;
  };

  struct key {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    friend bool operator==(const key&, const key&) = default;
  };

  struct key_hash {
    std::size_t operator()(const key& x) const noexcept {
      return x.low;
    }
  };

  static key key_of(std::string_view user, std::string_view id);
  void forget_old(micros now);

  micros kept_us_;
  std::size_t count_max_;
  std::unordered_map<key, content, key_hash> known_;
  std::deque<std::pair<micros, key>> order_; ///< oldest first
};

/// Under what id and of what size a batch is taken for a deposit here: no
/// deposit has such an id, and the size says what the read model knows of the
/// batch.
std::string id_of(const batch_info& x);
std::uint64_t size_of(const batch_info& x);

} // namespace depositd::rules
