#include "actors/operators/catalogue.hpp"

#include <set>
#include <utility>

namespace depositd::operators {

namespace {

template <class Answer, class Found>
caf::result<Answer> answered(caf::expected<Found> found) {
  if (!found)
    return std::move(found.error());
  return Answer{std::move(*found)};
}

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
    [=](const find_object_files& x) {
      return answered<object_files_found>(
        self->state.from->files(x.identifier, x.version));
    },
    [=](const find_premis& x) {
      return answered<premis_found>(self->state.from->events(x.what));
    },
    [=](const find_checks& x) -> caf::result<checks_found> {
      auto* checks = self->state.from->checks();
      if (checks == nullptr)
        return caf::make_error(ec::not_found,
                               std::string{"nothing is known of checks"});
      return answered<checks_found>(checks->due(x.what));
    },
    [=](const measure_collections& x) {
      return answered<collections_measured>(
        self->state.from->use_of_collections(x.since_us));
    },
    [=](const measure_recorded& x) {
      return answered<recorded_measured>(
        self->state.from->recorded_in(x.what));
    },
  };
}

} // namespace depositd::operators
