#pragma once

// Where depositors reach the doors, for those who are called back with it.

#include "config/settings.hpp"

#include <memory>
#include <mutex>
#include <string>

namespace depositd {

/// Used from any thread.
class public_address {
public:
  explicit public_address(const depositd_settings& settings);

  /// The doors are open at "HOST:PORT", which says more than the settings where
  /// these want any free port.
  void opened(const std::string& at);

  /// "https://HOST[:PORT]"; empty as long as the port is not known.
  std::string url() const;

private:
  const std::string told_;  ///< by the settings; empty: as the doors are open
  const std::string scheme_;
  mutable std::mutex guard_; ///< held for moments
  std::string at_;
};

using public_address_ptr = std::shared_ptr<const public_address>;

} // namespace depositd
