#include "tests/simulation/order_checks.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace depositd::simulation {

namespace {

caf::error nobody_asks() {
  return caf::make_error(ec::not_found, std::string{"nobody asks for that"});
}

caf::error is_away() {
  return caf::make_error(ec::overloaded, std::string{"the inventory is away"});
}

} // namespace

simulated_checks::simulated_checks(surroundings around)
  : around_(std::move(around)) {
  // nop
}

bool simulated_checks::fails() const {
  return !around_.is_calm() && around_.by->one_in(6);
}

caf::expected<std::vector<checked_file>>
simulated_checks::due(const fixity_query& x) {
  if (fails())
    return is_away();
  std::vector<checked_file> out;
  for (const auto& [name, object] : *around_.objects) {
    const auto& but = x.collections_but;
    if (std::find(but.begin(), but.end(), object.collection) != but.end())
      continue;
    for (const auto& [path, checked_us] : object.files_us)
      if (!around_.is_calm() || checked_us < *around_.calm_since_us)
        out.push_back(
          {name, path, object.owner, object.collection, checked_us});
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a.checked_us < b.checked_us;
  });
  if (out.size() > x.count_max)
    out.resize(x.count_max);
  return out;
}

caf::expected<std::vector<spot_candidate>>
simulated_checks::spot_candidates(micros, const std::vector<std::string>&,
                                  std::uint32_t count_max) {
  if (fails())
    return is_away();
  std::vector<spot_candidate> out;
  std::set<std::string> owners;
  for (const auto& [name, object] : *around_.objects)
    if (!around_.is_calm() && out.size() < count_max
        && owners.insert(object.owner).second)
      out.push_back({name, object.owner, object.collection, 1});
  return out;
}

caf::expected<std::optional<checked_file>>
simulated_checks::last_check(const std::string&, const std::string&) {
  return nobody_asks();
}

caf::expected<std::optional<std::vector<std::string>>>
simulated_checks::targets_of(const std::string&, const stored_file&) {
  return nobody_asks();
}

caf::error simulated_checks::checked(const std::string&, const std::string&,
                                     const premis_event&) {
  return nobody_asks();
}

caf::error simulated_checks::forget(const std::string&,
                                    const std::vector<premis_event>&) {
  return nobody_asks();
}

} // namespace depositd::simulation
