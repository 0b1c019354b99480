#pragma once

// What is said in the log while a test looks.

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <cstddef>
#include <memory>
#include <sstream>
#include <string>

namespace depositd::testing {

/// Lines go here and nowhere else as long as it lives.
class captured_log {
public:
  captured_log() {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
      "captured", std::make_shared<spdlog::sinks::ostream_sink_mt>(lines_)));
  }

  captured_log(const captured_log&) = delete;
  captured_log& operator=(const captured_log&) = delete;

  ~captured_log() {
    spdlog::set_default_logger(before_);
  }

  std::string text() const {
    return lines_.str();
  }

  /// How often `what` has been said.
  std::size_t count(const std::string& what) const {
    const auto all = text();
    std::size_t out = 0;
    for (auto at = all.find(what); at != std::string::npos;
         at = all.find(what, at + 1))
      ++out;
    return out;
  }

private:
  std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
  std::ostringstream lines_;
};

} // namespace depositd::testing
