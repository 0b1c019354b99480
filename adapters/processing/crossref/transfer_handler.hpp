#pragma once

// Processes uploads of transfers: the DOIs belong to the holders of another
// prefix from then on, or have another URL.

#include "adapters/processing/crossref/metadata_handler.hpp"

#include <memory>
#include <string_view>

namespace depositd::crossref {

struct transfer;

/// Everything here may be called from any thread and blocks.
struct transfer_handler {
  std::shared_ptr<doi_registry> registry;
  xml_limits limits = {};

  /// As that of metadata. The user has to hold both prefixes, and the first of
  /// them each DOI.
  outcome handle(const submission_job& job, std::string_view bytes) const;

private:
  outcome record(const submission_job& job, const transfer& content) const;
};

} // namespace depositd::crossref
