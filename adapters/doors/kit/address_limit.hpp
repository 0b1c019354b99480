#pragma once

// How many connections one holder of addresses may have at a door.

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace depositd::kit {

/// Counts by `holder_of`: an IPv6 client has a whole network of addresses, and
/// no more places for it. Any thread.
class address_limit {
public:
  /// Counts one until it goes; the limit must outlive it.
  class place {
  public:
    place() = default;
    place(address_limit& of, std::string holder);
    place(place&& other) noexcept;
    place& operator=(place&& other) noexcept;
    ~place();

  private:
    address_limit* of_ = nullptr; ///< null: counts nothing
    std::string holder_;
  };

  /// 0: no limit. Before the first comes.
  void set(std::uint32_t most) {
    max_ = most;
  }

  /// Whether one more may come from there.
  bool has_room(const std::string& address) const;

  /// One has come.
  place enter(const std::string& address);

private:
  std::uint32_t max_ = 0;
  mutable std::mutex guard_;
  std::unordered_map<std::string, std::uint32_t> holders_;
};

} // namespace depositd::kit
