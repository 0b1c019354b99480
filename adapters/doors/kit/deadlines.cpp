#include "adapters/doors/kit/deadlines.hpp"

#include <vector>

namespace depositd::kit {

deadlines::deadlines(loop& where, std::chrono::milliseconds tick)
  : where_(where), tick_(tick) {
  where_.post([this] { look(); });
}

void deadlines::look() {
  const auto now = where_.now();
  std::vector<timed*> late;
  for (auto* x : open_)
    if (x->deadline <= now)
      late.push_back(x);
  for (auto* x : late) {
    // One of those before it may have ended it.
    if (open_.count(x) == 0)
      continue;
    x->deadline = loop::time::max();
    x->expire();
  }
  where_.post_at(now + tick_, [this] { look(); });
}

} // namespace depositd::kit
