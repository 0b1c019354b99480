#include "messages/values/free_memory.hpp"

#include <atomic>
#include <malloc.h>

// Of mimalloc, where that is linked.
extern "C" void mi_collect(bool force) __attribute__((weak));

namespace depositd {

namespace {

std::atomic<std::uint64_t> times_asked{0};

} // namespace

void ask_to_free_memory() noexcept {
  times_asked.fetch_add(1, std::memory_order_relaxed);
}

void free_memory_if_asked() noexcept {
  static thread_local std::uint64_t times_done = 0;
  const auto asked = times_asked.load(std::memory_order_relaxed);
  if (asked == times_done)
    return;
  times_done = asked;
  if (mi_collect != nullptr)
    mi_collect(true);
  else
    malloc_trim(0);
}

} // namespace depositd
