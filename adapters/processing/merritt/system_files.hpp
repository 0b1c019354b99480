#pragma once

// What Merritt adds to an object.

#include "adapters/processing/merritt/payload_metadata.hpp"

namespace depositd::merritt {

/// Writes mrt-erc.txt, mrt-dc.xml, mrt-ingest.txt, mrt-owner.txt,
/// mrt-membership.txt and mrt-mom.txt into the job's system folder. The same
/// job has the same bytes each time.
caf::error write_system_files(const work_on_job& x,
                              const payload_metadata& found);

/// Lists payload and system files with their SHA-256 in mrt-manifest.txt,
/// which is read by `read_files_to_store`, and says in the document how much
/// there is.
caf::error write_list_to_store(work_on_job& x);

} // namespace depositd::merritt
