// What depositors and operators are told by the read model, against the
// journal.

#include "messages/values/words.hpp"
#include "tests/simulation/checker.hpp"
#include "tests/simulation/courses.hpp"

#include <set>
#include <string>

namespace depositd::simulation {

namespace {

bool may_be_told(const looked_up& told, const courses& all) {
  const auto state = told.found ? word(*told.found) : std::string{};
  const auto& of = all.of(listing::submissions);
  const auto found = of.find(told.id);
  if (found == of.end())
    return state.empty();
  return found->second.ever(told.asked_at, [&](const stand& x) {
    return x.state == state || x.state == unknown_state;
  });
}

bool comes_after(item_id x, const listed& told, item_id other) {
  return other == 0 || (told.newest_first ? x < other : x > other);
}

/// Empty, or what is wrong with what was told.
std::string why_not(const listed& told, const courses& all) {
  const auto& of = all.of(told.what);
  std::set<item_id> shown;
  auto last = told.after;
  for (const auto& [id, state] : told.rows) {
    // Items come by their priority.
    const auto orderly
      = told.what == listing::items || comes_after(id, told, last);
    last = id;
    if (!shown.insert(id).second || !orderly)
      return std::to_string(id) + " is shown out of turn";
    const auto found = of.find(id);
    if (found == of.end()
        || !found->second.ever(
          told.asked_at, [&, text = state](const stand& x) {
            return x.among == told.among
                   && (x.state == text || x.state == unknown_state);
          }))
      return std::to_string(id) + " is shown as it was not: " + state;
  }
  if (told.rows.size() >= told.count_max)
    return {};
  for (const auto& [id, course] : of)
    if (!shown.contains(id) && comes_after(id, told, told.after)
        && course.always(told.asked_at, [&](const stand& x) {
             return x.among == told.among && x.state != unknown_state;
           }))
      return std::to_string(id) + " is not shown";
  return {};
}

} // namespace

void check_look_ups(const history& x, findings& out) {
  courses all{x.kept_us};
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto& [at_us, what] = x.entries[i];
    all.pass(x.wall_began_us + at_us, i);
    if (const auto* record = std::get_if<journalled>(&what)) {
      all.follow(*record, i);
    } else if (const auto* wish = std::get_if<forget_wanted>(&what)) {
      all.follow(*wish, i);
    } else if (const auto* gone = std::get_if<forgotten>(&what)) {
      all.follow(*gone, i);
    } else if (const auto* told = std::get_if<looked_up>(&what)) {
      if (!may_be_told(*told, all))
        out.push_back({"A-1", i,
                       "who asked for " + std::to_string(told->id)
                         + " was told what is not so"});
    } else if (const auto* list = std::get_if<listed>(&what)) {
      if (const auto wrong = why_not(*list, all); !wrong.empty())
        out.push_back({"A-2", i, "of " + list->among + ": " + wrong});
    }
  }
}

} // namespace depositd::simulation
