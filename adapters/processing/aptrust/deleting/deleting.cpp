#include "adapters/processing/aptrust/deleting/deleting.hpp"

#include "adapters/processing/aptrust/consent/consent.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>

namespace depositd::aptrust {

namespace {

using merritt::ended;
using merritt::in_quotes;

/// Events that are recorded at once.
constexpr std::size_t events_max = 1'000;

std::string agreed(const preservation_order& x) {
  auto out = "asked for by " + x.asked_by + ", approved by " + x.inst_approver;
  if (!x.aptrust_approver.empty())
    out += " and " + x.aptrust_approver;
  return out + " (" + x.deletion + ")";
}

premis_facts deletion_of(const order_work& x, const std::string& file) {
  premis_facts out;
  out.type = premis_types::deletion;
  out.detail = agreed(x.order);
  out.file = file;
  return out;
}

/// What the inventory knows, and what it does not know yet: of a version whose
/// ingest came no further than storage.
std::vector<std::string> places_of(const order_work& x) {
  auto out = x.object.storage;
  for (const auto& name : x.job.task.collection->storage)
    if (x.tools().storage.contains(name)
        && std::find(out.begin(), out.end(), name) == out.end())
      out.push_back(name);
  return out;
}

caf::error record_files(order_work& x) {
  const auto files = files_of(x);
  if (!files)
    return files.error() == ec::not_found ? caf::error{} : files.error();
  std::vector<premis_event> events;
  for (const auto& file : *files) {
    events.push_back(make_event(x.scene(), deletion_of(x, file.path)));
    if (events.size() < events_max)
      continue;
    if (auto failure = x.tools().inventory->record_events(events))
      return failure;
    events.clear();
  }
  return x.tools().inventory->record_events(events);
}

} // namespace

outcome delete_object(order_work& x) {
  const auto& control = x.job.task.item.control;
  if (const auto refused = refusal_of(x.order, x.job.job.user, control.get(),
                                      x.object.versions))
    return ended(refused->says, refused->why);
  auto* book = x.tools().inventory->checks();
  if (book == nullptr)
    return ended(verdict::failed, "this process has no inventory of its own");
  for (const auto& name : x.object.storage)
    if (!x.tools().storage.contains(name))
      return ended(verdict::failed,
                   "no storage " + in_quotes(name) + " is set up here");
  // First the bytes: what is in the inventory can be asked for once more.
  for (const auto& name : places_of(x)) {
    if (const auto failure =
          x.tools().storage.at(name)->remove(x.object.identifier))
      return ended(failure, verdict::retry, "storage " + name);
    crash_point("copy_removed");
  }
  if (const auto failure = record_files(x))
    return ended(verdict::retry, render(failure));
  crash_point("deletion_told");
  const auto whole = make_event(x.scene(), deletion_of(x, ""));
  if (const auto failure = book->forget(x.object.identifier, {whole}))
    return ended(verdict::retry, render(failure));
  crash_point("object_forgotten");
  return ended(verdict::done, "deleted, " + agreed(x.order));
}

} // namespace depositd::aptrust
