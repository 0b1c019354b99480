#pragma once

// Settings of places for objects, and of orders about what is there.

#include "config/place_settings.hpp"
#include "messages/values/reconcilers.hpp"

#include <cstdint>
#include <string>

namespace depositd {

enum class storage_kind : std::uint8_t { folder, s3 };

/// A place where objects are kept for good.
struct storage_settings {
  storage_kind kind = storage_kind::folder;
  std::string path; ///< folder; `local` without one: DATA/objects
  s3_settings s3;
  bool cold = false; ///< has to be asked for what it keeps before it is read

  friend bool operator==(const storage_settings&,
                         const storage_settings&) = default;
};

/// Of orders about what is stored.
struct order_settings {
  std::uint32_t fixity_age_days = 90; ///< what was compared later is not due
  std::uint32_t recalled_days = 10;   ///< that cold storage keeps it at hand

  friend bool operator==(const order_settings&,
                         const order_settings&) = default;
};

/// A request that was approved is queued by whoever approved it; this is for
/// those that were not.
inline reconciler_settings missed_deletions() {
  reconciler_settings out;
  out.name = "deletions";
  out.every_s = 60;
  out.query = due_query::deletions_missed;
  return out;
}

} // namespace depositd
