#pragma once

// Records that wait, first in, first out, each key once. A duplicate is dropped
// and does not move the one that waits.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace depositd::rules {

/// A record as it waits; views into the set, valid until the set is changed.
struct waiting_record {
  std::string_view key;
  std::string_view user;
  std::string_view body;
  std::uint64_t tag = 0; ///< the owner's, of no meaning here
};

/// A record that was taken out.
struct taken_record {
  std::string key;
  std::string user;
  std::string body;
  std::uint64_t tag = 0;

  friend bool operator==(const taken_record&, const taken_record&) = default;
};

/// Every call is O(1) but for those that say otherwise. A record takes at most
/// 200 bytes and its own.
class fifo_set {
public:
  /// False, and nothing changes, if the key waits already.
  bool add(const waiting_record& x);

  bool contains(std::string_view key) const noexcept;
  std::optional<waiting_record> find(std::string_view key) const noexcept;

  /// False if the key does not wait.
  bool remove(std::string_view key);

  /// The one that came first, of those that are not set aside.
  std::optional<waiting_record> front() const noexcept;
  std::optional<taken_record> pop();

  /// All that wait, those that are set aside too.
  std::size_t size() const noexcept {
    return used_;
  }
  /// Those that `pop` would give.
  std::size_t ready() const noexcept {
    return line_.size;
  }

  // -- records whose user may not have more for now

  /// Sets the first one aside, behind those of its user that are.
  void set_aside();
  /// How many of a user are set aside.
  std::size_t aside(std::string_view user) const noexcept;
  /// Puts at most `count` that were set aside first before all others, as they
  /// stood. O(count). Returns how many.
  std::size_t bring_back(std::string_view user, std::size_t count);

  void clear();

private:
  static constexpr std::uint32_t none = 0xffff'ffff;

  struct node {
    std::unique_ptr<char[]> bytes; ///< key, user, body
    std::uint64_t tag = 0;
    std::uint32_t key = 0; ///< bytes of it
    std::uint32_t user = 0;
    std::uint32_t body = 0;
    std::uint32_t hash = 0;
    std::uint32_t prev = none; ///< free nodes: not used
    std::uint32_t next = none;
    bool aside = false;
  };
  struct line {
    std::uint32_t head = none;
    std::uint32_t tail = none;
    std::size_t size = 0;
  };

  waiting_record view(std::uint32_t at) const noexcept;
  std::size_t place_of(std::string_view key, std::uint32_t hash) const noexcept;
  void append(line& to, std::uint32_t at);
  void unlink(line& from, std::uint32_t at);
  void grow();
  void unindex(std::uint32_t at);
  void drop(std::uint32_t at);

  std::deque<node> nodes_; ///< stays where it is while it grows
  std::vector<std::uint32_t> table_;
  std::uint32_t free_ = none;
  std::size_t used_ = 0;
  line line_;
  std::unordered_map<std::string, line> aside_;
};

} // namespace depositd::rules
