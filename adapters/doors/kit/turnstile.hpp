#pragma once

// How many connections may be there. A decision without a socket: whoever
// counts here closes what it is told to close.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace depositd::kit {

/// Those that have shaken hands, or whatever it is that strangers do not do,
/// are finished.
struct arrival_limits {
  std::uint32_t connections_max = 2'000; ///< that are finished
  std::uint32_t connections_per_address_max = 256;
  std::uint32_t unfinished_max = 512;
  std::uint32_t unfinished_per_address_max = 32;
  std::chrono::milliseconds handshake{10'000}; ///< until it must be finished

  friend bool operator==(const arrival_limits&,
                         const arrival_limits&) = default;
};

/// Of a numeric address, the part that one holder has to itself: an IPv4
/// address, the first half of an IPv6 one.
std::string holder_of(const std::string& address);

/// Counts connections from outside. One thread.
class turnstile {
public:
  using id = std::uint64_t;
  using time_point = std::chrono::steady_clock::time_point;

  /// Whoever opens several connections at once has most of them for a moment:
  /// so long nobody goes for others', as long as somebody else has had longer.
  static constexpr std::chrono::milliseconds grace{500};

  explicit turnstile(const arrival_limits& limits);

  /// One comes, with an id of its own, and tells who has to go if there is one
  /// too many: the oldest unfinished one of the same holder, or of whoever has
  /// most of them and has had their `grace`, or of all who have their share of
  /// them. Handshakes take moments, so those who want to finish do, and those
  /// who have many make room for those who have few.
  std::optional<id> enter(id who, const std::string& holder, time_point now);

  /// It has shaken hands; false: one too many, it has to go.
  bool finish(id who);

  /// It was told to go and has until the deadline to take what was sent to it.
  void closing(id who, time_point now);

  void leave(id who);

  /// Those whose time is up, each told once.
  std::vector<id> overdue(time_point now);

  std::size_t unfinished() const {
    return unfinished_;
  }

  std::size_t finished() const {
    return places_.size() - unfinished_;
  }

private:
  struct place {
    std::string holder;
    time_point until;
    bool finished = false;
    bool limited = true; ///< `until` holds
  };

  struct holding {
    std::set<id> unfinished;
    std::uint32_t finished = 0;
  };

  id to_make_room(time_point now) const;
  void limit(id who, place& at, time_point until);
  void unlimit(id who, place& at);
  /// The same, as the order of who has most knows it.
  void reorder(const std::string& holder, std::size_t before);
  void forget_unfinished(id who, const std::string& holder);
  void drop_if_empty(const std::string& holder);

  arrival_limits limits_;
  std::map<id, place> places_;
  std::map<std::string, holding> holders_;
  std::set<std::pair<std::size_t, std::string>> by_unfinished_;
  std::set<std::pair<time_point, id>> deadlines_;
  std::size_t unfinished_ = 0;
};

} // namespace depositd::kit
