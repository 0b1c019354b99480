#pragma once

// Spans go to a collector, by OTLP over HTTP.

#include "adapters/tracing/otlp_text.hpp"
#include "messages/ports/span_sink.hpp"
#include "messages/values/errors.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace depositd {

struct otlp_options {
  std::string endpoint; ///< "http://HOST:4318"; "/v1/traces" is added
  std::string ca_file;  ///< empty: the system's
  span_resource from;
  std::size_t waiting_max = 16'384; ///< spans; what is more is dropped
  std::size_t batch_max = 512;
  std::chrono::milliseconds linger{1'000}; ///< then fewer go, too
  std::chrono::milliseconds time_limit{5'000};
  std::chrono::milliseconds retry_delay{1'000}; ///< doubles
  std::uint32_t tries = 3;                      ///< then a batch is dropped
};

/// Sends in a thread of its own. When it is destroyed, what waits is tried once
/// more, which takes two `time_limit` at most. `ec::bad_setting` if the
/// endpoint is no address of the web.
caf::expected<std::unique_ptr<span_sink>>
make_otlp_exporter(otlp_options options);

} // namespace depositd
