#pragma once

// Items that wait for something that another handler of this process ends,
// such as a lock: whoever ends it has them handed out at once. What ends in
// another process they notice when they are handed out anyhow.

#include "messages/processors.hpp"
#include "messages/work.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace depositd::stages {

/// May be used from several threads.
class item_waits {
public:
  static constexpr std::size_t count_max = 100'000;

  /// Of what is ending, as many as are remembered.
  static constexpr std::size_t endings_max = 10'000;

  /// So often whoever waits for what is ending asks again, each round of all
  /// that are woken at once after twice as long: for half a minute, if it is
  /// one.
  static constexpr std::uint32_t asks_max = 24;
  static constexpr std::uint32_t first_ask_ms = 100;

  explicit item_waits(std::function<void(wake_items)> wake);

  /// Before the item is said to be "not yet". Beyond `count_max` nothing is
  /// noted. After how many ms it should ask again by itself, because what it
  /// waits for is ending; 0: whenever its stage says.
  std::uint32_t wait(const std::string& for_what, const handle_item& x);

  /// Wakes the first few that wait for each of these. Only one can have it, so
  /// the others wait on; and if none of the few wants it any more, somebody
  /// asks again by itself before long.
  void ended(const std::vector<std::string>& what);

  /// The same for what has ended, but is not known to have: a handler says so
  /// before its outcome is durable, and whoever is woken asks the read model.
  void ending(const std::string& what);

private:
  void note_ending(const std::string& what);

  struct waiter {
    std::string user;
    std::string queue;
  };

  const std::function<void(wake_items)> wake_;
  std::mutex mutex_;
  std::map<std::string, std::map<item_id, waiter>> waiting_; ///< by what
  std::size_t count_ = 0;
  /// How often somebody has asked since; the oldest are forgotten.
  std::map<std::string, std::uint32_t> endings_;
  std::deque<std::string> ending_order_;
};

} // namespace depositd::stages
