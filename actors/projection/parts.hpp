#pragma once

// The projector's answers, and what they rest on. Private to actors/projection.

#include "actors/projection/projector.hpp"
#include "messages/actor_with.hpp"
#include "messages/projection.hpp"

#include <cstdint>
#include <functional>

namespace depositd::projection {

using self_pointer = actor_with<projector_state>*;

/// Projects all that was durable when this was called.
caf::error catch_up(self_pointer self);

/// Folds it, and leaves what fits into one slice to the next pause.
caf::error fold_up(self_pointer self);

/// A slice that has so many bytes of what was sent ends, between groups.
inline constexpr std::uint64_t contents_bytes_per_slice = 32 * 1024 * 1024;

/// So does one with so many bytes of documents: in the end they are parameters
/// of one statement.
inline constexpr std::uint64_t document_bytes_per_slice = 32 * 1024 * 1024;

// -- published.cpp ------------------------------------------------------------

/// The publisher has come so far.
void go_on_published(self_pointer self, sequence upto);

/// Goes on once all that is durable now has been published: at once where
/// nobody publishes. With an error after `publish_patience`.
void when_published(self_pointer self, std::function<void(caf::error)> go_on);

/// Refuses those who have waited too long.
void end_patience(self_pointer self);

/// All that ended before this has been published.
micros published_before_us(projector_state& state, micros now_us);

// -- forgetting.cpp -----------------------------------------------------------

/// Nothing is forgotten for a while after a start.
void begin_forgetting(self_pointer self);

/// What is old goes, if it is time to ask for that; some of it at a time.
void forget_old(self_pointer self);

// -- failed_bodies.cpp --------------------------------------------------------

/// A slice that ends so many records that fail is cut short, between groups.
inline constexpr std::uint64_t failed_bytes_per_slice = 32 * 1024 * 1024;

/// Puts the bodies into records of the slice that the fold has just made, which
/// have failed: as many as fit into four times that.
void add_failed_bodies(projector_state& state, slice& x);

// -- truncation.cpp -----------------------------------------------------------

/// Whole segments that nothing needs. What is dropped must be in tables that no
/// power cut takes back.
void drop_dead_segments(projector_state& state);

/// An old segment is kept by few bodies: they are written again, so that it can
/// go. Only when the log takes more than its stated multiple of what is live.
void compact_oldest(self_pointer self);

// -- answers.cpp: each contains all that was durable when it was asked --------

caf::result<submissions_found> answer(self_pointer self,
                                      const submission_query& x);
caf::result<batches_found> answer(self_pointer self, const batch_query& x);
caf::result<jobs_found> answer(self_pointer self, const job_query& x);
caf::result<items_found> answer(self_pointer self, const peek_items& x);
caf::result<failed_found> answer(self_pointer self, const failed_query& x);
caf::result<submissions_forgotten> answer(self_pointer self,
                                          const forget_submissions& x);
caf::result<done> answer(self_pointer self, await_published);
caf::result<items_matched> answer(self_pointer self, const match_items& x);
caf::result<recovered> answer(self_pointer self, const recover&);
caf::result<done> answer(self_pointer self, const back_up& x);
caf::result<store_report> answer(self_pointer self, const report_store&);

} // namespace depositd::projection
