#pragma once

// Port: where spans go. Adapter: adapters/tracing.

#include "messages/values/spans.hpp"

#include <cstdint>
#include <vector>

namespace depositd {

/// Any thread may call it.
class span_sink {
public:
  virtual ~span_sink() = default;

  /// Takes them on, or drops those for which there is no room. Never waits.
  virtual void offer(std::vector<span> what) = 0;

  /// That were dropped, or that nobody has taken, since the start.
  virtual std::uint64_t dropped() const = 0;
};

} // namespace depositd
