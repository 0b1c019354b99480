#pragma once

// What very many items need and this machine is not: a bucket, a minter. While
// such a service is away that is no fault of any item.

#include "adapters/processing/stages/stage_tools.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace depositd::stages {

struct shared_service_options {
  std::string name; ///< for people: that of its settings
  /// Blocks for some seconds at most. Says why the service as a whole cannot
  /// be used; none: whatever it refuses, it refuses that alone.
  std::function<caf::error()> ask;
  /// While it is away it is asked again after so long at the earliest.
  std::chrono::milliseconds pause{5'000};
  std::function<std::chrono::steady_clock::time_point()> now =
    std::chrono::steady_clock::now;
};

/// Whether a service is away, for several threads at once. The log is told
/// once that it is (`service_away`) and once that it is back (`service_back`).
class shared_service {
public:
  explicit shared_service(shared_service_options options);

  /// Of what is known: nobody is asked, but now and then whether a service that
  /// is away is back.
  caf::error known_away();

  /// Asks, after something went wrong. Whoever comes while others wait for an
  /// answer shares the next one.
  caf::error look();

private:
  /// Only with `turn_`.
  caf::error ask();

  const shared_service_options options_;
  std::mutex turn_;  ///< of who asks
  std::mutex guard_; ///< of what follows
  std::uint64_t begun_ = 0;
  caf::error away_; ///< none: it was there, or nobody has asked
  std::chrono::steady_clock::time_point asked_;
};

/// How much an item needs a service.
enum class service_need : std::uint8_t {
  none,
  perhaps, ///< its work finds out
  surely,  ///< there is no use in its work while the service is away
};

struct service_use {
  std::shared_ptr<shared_service> what;
  std::function<service_need(const stage_task&)> how;
};

/// Does the work, but lets an item wait whose work fails, for now or for good,
/// while a service that it needs is away: it costs no attempt, and its
/// document stays as it was, as after a crash.
stage_handler while_reachable(std::vector<service_use> all, stage_handler work);

} // namespace depositd::stages
