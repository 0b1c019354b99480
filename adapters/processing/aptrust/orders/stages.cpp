#include "adapters/processing/aptrust/orders/stages.hpp"

#include "adapters/processing/aptrust/deleting/deleting.hpp"
#include "adapters/processing/aptrust/fixity/fixity.hpp"
#include "adapters/processing/aptrust/restoring/restoring.hpp"

namespace depositd::aptrust {

stages::stage_handlers
order_stages(std::shared_ptr<const stages::stage_tools> tools) {
  stages::stage_handlers out;
  out["aptrust.restore_file"] = order_handler(
    tools, {.kind = order_kind::restore_file, .with_file = true}, restore_file);
  out["aptrust.restore_object"] =
    order_handler(tools, {.kind = order_kind::restore_object}, restore_object);
  out["aptrust.restore_glacier"] =
    order_handler(tools, {.kind = order_kind::restore_glacier, .either = true},
                  restore_glacier);
  out["aptrust.delete_item"] =
    order_handler(tools, {.kind = order_kind::delete_item, .may_be_gone = true},
                  delete_object);
  // Thousands of files, which nobody changes: a lock is for what goes wrong.
  out["aptrust.fixity_check"] = order_handler(tools,
                                              {.kind = order_kind::fixity_check,
                                               .with_file = true,
                                               .under_lock = false,
                                               .may_be_gone = true},
                                              check_fixity);
  return out;
}

} // namespace depositd::aptrust
