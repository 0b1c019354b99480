#include "adapters/sources/records/interruption.hpp"

#include <string>

#include <sys/eventfd.h>

namespace depositd::sources {

interruption::interruption() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  // nop
}

void interruption::begin() {
  const std::lock_guard lock{guard_};
  eventfd_t seen = 0;
  ::eventfd_read(wake_.value(), &seen); // of an earlier call, if any
  cancelled_ = false;
  under_way_ = true;
}

void interruption::end() {
  const std::lock_guard lock{guard_};
  under_way_ = false;
}

void interruption::cancel() noexcept {
  const std::lock_guard lock{guard_};
  if (!under_way_)
    return;
  cancelled_ = true;
  ::eventfd_write(wake_.value(), 1);
}

caf::error was_cancelled() {
  return caf::make_error(ec::store_failed, "was cancelled");
}

caf::error took_too_long(std::chrono::milliseconds timeout) {
  return caf::make_error(ec::store_failed, "took longer than "
                                             + std::to_string(timeout.count())
                                             + " ms");
}

} // namespace depositd::sources
