#pragma once

// What a payload says of itself, in files with reserved names at its top.

#include "adapters/processing/merritt/metadata_files.hpp"
#include "adapters/processing/merritt/work_on_job.hpp"

#include <optional>
#include <variant>

namespace depositd::merritt {

struct payload_metadata {
  kernel_metadata erc; ///< of mrt-erc.txt
  dublin_core dc;      ///< of mrt-dc.xml
  embargo until;       ///< of mrt-embargo.txt
};

/// Reads them, also the list of what an update deletes, and compares a
/// container with the list that it brings. Rejected, with the file's name: what
/// cannot be read, or does not agree.
std::variant<payload_metadata, outcome>
read_payload_metadata(const work_on_job& x);

/// Fills in what neither form nor row have said: who, what and when of the
/// form's own kernel, of mrt-erc.txt, of mrt-dc.xml, in this order; an
/// identifier; and the local ids of all of them. Rejected: two identifiers
/// that differ, or one that is no ARK.
std::optional<outcome> describe_job(job_document& job,
                                    const payload_metadata& found);

} // namespace depositd::merritt
