#pragma once

#include "messages/values/types.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>

namespace depositd::kit {

/// Slows down who guesses passwords: after too many failures of a user from an
/// address within a minute, further logins of the two are refused unchecked.
/// Others are not affected.
class login_throttle {
public:
  static constexpr std::uint32_t failures_max = 20;
  /// From so many on not even a login that was right there before gets in.
  static constexpr std::uint32_t misses_max = 100;
  static constexpr micros window_us = 60'000'000;
  static constexpr std::size_t bytes_max = std::size_t{16} << 20;

  /// What a user may try from an address.
  enum class standing : std::uint8_t {
    open,
    limited, ///< only what is known to be right there
    closed,
  };

  standing of(const std::string& user, const std::string& peer,
              micros now) const;

  /// Whether a login may be checked now; if so, it counts as one that may fail
  /// until it is said how it ended.
  bool begin(const std::string& user, const std::string& peer, micros now);

  void failed(const std::string& user, const std::string& peer);
  void succeeded(const std::string& user, const std::string& peer);

  /// Nothing was found out.
  void gave_up(const std::string& user, const std::string& peer);

  /// One was refused unchecked; it counts too.
  void missed(const std::string& user, const std::string& peer);

  /// What is kept takes about so much.
  std::size_t bytes() const noexcept {
    return bytes_;
  }

private:
  struct entry {
    std::uint32_t failures = 0;
    std::uint32_t running = 0;
    micros since_us = never;
  };

  void count(const std::string& user, const std::string& peer);
  static std::size_t bytes_of(const std::string& key);
  template <class F>
  void forget(F which);
  void make_room(std::size_t bytes, micros now);

  std::unordered_map<std::string, entry> entries_;
  std::size_t bytes_ = 0;
};

} // namespace depositd::kit
