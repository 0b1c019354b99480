#pragma once

// What operators ask of dead letters: records that were no deposits, or that
// were refused. docs/PROTOCOL.md says how they are written.

#include "messages/message.hpp"
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

/// Letters, the newest first.
struct find_letters {
  std::string key;  ///< only with this; empty: any
  std::string text; ///< only those whose reason contains it
  std::uint32_t count_max = 100;
  std::string after; ///< `next` of the page before; empty: the newest
};
DEPOSITD_LOCAL(find_letters);

/// May be fewer than asked for although there are more: so many were read.
struct letters_found {
  std::vector<letter_facts> letters;
  std::string next; ///< empty: there are no more
};
DEPOSITD_LOCAL(letters_found);

struct read_letter {
  std::string id;
};
DEPOSITD_LOCAL(read_letter);

struct letter_read {
  letter_facts facts;
  std::vector<record_header> headers; ///< the record's own
  std::string value;
};
DEPOSITD_LOCAL(letter_read);

/// Writes records to the topic again where they came from, in the order in
/// which they are named: all, or none if one of them cannot be.
struct replay_letters {
  std::vector<std::string> ids;
};
DEPOSITD_LOCAL(replay_letters);

/// The brokers have them.
struct letters_replayed {
  std::string topic;
};
DEPOSITD_LOCAL(letters_replayed);

} // namespace depositd
