#pragma once

// Makes topics, as an operator would; depositd never makes one by itself.

#include "adapters/logs/kafka/kafka_options.hpp"
#include "messages/values/errors.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace depositd {

struct topic_wish {
  std::string name;
  std::int32_t partitions = 8;
  std::int16_t replicas = -1; ///< -1: as many as the brokers' default
  std::chrono::hours kept{168}; ///< records are deleted after that
  std::uint32_t record_bytes_max = 0; ///< 0: the brokers' default
};

struct topic_made {
  std::string name;
  std::int32_t partitions = 0; ///< that it has now
  bool existed = false; ///< was there before, and was left as it is
};

/// One answer for each wish, by position. `ec::store_failed` if a broker
/// refuses or none answers in time; some may have been made then.
caf::expected<std::vector<topic_made>>
make_kafka_topics(const kafka_options& options,
              const std::vector<topic_wish>& wishes);

} // namespace depositd
