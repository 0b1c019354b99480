#pragma once

// Dead letters: records that were no deposits, or that were refused.
// docs/PROTOCOL.md says how they are written.

#include "messages/values/types.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace depositd {

/// A dead letter without its value.
struct letter_facts {
  std::string id; ///< "PARTITION-OFFSET" in the topic of dead letters
  micros written_us = never;
  std::string event_id;
  std::string topic; ///< where the record was read, as are the next two
  std::string partition;
  std::string offset;
  std::string reason;
  std::string key; ///< the user, if who wrote it followed the protocol
  std::uint64_t value_bytes = 0; ///< that it has, or had
  bool value_omitted = false;    ///< brokers did not take one of its size
};

/// All of it.
struct letter {
  letter_facts facts;
  std::vector<record_header> headers; ///< the record's own
  std::string value;
  /// Why it is not all that the record was; empty: it is.
  std::string lost;
};

/// Which letters to list, the newest first.
struct letter_query {
  std::string key;  ///< only with this; empty: any
  std::string text; ///< only those whose reason contains it
  std::uint32_t count_max = 100;
  std::string after; ///< `next` of the page before; empty: the newest
};

/// May be fewer than asked for although there are more: so many were read.
struct letter_list {
  std::vector<letter_facts> letters;
  std::string next; ///< empty: there are no more
};

} // namespace depositd
