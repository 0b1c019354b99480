#pragma once

// The map, continued: who pulls work from sources.

#include "messages/message.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace depositd {

/// Pulls records of one source on a thread of its own; one batch at a time.
using source_actor = caf::typed_actor<
  // The next records. Cancelled from outside by way of its reader.
  caf::replies_to<struct pull_records>::with<struct records_pulled>,
  // These are durable: the source may forget them.
  caf::reacts_to<struct tell_applied>>;

/// Asks on a thread of its own how much is left behind a queue.
using gauge_actor =
  caf::typed_actor<caf::replies_to<struct read_gauge>::with<struct gauge_read>>;

/// Takes records from the buffers of its sources as its strategy says, and
/// feeds them to its queue while its marks allow it.
using scheduler_actor = caf::typed_actor<
  // From who has the schedulers: settings of it or of its sources changed.
  caf::reacts_to<struct control_changed>,
  // What operators ask.
  caf::replies_to<struct report_schedulers>::with<struct schedulers_reported>,
  caf::replies_to<struct find_record>::with<struct record_found>,
  caf::replies_to<struct explain_strategy>::with<struct strategy_explained>,
  caf::replies_to<struct test_source>::with<struct source_tested>,
  caf::replies_to<struct feed_by_hand>::with<struct fed_by_hand>>;

/// Makes and ends the schedulers of one shard, as the settings say.
using schedulers_actor = scheduler_actor;

} // namespace depositd
