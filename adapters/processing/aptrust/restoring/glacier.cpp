// What is far away is asked for, and waited for without a slot.

#include "adapters/processing/aptrust/restoring/restoring.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/test_points.hpp"
#include "messages/work.hpp"

namespace depositd::aptrust {

namespace {

using merritt::ended;
using merritt::in_quotes;

/// Whether the order that follows is durable, or was and is over.
caf::expected<bool> is_queued(const order_work& x, const std::string& uuid) {
  if (!x.tools().work)
    return false;
  const auto rows = x.tools().work->batches({.uuid = uuid});
  if (!rows)
    return rows.error();
  return !rows->empty();
}

new_order following(const order_work& x) {
  auto next = x.order;
  next.kind =
    next.file.empty() ? order_kind::restore_object : order_kind::restore_file;
  next.follows = x.job.job.batch_uuid;
  return make_order(next, {.uuid = next_order_uuid(x.job.job.batch_uuid),
                           .user = x.job.job.user,
                           .collection = x.job.job.collection,
                           .source = "engine",
                           .now_us = engine_clock::system().now()});
}

outcome queue_restoration(order_work& x) {
  if (!x.tools().submit)
    return ended(verdict::failed, "this process cannot queue orders");
  const auto next = following(x);
  const auto done = ended(verdict::done, "it can be read; " + next.info.type
                                           + " is batch " + next.info.uuid);
  auto queued = is_queued(x, next.info.uuid);
  if (queued && *queued)
    return done;
  if (!queued)
    return ended(verdict::retry, render(queued.error()));
  const auto said = x.tools().submit({.user = x.job.job.user,
                                      .info = next.info,
                                      .document = encode(next.document)});
  crash_point("restoration_queued");
  if (said)
    return done;
  // It may have come without our hearing of it.
  queued = is_queued(x, next.info.uuid);
  if (queued && *queued)
    return done;
  return ended(verdict::retry, render(said.error()));
}

outcome wait_for(recall x, const std::string& name) {
  switch (x) {
    case recall::begun:
      return ended(verdict::not_yet, "asked storage " + name + " for it");
    case recall::too_busy:
      return ended(verdict::not_yet, "storage " + name + " is too busy");
    default:
      return ended(verdict::not_yet, "it is on its way in storage " + name);
  }
}

} // namespace

outcome restore_glacier(order_work& x) {
  const auto targets = x.targets();
  if (targets.empty())
    return ended(verdict::failed,
                 "none of the object's storage is set up here");
  std::string missing;
  for (const auto& name : targets) {
    const auto how = x.tools().storage.at(name)->bring_back(
      x.object.identifier, x.order.file, x.tools().restoring.recalled_days);
    if (how && *how == recall::at_hand)
      return queue_restoration(x);
    if (how)
      return wait_for(*how, name);
    if (how.error() != ec::not_found)
      return ended(verdict::retry,
                   "storage " + name + ": " + render(how.error()));
    missing = render(how.error());
  }
  return ended(verdict::failed, "no storage has it: " + missing);
}

} // namespace depositd::aptrust
