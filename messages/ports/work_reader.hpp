#pragma once

// Port: batches, jobs and deposits, for handlers that report on them. Blocks;
// what it answers contains all that was durable when it was asked.

#include "messages/values/errors.hpp"
#include "messages/values/rows.hpp"
#include "messages/values/work_rows.hpp"

#include <vector>

namespace depositd {

/// Every function may be called from any thread.
class work_reader {
public:
  virtual ~work_reader() = default;

  virtual caf::expected<std::vector<batch_row>>
  batches(const batch_query& x) = 0;
  virtual caf::expected<std::vector<job_row>> jobs(const job_query& x) = 0;
  virtual caf::expected<std::vector<submission_row>>
  submissions(const submission_query& x) = 0;
};

} // namespace depositd
