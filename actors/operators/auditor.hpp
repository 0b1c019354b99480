#pragma once

// The audit log, for operators.

#include "messages/actor_with.hpp"
#include "messages/actors.hpp"
#include "messages/audit.hpp"

#include <memory>

namespace depositd::operators {

struct auditor_state {
  using interface = auditor_actor;

  std::shared_ptr<const audit_book> from;
};

/// Blocks on files, so wiring spawns it detached.
auditor_actor::behavior_type auditor(actor_with<auditor_state>* self,
                                     std::shared_ptr<const audit_book> from);

} // namespace depositd::operators
