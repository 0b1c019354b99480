// What pollers ask, of a slice that the tables do not have yet.

#include "actors/rules/fold/state.hpp"
#include "messages/values/row_changes.hpp"

#include <utility>

namespace depositd::rules {

namespace {

bool is_asked_for(const submission_row& row, const submission_query& x) {
  return (x.id == 0 || row.id == x.id)
         && (x.user.empty() || row.user == x.user)
         && (x.file_name.empty() || row.submission.file_name == x.file_name)
         && (x.batch_id.empty() || row.batch_id == x.batch_id);
}

std::string key_of(const std::string& user, const std::string& text) {
  return user + '\n' + text;
}

} // namespace

bool asks_for_one(const submission_query& x) {
  const auto names =
    int{x.id != 0} + int{!x.file_name.empty()} + int{!x.batch_id.empty()};
  return names == 1 && (x.id != 0 || !x.user.empty()) && x.count_max == 1
         && x.queue.empty() && !x.has_status && x.ids.empty()
         && x.after.empty() && !x.with_contents;
}

void slice_fold::state::index_asked() {
  const auto add = [&](asked_index::by_text& to, std::uint32_t at,
                       const std::string& text) {
    const auto& row = submission_puts[at];
    auto& ends = to[key_of(row.user, text)];
    if (ends.first == none || row.id < submission_puts[ends.first].id)
      ends.first = at;
    if (ends.last == none || row.id > submission_puts[ends.last].id)
      ends.last = at;
  };
  for (auto& at = asked.rows_seen; at < submission_puts.size(); ++at) {
    asked.rows[submission_puts[at].id] = at;
    add(asked.names, at, submission_puts[at].submission.file_name);
  }
  for (const auto at : std::exchange(asked.finished, {}))
    add(asked.batches, at, submission_puts[at].batch_id);
  for (auto& at = asked.changes_seen; at < submission_changes.size(); ++at)
    asked.changes[submission_changes[at].id] = at;
  for (const auto at : std::exchange(asked.changed, {}))
    asked.changed_batches.insert(submission_changes[at].batch_id);
}

const submission_row*
slice_fold::state::asked_row(const submission_query& x) const {
  if (x.id != 0) {
    const auto at = asked.rows.find(x.id);
    return at != asked.rows.end() ? &submission_puts[at->second] : nullptr;
  }
  const auto& in = x.batch_id.empty() ? asked.names : asked.batches;
  const auto at =
    in.find(key_of(x.user, x.batch_id.empty() ? x.file_name : x.batch_id));
  if (at == in.end())
    return nullptr;
  return &submission_puts[x.newest_first ? at->second.last : at->second.first];
}

std::optional<std::vector<submission_row>>
slice_fold::answer(const submission_query& x,
                   std::vector<submission_row> before) {
  auto& s = *state_;
  s.index_asked();
  // The tables do not know which of theirs have ended in that batch since.
  if (!x.batch_id.empty() && s.asked.changed_batches.contains(x.batch_id))
    return std::nullopt;
  if (!before.empty())
    if (const auto at = s.asked.changes.find(before[0].id);
        at != s.asked.changes.end())
      apply_change(before[0], s.submission_changes[at->second]);
  if (const auto* came = s.asked_row(x))
    if (before.empty() || (before[0].id < came->id) == x.newest_first)
      before.assign(1, *came);
  if (before.empty())
    return before;
  if (!is_asked_for(before[0], x))
    return std::nullopt;
  if (!x.with_documents)
    before[0].document.clear();
  return before;
}

} // namespace depositd::rules
