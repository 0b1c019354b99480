#include "adapters/processing/aptrust/consent/consent.hpp"

#include "messages/values/test_points.hpp"

namespace depositd::aptrust {

namespace {

/// Whoever agreed did not agree on what came after that: it may be all that is
/// left of what was deposited.
std::optional<deletion_refused>
has_come_since(const deletion_changed& request,
               const std::vector<inventory_version>& versions) {
  for (const auto& version : versions)
    if (version.recorded_us > request.inst_approved_us
        && !seeded_bug("deleted_what_came_since"))
      return deletion_refused{
        verdict::failed, "version " + std::to_string(version.number)
                           + " was recorded after the deletion was approved: "
                             "who wants that deleted asks once more"};
  return std::nullopt;
}

} // namespace

std::optional<deletion_refused>
refusal_of(const preservation_order& order, const std::string& user,
           const control_state* control,
           const std::vector<inventory_version>& versions) {
  if (order.deletion.empty() || order.inst_approver.empty())
    return deletion_refused{verdict::failed,
                            "nobody has approved the deletion"};
  auto why = control == nullptr ? std::string{"what is set is not known"}
                                : deletion_objection(*control, user, order);
  // What this process knows of requests may be a moment behind.
  if (!why.empty())
    return deletion_refused{verdict::retry, std::move(why)};
  return has_come_since(control->deletions.at(order.deletion), versions);
}

} // namespace depositd::aptrust
