#pragma once

// Which handler an item of a stage is for, and what its end is called.

#include "adapters/processing/stages/stage_tools.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace depositd::stages {

/// The handlers of the queues in which batches wait to be split, and for their
/// report.
inline constexpr const char* split_handler = "merritt.split";
inline constexpr const char* report_handler = "merritt.report";

/// A handler that is done at once, without a thread: for trials.
inline constexpr const char* noop_handler = "noop";

/// The stage of a queue; null if no pipeline has it. As long as the state.
using stage_finder = std::function<const stage_settings*(
  const control_state& state, const std::string& queue)>;

struct stage_work_options {
  stage_handlers handlers;
  stage_handler exec; ///< of all stages that are programs
  stage_finder find_stage;
  std::shared_ptr<blob_store> blobs; ///< for bodies that are there; may be null
  /// Whether the process ends and work is cut short; null: it never is.
  std::function<bool()> is_cut;
};

/// May be used from any thread at once.
class stage_work {
public:
  explicit stage_work(stage_work_options options);

  /// How it ended, if that needs no handler that blocks.
  std::optional<outcome> at_once(const handle_item& x) const;

  /// Blocks for as long as the handler does. Whatever goes wrong is an outcome.
  /// What ends once work is cut short is given back, as if it had not begun.
  /// Not yet, while a handler that was given up has the same item in hand.
  outcome handle(handle_item& x) const;

  /// Since when a handler has worked on the item; never: none does, it waits
  /// for a thread.
  micros begun(item_id id) const;

private:
  const stage_settings* stage_at(const handle_item& x) const;
  const stage_handler* handler_of(const stage_settings& x) const;
  caf::error fetch_body(claimed_item& x) const;
  outcome run(const handle_item& x, const stage_settings& stage,
              const stage_handler& handler) const;

  stage_work_options options_;
  mutable std::mutex guard_;
  /// What handlers work on now, and since when.
  mutable std::map<item_id, micros> in_hand_;
};

} // namespace depositd::stages
