#pragma once

// What the work on every order begins and ends with.

#include "adapters/processing/aptrust/premis.hpp"
#include "adapters/processing/aptrust/work_item.hpp"
#include "adapters/processing/merritt/work_on_job.hpp"
#include "messages/values/orders.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace depositd::aptrust {

/// An order in hand: the job, what is wanted, and the object that it is about
/// as the inventory has it.
struct order_work {
  merritt::work_on_job& job;
  const preservation_order& order;
  inventory_object object;

  const stages::stage_tools& tools() const {
    return job.tools;
  }

  /// Of the object's targets those that are set up here, the ones that can be
  /// read at once first. Empty: none is.
  std::vector<std::string> targets() const;

  /// Whether all targets of the object have to be asked before they are read.
  bool is_cold_only() const;

  premis_scene scene() const;
};

using order_step = std::function<outcome(order_work&)>;

/// What an order does not say by its kind.
struct order_form {
  order_kind kind = order_kind::restore_object;
  bool with_file = false;   ///< it must name a file; else it must not ...
  bool either = false;      ///< ... unless it may do both
  bool under_lock = true;   ///< nobody else works on the object meanwhile
  bool may_be_gone = false; ///< then what is wanted is done already
};

/// Does the step for jobs that are orders of this form. Any other, and one of
/// an object that is not the user's, fails and needs review: it is not passed
/// over in silence.
stages::stage_handler
order_handler(std::shared_ptr<const stages::stage_tools> tools, order_form form,
              order_step step);

/// The files of the object's last version. `ec::not_found`.
caf::expected<std::vector<stored_file>> files_of(const order_work& x);

/// One of them; nothing if there is no such path.
std::optional<stored_file> find_file(const std::vector<stored_file>& in,
                                     const std::string& path);

} // namespace depositd::aptrust
