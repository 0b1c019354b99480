#pragma once

// Processes deposits of citations: what DOIs cite is recorded with them.

#include "adapters/processing/crossref/metadata_handler.hpp"

#include <memory>
#include <string_view>

namespace depositd::crossref {

struct citation_deposit;

/// Everything here may be called from any thread and blocks.
struct citation_handler {
  std::shared_ptr<doi_registry> registry;
  xml_limits limits = {};

  /// As that of metadata; a DOI has to be recorded here and be the user's. What
  /// it is said to cite replaces all that was said before.
  outcome handle(const submission_job& job, std::string_view bytes) const;

private:
  outcome record(const submission_job& job,
                 const citation_deposit& content) const;
};

} // namespace depositd::crossref
