#pragma once

// Receivers of callbacks that have said when they want to be called again.

#include "adapters/processing/stages/stage_tools.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace depositd::stages {

/// How an item waits while whoever takes calls at that address is to be left
/// alone: until then, at no cost of its attempts. Nothing: it may be called.
inline std::optional<outcome>
until_wanted(const std::shared_ptr<callback_sender>& calls,
             const std::string& url) {
  const auto rest = calls ? calls->rest_of(url) : std::chrono::milliseconds{0};
  if (rest.count() <= 0)
    return std::nullopt;
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(rest).count();
  auto out = ended(verdict::not_yet,
                   "the receiver of callbacks wants the next one in "
                     + std::to_string(seconds) + " s");
  out.delay_ms = static_cast<std::uint32_t>(rest.count());
  return out;
}

} // namespace depositd::stages
