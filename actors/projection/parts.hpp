#pragma once

// The projector's answers, and what they rest on. Private to actors/projection.

#include "actors/projection/projector.hpp"
#include "messages/projection.hpp"

namespace depositd::projection {

using self_pointer = projector_self::stateful_pointer<projector_state>;

/// Projects all that was durable when this was called.
caf::error catch_up(self_pointer self);

// -- answers.cpp: each contains all that was durable when it was asked --------

caf::result<submissions_found> answer(self_pointer self,
                                      const submission_query& x);
caf::result<batches_found> answer(self_pointer self, const batch_query& x);
caf::result<jobs_found> answer(self_pointer self, const job_query& x);
caf::result<items_found> answer(self_pointer self, const peek_items& x);
caf::result<items_matched> answer(self_pointer self, const match_items& x);
caf::result<recovered> answer(self_pointer self, const recover&);
caf::result<done> answer(self_pointer self, const back_up& x);
caf::result<store_report> answer(self_pointer self, const report_store&);

} // namespace depositd::projection
