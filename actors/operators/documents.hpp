#pragma once

// Answers to operators as JSON documents: snake_case keys, numbers as numbers,
// times as ISO 8601 texts, null for "none". Pure functions.

#include "messages/operators.hpp"
#include "messages/processors.hpp"
#include "messages/projection.hpp"
#include "messages/records.hpp"
#include "messages/values/control.hpp"
#include "messages/values/sharding.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace depositd::operators {

/// Keeps the order of keys, for people.
using document = nlohmann::ordered_json;

/// Never throws; bytes that are no UTF-8 are replaced.
std::string to_text(const document& x);

document settings_document(const std::string& queue, const queue_settings& x);
document queue_document(const queue_report& x);
document item_document(const item_row& x);

/// `whole` adds what pollers get.
document submission_document(const submission_row& x, bool whole);

document processor_document(const processor_spec& x);

/// Processors as set up, each with what its slots hold.
document processors_document(const control_state& state,
                             const slots_report& slots);

/// Nodes that have joined, and which of them did not answer.
document nodes_document(const std::vector<std::string>& names,
                        const std::vector<std::string>& silent);

/// Which users to list.
struct users_wanted {
  std::string queue; ///< empty: all
  std::string after; ///< only names above this one
  std::string only;  ///< just this one
  std::size_t count_max = 100;
};

/// Users with an account, a setting or a place in a ring, by name.
document users_document(const control_state& state, const users_listed& listed,
                        const users_wanted& wanted);

struct status_numbers {
  std::string version;
  micros started_us = never;
  micros now_us = never;
};

/// What reads and publishes for one shard.
struct log_report {
  shard_number shard = 0;
  intake_report in;
  publisher_report out;
};

document logs_document(const std::vector<log_report>& logs);

document status_document(const status_numbers& engine,
                         const control_state& state,
                         const queues_listed& queues, const slots_report& slots,
                         const store_report& store);

} // namespace depositd::operators
