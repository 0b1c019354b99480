#pragma once

// What the process may take of the machine's memory, and its last words if that
// is not enough.

#include "config/settings.hpp"
#include "messages/values/memory_budget.hpp"

#include <cstdint>

namespace depositd {

/// What limits the process, in bytes; `no_size_limit` where nothing does.
struct memory_limits {
  std::uint64_t machine = no_size_limit;   ///< its own memory, or a cgroup's
  std::uint64_t addresses = no_size_limit; ///< `ulimit -v`
};

memory_limits find_memory_limits();

/// The budget that the settings ask for; where they leave it to us, no more
/// than the process can have.
memory_budget::limits budget_of(const memory_settings& settings,
                                const memory_limits& given);

/// Before any thread is started: an allocation that fails is an exception, an
/// exception that nobody takes is a line on standard error, and threads do not
/// reserve more for their stacks than they need.
void prepare_for_little_memory();

/// Has memory given back after it was much used; to be told every second or so
/// how much is in use.
class memory_watch {
public:
  void look(std::uint64_t used) noexcept;

private:
  std::uint64_t highest_ = 0; ///< since memory was last asked back
  unsigned asks_left_ = 0;
};

} // namespace depositd
