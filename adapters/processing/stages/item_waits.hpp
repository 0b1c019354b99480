#pragma once

// Items that wait for something that another handler of this process ends,
// such as a lock: whoever ends it has them handed out at once. What ends in
// another process they notice when they are handed out anyhow.

#include "messages/processors.hpp"
#include "messages/work.hpp"

#include <cstddef>
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

  explicit item_waits(std::function<void(wake_items)> wake);

  /// Before the item is said to be "not yet". Beyond `count_max` nothing is
  /// noted.
  void wait(const std::string& for_what, const handle_item& x);

  /// Wakes the first few that wait for each of these. Only one can have it, so
  /// the others wait on; and if none of the few wants it any more, somebody
  /// asks again by itself before long.
  void ended(const std::vector<std::string>& what);

private:
  struct waiter {
    std::string user;
    std::string queue;
  };

  const std::function<void(wake_items)> wake_;
  std::mutex mutex_;
  std::map<std::string, std::map<item_id, waiter>> waiting_; ///< by what
  std::size_t count_ = 0;
};

} // namespace depositd::stages
