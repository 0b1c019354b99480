#pragma once

// What is known of checks of stored files.

#include "messages/values/types.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace depositd {

/// A file of the last version of an object, and when it was compared last: when
/// it was stored, unless that was later.
struct checked_file {
  std::string object;
  std::string path;
  std::string owner;
  std::string collection;
  micros checked_us = never; ///< never: nobody knows
  std::string sha512 = {};   ///< of the inventory; of one file alone

  friend bool operator==(const checked_file&, const checked_file&) = default;
};

/// What is due.
struct fixity_query {
  micros checked_before_us = never;
  /// Objects that are in these targets alone are not due: nothing is read there
  /// without being asked for.
  std::vector<std::string> cold;
  std::vector<std::string> collections_but; ///< not of these
  std::vector<std::string> owners;          ///< of these; empty: of all
  std::vector<std::string> collections;     ///< likewise
  checked_file after; ///< only what comes behind this, by time, object, path
  std::uint32_t count_max = 2'500;
};

/// An object that may be restored to see whether that goes well.
struct spot_candidate {
  std::string object;
  std::string owner;
  std::string collection;
  std::uint64_t bytes = 0; ///< of its last version

  friend bool operator==(const spot_candidate&,
                         const spot_candidate&) = default;
};

} // namespace depositd
