#pragma once

// What clients of doors order beside sending and taking work, for the audit
// log: an operator looks there for who emptied a queue.

#include "adapters/doors/kit/rate_limit.hpp"
#include "messages/values/errors.hpp"

#include <spdlog/logger.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace depositd::kit {

/// Who orders what, in the words of operators' commands.
struct client_order {
  std::string who;  ///< "key loader", "user press"; empty: nobody logged in
  std::string from; ///< address
  std::string command;
  std::vector<std::pair<std::string, std::string>> arguments;
};

/// Any thread.
class client_audit {
public:
  /// Lines of one client in a second; clients must not fill the log.
  static constexpr std::uint32_t lines_per_second = 10;

  /// Null: nothing is written.
  explicit client_audit(std::shared_ptr<spdlog::logger> to = {});

  /// Once it was carried out, or refused with an error.
  void tell(const client_order& what, const caf::error& why = {});

private:
  std::shared_ptr<spdlog::logger> to_;
  rate_limit lines_{lines_per_second};
  std::atomic<std::uint64_t> left_out_{0};
};

} // namespace depositd::kit
