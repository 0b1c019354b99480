#include "actors/operators/auditor.hpp"

#include <utility>

namespace depositd::operators {

auditor_actor::behavior_type auditor(actor_with<auditor_state>* self,
                                     std::shared_ptr<const audit_book> from) {
  self->state.from = std::move(from);
  return {[=](const audit_query& x) -> caf::result<audit_found> {
    auto page = self->state.from->read(x.where);
    if (!page)
      return std::move(page.error());
    return audit_found{std::move(*page)};
  }};
}

} // namespace depositd::operators
