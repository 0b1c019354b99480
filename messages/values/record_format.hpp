#pragma once

// What deposits, outcomes and dead letters say in records of a log outside. The
// form itself is an adapter's (adapters/logs/kafka/records.hpp,
// docs/PROTOCOL.md).

#include "messages/ingest.hpp"
#include "messages/ports/record_log.hpp"
#include "messages/values/events.hpp"

#include <functional>
#include <string>

namespace depositd {

/// What became of a deposit.
struct outcome_event {
  std::string event_id; ///< "shard:sequence": the same at every repetition
  item_id id = 0;
  std::string user;
  std::string queue;
  depositd::submission submission;
  ending how = ending::done;
  std::string reason;
  std::string batch_id;
  std::string document;
  micros received_us = 0;
  micros finished_us = 0;
};

/// A record that is no deposit, on its way to those who look after such.
struct dead_letter {
  std::string event_id;
  record_rejected what;
};

/// Pure functions, called by several threads.
struct record_format {
  /// The error's text is the reason in the dead letter.
  std::function<caf::expected<ingest_deposit>(const source_record&)> read;
  std::function<outgoing_record(const outcome_event&)> write_outcome;
  std::function<outgoing_record(const dead_letter&)> write_dead_letter;
};

} // namespace depositd
