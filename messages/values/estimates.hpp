#pragma once

// Whose job comes first, and for which there is room.

#include "messages/values/types.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace depositd {

inline constexpr std::uint8_t priority_last = 99;

/// Of every job in a batch of so many: small deposits overtake bulk loads.
/// What the collection says wins.
std::uint8_t first_priority(std::uint64_t jobs,
                            std::optional<std::uint8_t> of_collection);

/// Jobs of at least so many bytes wait longer.
struct size_penalty {
  std::uint64_t bytes_min = 0;
  std::uint32_t penalty = 0;
};

struct estimate_rules {
  std::uint32_t unknown_penalty = 10;
  std::vector<size_penalty> sizes; ///< the largest that applies counts
};

inline constexpr std::int64_t unknown_space = -1;

/// What was learnt of the rows of one payload.
struct measured_sizes {
  std::uint64_t bytes = 0; ///< of the rows that told
  std::uint64_t known = 0;
  std::uint64_t unknown = 0; ///< rows that did not
};

struct job_estimate {
  std::int64_t space_needed = unknown_space; ///< bytes; 0: really empty
  bool at_least = false;                     ///< some rows did not tell
  std::uint8_t priority = 0;

  friend bool operator==(const job_estimate&, const job_estimate&) = default;
};

/// `first` is the priority that the job began with, never one that was
/// estimated: so a penalty is paid once, however often this runs. Only a size
/// that is not known at all has the penalty for it.
job_estimate estimate(const estimate_rules& by, std::uint8_t first,
                      const measured_sizes& sizes);

/// After the download: what was really there.
job_estimate measured(const estimate_rules& by, std::uint8_t first,
                      std::uint64_t bytes);

/// The disk of the working folder, bytes.
struct disk_space {
  std::uint64_t total = 0;
  std::uint64_t free = 0;
};

struct provision_rules {
  std::uint64_t free_min = 0; ///< bytes that stay free
  std::uint32_t used_percent_max = 100;
};

/// Whether a job of this size may fill the disk, if `promised` bytes belong to
/// jobs that were let in and have not yet arrived.
bool has_room(const provision_rules& by, const disk_space& disk,
              std::uint64_t promised, std::int64_t space_needed);

} // namespace depositd
