#include "actors/processors/slot_rows.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace depositd::processors {

namespace {

using row = slots_report::entry;
using whose = std::pair<std::string, std::string>; ///< node and processor

whose owner_of(const row& x) {
  return {x.node, x.processor};
}

} // namespace

void spread_over_slots(std::vector<row>& rows) {
  std::map<whose, std::set<std::uint32_t>> idle;
  for (const auto& x : rows)
    if (x.item == 0)
      idle[owner_of(x)].insert(x.slot);
  std::set<std::pair<whose, std::uint32_t>> busy;
  for (auto& x : rows) {
    if (x.item == 0 || busy.emplace(owner_of(x), x.slot).second)
      continue;
    auto& free = idle[owner_of(x)];
    if (free.empty())
      continue;
    x.slot = *free.begin();
    free.erase(free.begin());
    busy.emplace(owner_of(x), x.slot);
  }
  std::erase_if(rows, [&](const auto& x) {
    return x.item == 0 && busy.contains({owner_of(x), x.slot});
  });
}

} // namespace depositd::processors
