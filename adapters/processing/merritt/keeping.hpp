#pragma once

// Merritt's pipeline: the handlers of its last stages, by their names.

#include "adapters/processing/stages/receiver_turns.hpp"
#include "adapters/processing/stages/shared_service.hpp"
#include "adapters/processing/stages/stage_tools.hpp"
#include "messages/values/job_documents.hpp"

#include <memory>

namespace depositd::merritt {

/// merritt.store, merritt.record, merritt.notify and merritt.cleanup for jobs,
/// and merritt.report for batches. All of them may be called again with the
/// same document after a crash at any point. Reports wait while the `relay`,
/// which mail goes to, is away; null: they are tried until attempts run out.
stages::stage_handlers
last_stages(std::shared_ptr<const stages::stage_tools> tools,
            std::shared_ptr<stages::shared_service> relay = nullptr);

/// Tells the depositor that a batch is queued, for whoever splits it; no error
/// if nobody wants to know. Errors are the mailer's, and `ec::overloaded` if it
/// is so slow that batches would have to wait: whether it matters is the
/// caller's to say.
caf::error send_queued_notice(const stages::stage_tools& tools,
                              stages::receiver_turns& turns,
                              const collection_settings* collection,
                              const batch_document& batch,
                              const batch_info& info);

} // namespace depositd::merritt
