// O-1: files that are too large for a journal.

#include "tests/simulation/checker.hpp"

#include <set>
#include <string>

namespace depositd::simulation {

namespace {

/// How deposits name a file that no life has ever had.
constexpr const char* no_file = "none";

bool costs_nothing(verdict x) {
  return x == verdict::not_yet || x == verdict::release;
}

} // namespace

void check_files(const history& x, findings& out) {
  std::set<std::string> kept;
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto& what = x.entries[i].what;
    const auto wrong = [&](item_id id, const char* why) {
      out.push_back({"O-1", i, "item " + std::to_string(id) + why});
    };
    if (const auto* file = std::get_if<file_kept>(&what)) {
      kept.insert(file->sha256);
    } else if (const auto* record = std::get_if<journalled>(&what)) {
      const auto* come = std::get_if<submission_received>(&record->what);
      if (come == nullptr)
        continue;
      const auto& blob = come->submission.blob;
      if (!blob.empty() && blob != no_file && !kept.contains(blob))
        wrong(come->id, " names a file that was not kept by then");
    } else if (const auto* asked = std::get_if<file_asked>(&what)) {
      if (asked->said == file_said::away && !costs_nothing(asked->says))
        wrong(asked->id, " pays for a store that is away");
      if (asked->said == file_said::lost && asked->says != verdict::retry
          && asked->says != verdict::failed)
        wrong(asked->id, " goes on without its file");
    }
  }
}

} // namespace depositd::simulation
