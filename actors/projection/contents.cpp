// What depositors have sent, where it came with its item: the tables keep it
// with the submission, so that no segment of the log has to.

#include "actors/projection/sent_contents.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/submission_body.hpp"

#include <algorithm>

namespace depositd::projection {

namespace {

/// Of an item that has just come: empty if its body is somewhere else.
std::string_view file_of(const item_enqueued& x, const stored_group& in) {
  if (x.place.group != in.group || x.place.length == 0
      || x.place.offset + x.place.length > in.bytes.size())
    return {};
  return file_in_submission_body(
    in.bytes.substr(x.place.offset, x.place.length));
}

} // namespace

void sent_contents::add(const record& x, const stored_group& in) {
  const item_enqueued* item = nullptr; // the one that came last
  for (const auto& one : x.events) {
    if (const auto* came = std::get_if<item_enqueued>(&one)) {
      item = came;
      continue;
    }
    const auto* received = std::get_if<submission_received>(&one);
    if (received == nullptr || item == nullptr || item->id != received->id
        || !keeps_contents(received->submission.source))
      continue;
    const auto file = file_of(*item, in);
    if (file.empty())
      continue;
    files_.emplace_back(received->id, file);
    bytes_ += file.size();
  }
}

void sent_contents::move_to(slice& x) {
  for (auto& [id, file] : files_) {
    const auto row = std::lower_bound(
      x.submissions_put.begin(), x.submissions_put.end(), id,
      [](const submission_row& a, item_id b) { return a.id < b; });
    if (row != x.submissions_put.end() && row->id == id)
      row->contents = std::move(file);
  }
}

} // namespace depositd::projection
