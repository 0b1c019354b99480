#pragma once

// Where log lines go.

#include <spdlog/sinks/base_sink.h>

#include <cstdint>
#include <mutex>
#include <string_view>

namespace depositd {

/// Standard error, or what stands for it, for which nobody waits: its reader
/// may stand still, and every thread has something to say. Lines that find no
/// place are counted, and how many they were is said once there is some.
class log_sink final : public spdlog::sinks::base_sink<std::mutex> {
public:
  /// The file stays the caller's.
  explicit log_sink(int fd) : fd_(fd) {
    // nop
  }

private:
  void sink_it_(const spdlog::details::log_msg& line) override;
  void flush_() override {
    // nop
  }

  bool write(const spdlog::details::log_msg& line);
  bool write_text(std::string_view text);

  const int fd_;
  std::uint64_t lost_ = 0; ///< lines since the last that was written
  bool torn_ = false;      ///< the last one is there in part
};

} // namespace depositd
