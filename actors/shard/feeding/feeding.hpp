#pragma once

// Records of sources, in the shard of the queue that they are fed to, and what
// is passed on to the schedulers of this shard. Private to actors/shard.

#include "actors/shard/parts.hpp"
#include "messages/sources.hpp"

#include <cstddef>
#include <string>

namespace depositd::shard {

// -- feeding.cpp --------------------------------------------------------------

/// Makes items of what is not known; answered when all of it is durable.
caf::result<records_fed> take_records(shard_pointer self,
                                      const feed_records& x);

/// From a user's actor: what happened to items that are records.
void note_moved(shard_pointer self, const records_moved& x);

/// Journals what is known no longer, of sources of which there is that much.
void journal_forgotten(shard_pointer self, std::size_t keys_min);

// -- asking.cpp ---------------------------------------------------------------

caf::result<queue_measured> measure_one(shard_pointer self,
                                        const measure_queue& x);
caf::result<records_counted> count_known(shard_pointer self,
                                         const count_records& x);
caf::result<record_found> look_up_one(shard_pointer self,
                                      const look_up_record& x);

/// What operators ask goes on to who has the schedulers. Without one there are
/// none.
caf::result<schedulers_reported> ask_schedulers(shard_pointer self,
                                                report_schedulers& x);
caf::result<record_found> ask_schedulers(shard_pointer self, find_record& x);
caf::result<strategy_explained> ask_schedulers(shard_pointer self,
                                               explain_strategy& x);
caf::result<source_tested> ask_schedulers(shard_pointer self, test_source& x);
caf::result<fed_by_hand> ask_schedulers(shard_pointer self, feed_by_hand& x);

// -- positions.cpp ------------------------------------------------------------

/// Journals up to where a source is applied. Nobody who watches the settings
/// hears of it.
caf::result<done> note_position(shard_pointer self, const keep_position& x);

/// Forgets positions and records of sources that are no more, or elsewhere.
void forget_gone_sources(shard_pointer self);

// -- restoring.cpp ------------------------------------------------------------

/// A claim is lost at recovery: if it ends the item of a record, that is
/// written before.
void note_record_end(journal::command& todo, recovered_state& found,
                     const std::string& user, const event& lost);

/// Takes over what recovery has found. Leaves the origins of items that live.
void restore_records(shard_pointer self, recovered_state& found);

} // namespace depositd::shard
