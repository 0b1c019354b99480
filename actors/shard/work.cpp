#include "actors/shard/parts.hpp"

namespace depositd::shard {

caf::result<batch_accepted> accept_work(shard_pointer, const submit_batch&) {
  return caf::make_error(ec::not_found);
}
caf::result<job_ordered> order_one(shard_pointer, const order_job&) {
  return caf::make_error(ec::not_found);
}
caf::result<batch_ordered> order_one(shard_pointer, const order_batch&) {
  return caf::make_error(ec::not_found);
}
caf::result<jobs_ordered> order_all(shard_pointer, const order_jobs&) {
  return caf::make_error(ec::not_found);
}
caf::result<batches_forgotten> forget_ended(shard_pointer,
                                            const forget_batches&) {
  return caf::make_error(ec::not_found);
}

} // namespace depositd::shard
