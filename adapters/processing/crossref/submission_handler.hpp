#pragma once

// Takes a claimed submission to the work that its operation asks for.

#include "adapters/processing/crossref/metadata_handler.hpp"
#include "adapters/processing/crossref/query_handler.hpp"
#include "messages/ports/blob_store.hpp"
#include "messages/processors.hpp"
#include "messages/values/control.hpp"
#include "messages/values/submission_body.hpp"

#include <memory>

namespace depositd::crossref {

struct submission_handler_options {
  std::shared_ptr<blob_store> blobs;
  std::shared_ptr<doi_registry> registry;
  std::shared_ptr<schema_folder> schemas; ///< null: no schema check
  xml_limits limits;
};

/// Everything here may be called from any thread and blocks.
class submission_handler {
public:
  explicit submission_handler(submission_handler_options options);

  /// Processes the item, whose body is a submission's, under the prefixes that
  /// the control state gives its user. The outcome names the claim. A post
  /// whose bytes no longer match their digest fails; one that cannot be read
  /// is tried again.
  outcome handle(const handle_item& what, const control_state& control) const;

private:
  caf::expected<submission_body> body_of(const claimed_item& item) const;
  outcome process(const handle_item& what, const control_state& control) const;

  std::shared_ptr<blob_store> blobs_;
  metadata_handler metadata_;
  query_handler query_;
};

} // namespace depositd::crossref
