#pragma once

// Who gets how many of the files that this process may have open. One rule for
// all doors, so that what strangers can take never adds up to all there are.

#include "config/settings.hpp"

#include <cstdint>

namespace depositd {

/// Connections of each door at once.
struct descriptor_shares {
  std::uint32_t http = 0;
  std::uint32_t admin = 0;
  std::uint32_t node = 0;            ///< that have shaken hands
  std::uint32_t node_unfinished = 0; ///< that have not
  std::uint32_t nsq = 0;             ///< that speak its protocol
  std::uint32_t nsq_unfinished = 0;  ///< that have not said so yet
  std::uint32_t nsq_http = 0;

  friend bool operator==(const descriptor_shares&,
                         const descriptor_shares&) = default;
};

/// What the settings ask for if there are so many, or as many as can be had.
/// Some are held back: the journal can always open its next segment.
descriptor_shares share_descriptors(std::uint64_t limit,
                                    const depositd_settings& settings);

/// By this process's own limit.
descriptor_shares descriptor_shares_of(const depositd_settings& settings);

/// As high as this process may. At start.
void raise_descriptor_limit();

} // namespace depositd
