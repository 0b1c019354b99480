// Random lives of the core. A failing seed prints itself; run it alone with
// DEPOSITD_SEED=n, or more of them with DEPOSITD_SEEDS=count.

#include "tests/actors/engine/core_world.hpp"

#include <spdlog/spdlog.h>

#include <cstdlib>

namespace depositd {

namespace {

using testing::core_world;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const auto* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(core_property_test, loses_repeats_and_invents_nothing) {
  spdlog::set_level(spdlog::level::off); // failures are part of the lives
  const auto only = number_from("DEPOSITD_SEED", 0);
  const auto count = only != 0 ? 1 : number_from("DEPOSITD_SEEDS", 300);
  for (std::uint64_t i = 1; i <= count && !HasFailure(); ++i) {
    const auto seed = only != 0 ? only : i;
    SCOPED_TRACE("DEPOSITD_SEED=" + std::to_string(seed));
    core_world world{seed};
    world.live(80);
    world.stop();
  }
  spdlog::set_level(spdlog::level::info);
}

} // namespace

} // namespace depositd
