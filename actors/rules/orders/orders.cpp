#include "actors/rules/orders/orders.hpp"

#include "messages/values/orders.hpp"
#include "messages/values/test_points.hpp"

namespace depositd::rules {

namespace {

std::string title_of(const batch_info& x) {
  if (x.title.empty())
    return "files of collection " + x.collection;
  return x.file_name.empty() ? "object " + x.title
                             : x.file_name + " of object " + x.title;
}

} // namespace

std::string order_refusal(const work& of, const batch_info& wanted) {
  if (!order_kind_of(wanted))
    return {};
  for (const auto& [id, batch] : of.batches()) {
    if (batch.info.uuid == wanted.uuid)
      return "batch " + std::to_string(id) + " is this order";
    if (is_unfinished(batch.status, batch.jobs)
        && orders_meet(batch.info, wanted) && !seeded_bug("orders_meet"))
      return "batch " + std::to_string(id) + " (" + batch.info.pipeline
             + ") is not finished with " + title_of(batch.info);
  }
  return {};
}

} // namespace depositd::rules
