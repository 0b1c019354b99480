#pragma once

// From a life that went wrong to a short one that goes wrong in the same way.

#include "tests/simulation/checker.hpp"
#include "tests/simulation/knobs.hpp"

#include <cstddef>
#include <functional>

namespace depositd::simulation {

/// What a life came to.
struct judged {
  knobs settings;
  std::size_t facts = 0;
  findings wrong;
};

/// Lives one life of which parts are left out.
using live_again = std::function<judged(const lessened&)>;

struct shrunk {
  lessened by;
  judged life;
  std::uint32_t steps = 0; ///< that are still done
  std::uint32_t lives = 0; ///< that were tried
};

/// Leaves out more and more as long as the same invariant is broken, trying at
/// most so many lives.
shrunk shrink(const judged& whole, const live_again& live,
              std::uint32_t lives_max);

} // namespace depositd::simulation
