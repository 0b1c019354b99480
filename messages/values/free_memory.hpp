#pragma once

// The allocator keeps what a thread has freed, and what others have freed of a
// thread's, until that thread allocates again. After a flood nobody does.

#include <cstdint>

namespace depositd {

/// Asks every thread that comes by to give back what it does not use.
void ask_to_free_memory() noexcept;

/// Gives back what this thread does not use, if it has been asked since it did
/// so last; for threads to call where they have nothing else to do. Cheap.
void free_memory_if_asked() noexcept;

} // namespace depositd
