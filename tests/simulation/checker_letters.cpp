// who was told that dead letters went back can rely on it.

#include "tests/simulation/checker.hpp"

#include <map>
#include <string>

namespace depositd::simulation {

/// What becomes of them there is judged as of other records: I-13, I-15.
void check_letters(const history& x, findings& out) {
  std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> wanted;
  std::size_t returned = 0;
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto& what = x.entries[i].what;
    if (const auto* wish = std::get_if<letters_wanted>(&what)) {
      wanted[wish->number] = {wish->count, returned};
    } else if (const auto* record = std::get_if<produced>(&what)) {
      returned += record->returned;
    } else if (const auto* told = std::get_if<letters_returned>(&what)) {
      const auto& [count, before] = wanted.at(told->number);
      if (returned < before + count)
        out.push_back({"R-1", i,
                       std::to_string(count) + " letters were said to be sent "
                         "back, and "
                         + std::to_string(returned - before) + " were"});
    }
  }
}

} // namespace depositd::simulation
