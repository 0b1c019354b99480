#include "adapters/processing/aptrust/orders/reporting.hpp"

#include "adapters/processing/merritt/work_on_job.hpp"
#include "messages/values/orders.hpp"

#include <utility>

namespace depositd::aptrust {

namespace {

/// Whether the batch checks fixity.
bool checks(const stages::stage_tools& tools, const stages::stage_task& task) {
  const auto body = merritt::body_of(tools, task.item.item);
  if (!body)
    return false;
  const auto batch = decode_batch_document(*body);
  if (!batch)
    return false;
  const auto order = order_in(batch->more);
  return order && *order && (**order).kind == order_kind::fixity_check;
}

/// Whether nothing of it has failed; nothing is said of what is not known.
bool went_well(const stages::stage_tools& tools,
               const stages::stage_task& task) {
  const auto rows = tools.work->batches({.id = task.item.item.id});
  return rows && rows->size() == 1 && rows->front().jobs.split
         && rows->front().jobs.failed == 0;
}

} // namespace

stages::stage_handler
make_order_reporter(std::shared_ptr<const stages::stage_tools> tools,
                    stages::stage_handler others) {
  return [tools = std::move(tools),
          others = std::move(others)](const stages::stage_task& task) {
    if (tools->work && checks(*tools, task) && went_well(*tools, task))
      return merritt::ended(verdict::done);
    return others(task);
  };
}

} // namespace depositd::aptrust
