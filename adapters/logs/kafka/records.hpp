#pragma once

// What records say: deposits and batches on the ingress topic, outcomes of
// deposits on the egress one, ends of jobs and batches on a topic of their own,
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
  std::string jobs_topic; ///< empty: nobody is told of jobs and batches
  std::size_t batch_payload_bytes_max = 64 * 1024 * 1024;
};

/// `read` answers a deposit without its offset, a batch, or what is wrong with
/// the record in one line, which repeats nothing of it but names in a form.
record_format make_record_format(record_format_options options);

/// Leaves the document out of an outcome of `make_record_format`, which says so
/// then; false if it has none, or is something else.
bool leave_out_document(outgoing_record& x);

} // namespace depositd
