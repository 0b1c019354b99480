#pragma once

// An audit log of clients' orders that a test reads.

#include "adapters/doors/kit/client_audit.hpp"

#include <spdlog/sinks/ostream_sink.h>

#include <memory>
#include <sstream>
#include <string>
#include <utility>

namespace depositd::testing {

class kept_audit {
public:
  kept_audit() {
    auto log = std::make_shared<spdlog::logger>(
      "audit", std::make_shared<spdlog::sinks::ostream_sink_mt>(text_));
    log->set_pattern("%v");
    audit = std::make_shared<kit::client_audit>(std::move(log));
  }

  /// The lines since the last call, of requests that were answered.
  std::string take() {
    auto out = text_.str();
    text_.str("");
    return out;
  }

  std::shared_ptr<kit::client_audit> audit;

private:
  std::ostringstream text_;
};

} // namespace depositd::testing
