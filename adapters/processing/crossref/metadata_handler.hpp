#pragma once

// Processes metadata deposits: reads the file, applies the rules to each DOI,
// records what may be recorded, and writes the diagnostic.

#include "adapters/processing/crossref/deposit_xml.hpp"
#include "adapters/processing/crossref/diagnostic.hpp"
#include "adapters/processing/crossref/schema_folder.hpp"
#include "adapters/processing/crossref/xml_limits.hpp"
#include "messages/ports/doi_registry.hpp"
#include "messages/values/types.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::crossref {

/// Which submission a file is, and on whose behalf.
struct submission_job {
  item_id submission = 0;
  std::string user;
  std::string processor;             ///< becomes `sp`
  std::vector<std::string> prefixes; ///< the user's; empty: any DOI
};

/// Everything here may be called from any thread and blocks.
struct metadata_handler {
  std::shared_ptr<doi_registry> registry;
  std::shared_ptr<schema_folder> schemas; ///< null: no schema check
  xml_limits limits = {};

  /// `done` with a diagnostic if any DOI was recorded, `failed` with one if
  /// none was or the file is bad, `retry` if the registry or a schema file
  /// failed. Repeating a submission gives the same answer and records nothing
  /// twice. Says, reason, batch id and document of the outcome are set, and
  /// whether the deposit names somebody to tell.
  outcome handle(const submission_job& job, std::string_view bytes) const;

private:
  outcome record(const submission_job& job, deposit& content,
                 const std::string& text) const;
};

/// Whether the user may change records of this prefix.
bool is_own_prefix(const submission_job& job, std::string_view prefix);

record_note failure_note(std::string doi, std::string reason);

/// The outcome of a file that could be read, with what became of each DOI:
/// failed if all are.
outcome conclude(const submission_job& job, const std::string& batch_id,
                 std::vector<record_note> notes);

/// A DOI that a file names, and why it may not be recorded, or empty.
struct examined_doi {
  doi_record record;
  std::string objection;
};

/// What there is to say of the DOI in this place, of which the registry said
/// this.
using note_writer = std::function<record_note(std::size_t, doi_result)>;

/// Records what nothing is said against, as `what` says; concludes with a note
/// for each DOI, in order.
outcome record_examined(doi_registry& registry, const submission_job& job,
                        doi_registration what, std::vector<examined_doi> dois,
                        const std::string& batch_id, const note_writer& note);

/// The outcome of a file that is bad as a whole.
outcome refuse_file(const submission_job& job, std::string batch_id,
                    std::string reason);

/// The outcome of work that should be tried again.
outcome try_again(std::string reason);

} // namespace depositd::crossref
