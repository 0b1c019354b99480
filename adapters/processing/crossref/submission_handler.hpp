#pragma once

// Takes a claimed submission to the work that its operation asks for.

#include "adapters/processing/crossref/citation_handler.hpp"
#include "adapters/processing/crossref/metadata_handler.hpp"
#include "adapters/processing/crossref/parsing_room.hpp"
#include "adapters/processing/crossref/query_handler.hpp"
#include "adapters/processing/crossref/transfer_handler.hpp"
#include "messages/ports/blob_store.hpp"
#include "messages/processors.hpp"
#include "messages/values/control.hpp"
#include "messages/values/submission_body.hpp"

#include <memory>

namespace depositd::crossref {

/// Everything here may be called from any thread and blocks.
struct submission_handler {
  std::shared_ptr<blob_store> blobs;
  std::shared_ptr<doi_registry> registry;
  std::shared_ptr<schema_folder> schemas; ///< null: no schema check
  xml_limits limits = {};
  std::shared_ptr<parsing_room> room = {}; ///< null: memory is not counted

  /// Processes the item, whose body is a submission's, under the prefixes that
  /// the control state gives its user. The outcome names the claim. A file
  /// whose bytes no longer match their digest fails; one that cannot be read
  /// is tried again, at no cost if its store is away. Waits for room first, if
  /// others use it.
  outcome handle(const handle_item& what, const control_state& control) const;
};

} // namespace depositd::crossref
