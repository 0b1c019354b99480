#include "actors/users/command.hpp"

namespace depositd::users {

void use_terms(self_pointer, const use_work_terms&) {
}

caf::result<job_ordered> order(self_pointer, const order_job&) {
  return caf::make_error(ec::not_found);
}

caf::result<batch_ordered> order(self_pointer, const order_batch&) {
  return caf::make_error(ec::not_found);
}

void hold_all(self_pointer, const hold_collection&) {
}

} // namespace depositd::users
