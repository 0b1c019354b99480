// Engines that go on from a backup: whoever outside has a number of what is
// lost must not meet something else under it.

#include "tests/simulation/checker.hpp"

#include <algorithm>
#include <string>

namespace depositd::simulation {

void check_backups(const history& x, findings& out) {
  brought_back lost;
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto& what = x.entries[i].what;
    if (const auto* more = std::get_if<brought_back>(&what)) {
      lost.id_max = std::max(lost.id_max, more->id_max);
      lost.epoch_max = std::max(lost.epoch_max, more->epoch_max);
    }
    const auto* record = std::get_if<journalled>(&what);
    if (record == nullptr)
      continue;
    if (const auto* item = std::get_if<item_enqueued>(&record->what);
        item != nullptr && item->id <= lost.id_max)
      out.push_back(
        {"B-1", i, "item " + std::to_string(item->id) + " was given before"});
    if (record->epoch <= lost.epoch_max)
      out.push_back({"B-1", i,
                     "epoch " + std::to_string(record->epoch)
                       + " was given before"});
  }
}

} // namespace depositd::simulation
