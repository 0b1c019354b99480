#pragma once

namespace depositd {

/// ThreadSanitizer makes `vfork` a `fork`: what a child could not do before it
/// became another program is not seen by its parent.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool vfork_shares_memory = false;
#else
inline constexpr bool vfork_shares_memory = true;
#endif

} // namespace depositd
