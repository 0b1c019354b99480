#pragma once

// What a collection's server is told of a job.

#include "adapters/processing/stages/stage_tools.hpp"
#include "messages/values/job_documents.hpp"
#include "messages/values/work_rows.hpp"

#include <string>

namespace depositd::merritt {

/// A job that has come to an end, for now or for good.
struct ended_job {
  bool completed = false;
  std::string message; ///< "Success", or why not
  micros ended_us = never;
  std::uint32_t version = 0; ///< of the object; 0: not known
  std::uint32_t retry_count = 0;
};

/// The body: one object `job:jobState`.
std::string callback_body(const job_document& job, const ended_job& end);

/// What is known of a job from the read model alone.
job_document document_of(const job_row& x);

/// Sends it to the collection's URL, "/mc/" and the job's uuid behind its path.
/// The same ending has the same id each time. Errors as of `callback_sender`.
caf::error send_callback(const stages::stage_tools& tools,
                         const collection_settings& collection,
                         const job_document& job, const ended_job& end);

} // namespace depositd::merritt
