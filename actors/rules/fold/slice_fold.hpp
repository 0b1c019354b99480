#pragma once

// Folds a stretch of the journal into its net effect on the projection. What
// was enqueued and finished inside the stretch leaves only its submission.

#include "messages/values/events.hpp"
#include "messages/values/rows.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace depositd::rules {

/// Whether a question is what pollers ask: about one submission, by its number
/// or by a user's file name or batch, wherever it is and however it stands.
bool asks_for_one(const submission_query& x);

class slice_fold {
public:
  /// `from`: sequence that the projection has reached.
  explicit slice_fold(sequence from);
  ~slice_fold();

  /// Adds a record; its events follow those added before. Bodies are not
  /// needed, their places are.
  void add(const record& x);

  std::size_t events() const noexcept;

  /// Where the slice begins, and the sequence of the last event added.
  sequence from() const noexcept;
  sequence reached() const noexcept;

  /// What the tables will answer once they have the slice so far, made of what
  /// they answer without it, to a question that `asks_for_one`. Nothing if
  /// that cannot be told from here.
  std::optional<std::vector<submission_row>>
  answer(const submission_query& x, std::vector<submission_row> before);

  /// Items of this queue never have submissions: what happens to them makes no
  /// changes of submissions. Known by itself of message queues that come into
  /// being while it folds. Kept over `take`.
  void without_submissions(std::string queue);

  /// The net effect, rows and changes by item id. Places of bodies that came
  /// and went inside the slice need no entry (their segments hold nothing live
  /// for them). The fold is empty afterwards and starts at the sequence
  /// reached.
  slice take();

  /// Where bodies of items are that ended in the slice taken last as records
  /// of sources that failed, by item: of those that came, or were written
  /// again, in that slice. The others are where the tables say.
  const std::unordered_map<item_id, body_location>&
  failed_bodies() const noexcept;

  /// About as many bytes do the bodies of such items have in the slice so far.
  std::uint64_t failed_bytes() const noexcept;

  /// Of the documents of all that has ended.
  std::uint64_t document_bytes() const noexcept;

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace depositd::rules
