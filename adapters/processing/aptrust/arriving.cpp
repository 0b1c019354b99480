#include "adapters/processing/aptrust/arriving.hpp"

#include "messages/values/item_standing.hpp"

namespace depositd::aptrust {

last_item became_of(const batch_row& batch, const job_row* job) {
  if (job == nullptr)
    return batch.status.state == batch_state::deleted ? last_item::cancelled
                                                      : last_item::unfinished;
  if (job->status.state == job_state::deleted)
    return last_item::cancelled;
  const auto stands = standing_of(*job, false);
  switch (stands ? stands->status : item_status::pending) {
    case item_status::success:
      return last_item::succeeded;
    case item_status::failed:
      return last_item::failed;
    case item_status::cancelled:
      return last_item::cancelled;
    default:
      // What ran out of attempts, or lost its bag, is an administrator's.
      return last_item::unfinished;
  }
}

arrival decide_arrival(const arrival_facts& x) {
  switch (x.last) {
    case last_item::none:
    case last_item::cancelled:
      return arrival::create;
    case last_item::unfinished:
      return arrival::skip;
    case last_item::failed:
      return x.past_retention ? arrival::remove : arrival::skip;
    case last_item::succeeded:
      return x.object_active ? arrival::skip : arrival::create;
  }
  return arrival::skip;
}

} // namespace depositd::aptrust
