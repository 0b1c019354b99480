#include "actors/rules/orders/orders.hpp"

#include "messages/values/orders.hpp"

namespace depositd::rules {

namespace {

std::string title_of(const batch_info& x) {
  if (x.title.empty())
    return "files of collection " + x.collection;
  return x.file_name.empty() ? "object " + x.title
                             : x.file_name + " of object " + x.title;
}

} // namespace

bool is_unfinished(const batch_status& status, const job_counts& jobs) {
  switch (status.state) {
    case batch_state::pending:
    case batch_state::held:
    case batch_state::processing:
      return true;
    default:
      return jobs.open > 0; // requeued ones
  }
}

bool orders_meet(const batch_info& is, const batch_info& wanted) {
  const auto kind = order_kind_of(is);
  const auto other = order_kind_of(wanted);
  if (!kind || !other)
    return false;
  const bool checks = *kind == order_kind::fixity_check;
  if (checks != (*other == order_kind::fixity_check))
    return false;
  if (is.title.empty() || wanted.title.empty())
    // What is due of a collection is in one run, however many batches it has.
    return is.title == wanted.title && is.collection == wanted.collection
           && is.file_name != wanted.file_name;
  return is.title == wanted.title
         && (is.file_name.empty() || wanted.file_name.empty()
             || is.file_name == wanted.file_name)
         && wanted.uuid != next_order_uuid(is.uuid);
}

std::string order_refusal(const work& of, const batch_info& wanted) {
  if (!order_kind_of(wanted))
    return {};
  for (const auto& [id, batch] : of.batches()) {
    if (batch.info.uuid == wanted.uuid)
      return "batch " + std::to_string(id) + " is this order";
    if (is_unfinished(batch.status, batch.jobs)
        && orders_meet(batch.info, wanted))
      return "batch " + std::to_string(id) + " (" + batch.info.pipeline
             + ") is not finished with " + title_of(batch.info);
  }
  return {};
}

} // namespace depositd::rules
