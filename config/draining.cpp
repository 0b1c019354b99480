#include "config/draining.hpp"

#include "messages/processors.hpp"

#include <caf/scoped_actor.hpp>

#include <spdlog/spdlog.h>

namespace depositd {

bool is_drained(caf::actor_system& system,
                const processor_manager_actor& processors,
                std::chrono::milliseconds within) {
  caf::scoped_actor self{system};
  bool out = false;
  self
    ->request(processors, within + std::chrono::seconds{1},
              drain{static_cast<std::uint32_t>(within.count())})
    .receive([&](const done&) { out = true; },
             [](const caf::error& why) {
               spdlog::warn("drain_incomplete reason=\"{}\"", render(why));
             });
  return out;
}

} // namespace depositd
