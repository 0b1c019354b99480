#pragma once

// Batches and jobs as JSON documents: the same ones in the shell, in reports
// and over HTTP.

#include "messages/values/work_rows.hpp"

#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace depositd {

/// The jobs of a batch that have come to an end, by their numbers.
struct ended_jobs {
  std::vector<item_id> failed;
  std::vector<item_id> successful;
};

/// A job that is held counts as open, too.
nlohmann::ordered_json document_of(const batch_row& x, const ended_jobs& ended);

/// `space_needed` is in bytes, -1 if nobody knows; `local_id` is a list.
nlohmann::ordered_json document_of(const job_row& x);

} // namespace depositd
