#pragma once

#include <cstddef>
#include <future>
#include <thread>
#include <vector>

namespace depositd {

/// Throws `std::system_error` while the machine has not so many threads for us.
/// Is asked before actors are spawned that have one of their own each: CAF
/// 0.17.6 counts such an actor before it finds out, and waits for it at the
/// end.
inline void look_for_threads(std::size_t count) {
  std::vector<std::jthread> all;
  std::promise<void> end; // goes first, which is what they wait for
  const auto ended = end.get_future().share();
  for (std::size_t i = 0; i < count; ++i)
    all.emplace_back([ended] { ended.wait(); });
}

inline void look_for_thread() {
  look_for_threads(1);
}

} // namespace depositd
