#include "actors/operators/catalogue.hpp"

#include <set>
#include <utility>

namespace depositd::operators {

namespace {

caf::result<objects_found> find(inventory& from, const search_objects& x) {
  objects_found out;
  std::set<std::string> seen;
  for (auto search : x.any) {
    // Of those found before, all may be found once more.
    search.count_max =
      x.count_max + static_cast<std::uint32_t>(out.objects.size());
    auto found = from.find(search);
    if (!found)
      return std::move(found.error());
    for (auto& one : *found) {
      if (out.objects.size() >= x.count_max)
        return out;
      if (seen.insert(one.identifier).second)
        out.objects.push_back(std::move(one));
    }
  }
  return out;
}

} // namespace

catalogue_actor::behavior_type catalogue(actor_with<catalogue_state>* self,
                                         std::shared_ptr<inventory> from) {
  self->state.from = std::move(from);
  return {
    [=](const search_objects& x) { return find(*self->state.from, x); },
    [=](const find_object_files& x) -> caf::result<object_files_found> {
      auto files = self->state.from->files(x.identifier, x.version);
      if (!files)
        return std::move(files.error());
      return object_files_found{std::move(*files)};
    },
    [=](const find_premis& x) -> caf::result<premis_found> {
      auto events = self->state.from->events(x.what);
      if (!events)
        return std::move(events.error());
      return premis_found{std::move(*events)};
    },
    [=](const find_checks& x) -> caf::result<checks_found> {
      auto* checks = self->state.from->checks();
      if (checks == nullptr)
        return caf::make_error(ec::not_found,
                               std::string{"nothing is known of checks"});
      auto files = checks->due(x.what);
      if (!files)
        return std::move(files.error());
      return checks_found{std::move(*files)};
    },
    [=](const measure_collections& x) -> caf::result<collections_measured> {
      auto use = self->state.from->use_of_collections(x.since_us);
      if (!use)
        return std::move(use.error());
      return collections_measured{std::move(*use)};
    },
    [=](const measure_recorded& x) -> caf::result<recorded_measured> {
      auto use = self->state.from->recorded_in(x.what);
      if (!use)
        return std::move(use.error());
      return recorded_measured{std::move(*use)};
    },
  };
}

} // namespace depositd::operators
