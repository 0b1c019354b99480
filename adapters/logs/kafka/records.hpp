#pragma once

// What records say: deposits on the ingress topic, outcomes on the egress one,
// refused records on the dead-letter topic. docs/PROTOCOL.md is the contract.

#include "messages/records.hpp"

#include <cstddef>
#include <set>
#include <string>

namespace depositd {

struct record_format_options {
  std::string egress_topic;
  std::string dead_letter_topic;
  std::set<std::string> deposit_queues{"metadata", "query"};
  std::size_t payload_bytes_max = 10 * 1024 * 1024;
};

/// `read` answers a deposit without its offset, or what is wrong with the
/// record in one line that repeats nothing of it.
record_format make_record_format(record_format_options options);

} // namespace depositd
