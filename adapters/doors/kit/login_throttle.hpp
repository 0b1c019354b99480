#pragma once

#include "messages/values/types.hpp"

#include <string>
#include <unordered_map>

namespace depositd::kit {

/// Slows down who guesses passwords: after too many failures of a user from an
/// address within a minute, further logins of the two are refused unchecked.
/// Others are not affected.
class login_throttle {
public:
  static constexpr std::uint32_t failures_max = 20;
  static constexpr micros window_us = 60'000'000;
  static constexpr std::size_t entries_max = 100'000;

  /// Whether a login may be checked now; if so, it counts as one that may fail
  /// until it is said how it ended.
  bool begin(const std::string& user, const std::string& peer, micros now);

  void failed(const std::string& user, const std::string& peer);
  void succeeded(const std::string& user, const std::string& peer);

  /// Nothing was found out.
  void gave_up(const std::string& user, const std::string& peer);

private:
  struct entry {
    std::uint32_t failures = 0;
    std::uint32_t running = 0;
    micros since_us = never;
  };

  void forget_old(micros now);

  std::unordered_map<std::string, entry> entries_;
};

} // namespace depositd::kit
