#pragma once

// The audit log, for operators.

#include "messages/actors.hpp"
#include "messages/audit.hpp"

#include <memory>

namespace depositd::operators {

struct auditor_state {
  std::shared_ptr<const audit_book> from;
};

/// Blocks on files, so wiring spawns it detached.
auditor_actor::behavior_type
auditor(auditor_actor::stateful_pointer<auditor_state> self,
        std::shared_ptr<const audit_book> from);

} // namespace depositd::operators
