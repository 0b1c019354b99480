#pragma once

// Bodies that several live items refer to, such as copies of a message in the
// channels of a topic, so that whoever adds up bytes counts each once.

#include "messages/values/types.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>

namespace depositd::rules {

/// Takes what the tables have, user by user, then slice by slice. Remembers
/// only what is shared, and the places of one user or slice: it must not cost
/// as much as all that lives.
class shared_places {
public:
  /// What is added from now on is of another user, or of the next slice.
  void begin_part();

  /// A live item has its body there. True if no other one has.
  bool add(const body_location& x);

  /// An item has its body there no longer. True if none has.
  bool drop(const body_location& x);

  /// Places that several items have.
  std::size_t size() const {
    return others_.size();
  }

  /// The tables have been taken: what is in groups that were seen by now is
  /// referred to already, whenever it comes again.
  void end_tables() {
    slices_ = true;
  }

private:
  struct hash {
    std::size_t operator()(const body_location& x) const noexcept {
      return std::hash<std::uint64_t>{}((x.group << 24) ^ x.offset);
    }
  };

  bool slices_ = false;
  std::uint64_t group_max_ = 0;    ///< of all that was added
  std::uint64_t group_before_ = 0; ///< the same, before this part
  std::unordered_set<body_location, hash> part_;
  /// Items at a place beyond the first one; none is zero.
  std::unordered_map<body_location, std::uint32_t, hash> others_;
};

} // namespace depositd::rules
