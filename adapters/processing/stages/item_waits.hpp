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

  /// Wakes those that wait for one of these.
  void ended(const std::vector<std::string>& what);

private:
  struct waiter {
    std::string user;
    std::string queue;
    item_id id = 0;
  };

  const std::function<void(wake_items)> wake_;
  std::mutex mutex_;
  std::multimap<std::string, waiter> waiting_;
};

} // namespace depositd::stages
