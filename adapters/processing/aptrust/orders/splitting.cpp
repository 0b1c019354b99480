#include "adapters/processing/aptrust/orders/splitting.hpp"

#include "adapters/processing/aptrust/work_item.hpp"
#include "adapters/processing/merritt/splitting.hpp"
#include "adapters/processing/merritt/work_on_job.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/orders.hpp"
#include "messages/values/time_text.hpp"

#include <utility>

namespace depositd::aptrust {

namespace {

using merritt::ended;
using merritt::in_quotes;

constexpr std::uint32_t batches_per_page = 1'000;
constexpr int pages_max = 20;

/// The member of a batch's `more`: which version's files are checked, so that
/// they are the same in every slice.
constexpr const char* version_member = "version";

std::optional<item_action> action_of(order_kind x) {
  switch (x) {
    case order_kind::restore_file:
      return item_action::restore_file;
    case order_kind::restore_object:
      return item_action::restore_object;
    case order_kind::restore_glacier:
      return item_action::glacier_restore;
    case order_kind::delete_item:
      return item_action::remove;
    case order_kind::fixity_check:
      break;
  }
  return std::nullopt;
}

class splitting_order {
public:
  splitting_order(const stages::stage_tools& tools,
                  const stages::stage_task& task, batch_document batch,
                  preservation_order order)
    : tools_(tools), task_(task), batch_(std::move(batch)),
      order_(std::move(order)) {
    // nop
  }

  outcome run() {
    if (task_.collection == nullptr)
      return ended(verdict::failed, "there is no collection "
                                      + in_quotes(batch_.collection)
                                      + " any more");
    if (batch_.split == 0)
      if (auto ending = meets_another())
        return *ending;
    if (order_.kind == order_kind::fixity_check && order_.file.empty())
      if (auto ending = list_files())
        return *ending;
    auto out = ended(verdict::done);
    out.document = encode(next_slice());
    return out;
  }

private:
  /// What came by a log of records was accepted before anybody could look.
  std::optional<outcome> meets_another() const {
    if (!tools_.work)
      return std::nullopt;
    auto own = tools_.work->batches({.uuid = batch_.uuid});
    if (!own)
      return ended(verdict::retry, render(own.error()));
    if (own->empty() || own->front().info.source != source_kafka.name)
      return std::nullopt;
    batch_query query;
    query.users = {batch_.user};
    query.states = {batch_state::pending, batch_state::held,
                    batch_state::processing};
    query.newest_first = false;
    query.count_max = batches_per_page;
    for (int page = 0; page < pages_max; ++page) {
      const auto rows = tools_.work->batches(query);
      if (!rows)
        return ended(verdict::retry, render(rows.error()));
      for (const auto& row : *rows) {
        if (row.id >= own->front().id)
          return std::nullopt;
        if (is_unfinished(row.status, row.jobs)
            && orders_meet(row.info, own->front().info))
          return ended(verdict::rejected, "batch " + std::to_string(row.id)
                                            + " (" + row.info.pipeline
                                            + ") is not finished with "
                                            + in_quotes(order_.object));
      }
      if (rows->size() < batches_per_page)
        break;
      query.after = {rows->back().id};
    }
    return std::nullopt;
  }

  /// All files of an object whose fixity is checked.
  std::optional<outcome> list_files() {
    if (order_.object.empty())
      return order_.files.empty() ? std::optional{ended(
               verdict::rejected, "the order names no file")}
                                  : std::nullopt;
    auto found =
      tools_.inventory->find({.identifier = order_.object, .count_max = 1});
    if (!found)
      return ended(verdict::retry, render(found.error()));
    if (found->empty() || found->front().versions.empty())
      return ended(verdict::rejected,
                   "there is no object " + in_quotes(order_.object));
    const auto last = found->front().versions.back().number;
    const auto version = batch_.more.value(version_member, last);
    batch_.more[version_member] = version;
    auto files = tools_.inventory->files(order_.object, version);
    if (!files)
      return ended(verdict::retry, render(files.error()));
    for (const auto& file : *files)
      order_.files.push_back({order_.object, file.path});
    if (order_.files.empty())
      return ended(verdict::rejected,
                   in_quotes(order_.object) + " has no files");
    return std::nullopt;
  }

  split_slice next_slice() {
    split_slice out;
    out.expected = order_.files.empty() ? 1 : order_.files.size();
    auto at = batch_.split;
    for (; at < out.expected && out.jobs.size() < merritt::slice_jobs_max; ++at)
      out.jobs.push_back(job_at(at));
    out.last = at >= out.expected;
    out.batch = batch_;
    out.batch.split = at;
    return out;
  }

  job_document job_at(std::uint64_t number) const {
    auto what = order_;
    what.files.clear();
    if (!order_.files.empty()) {
      what.object = order_.files[number].object;
      what.file = order_.files[number].path;
    }
    job_document out;
    out.uuid = merritt::job_uuid(batch_.uuid, number + 1);
    out.batch_uuid = batch_.uuid;
    out.user = batch_.user;
    out.collection = batch_.collection;
    out.type = what.file.empty() ? job_type::container : job_type::file;
    out.payload.file_name = what.file;
    out.what.identifier = what.object;
    out.submitted = batch_.submitted;
    out.space_needed = 0;
    put_order(out.more, what);
    if (const auto action = action_of(what.kind))
      put_work_item(out.more, item_of(what, *action));
    return out;
  }

  work_item item_of(const preservation_order& what, item_action action) const {
    work_item out;
    out.name = what.object;
    out.institution = batch_.user;
    out.object = what.object;
    out.file = what.file;
    out.user = what.asked_by;
    out.inst_approver = what.inst_approver;
    out.aptrust_approver = what.aptrust_approver;
    out.deletion_request = what.deletion;
    out.action = action;
    out.stage = item_stage::requested;
    if (const auto asked = parse_utc(batch_.submitted))
      out.created_at = out.queued_at = out.date_processed = *asked;
    return out;
  }

  const stages::stage_tools& tools_;
  const stages::stage_task& task_;
  batch_document batch_;
  preservation_order order_;
};

outcome split(const stages::stage_tools& tools, const stages::stage_task& task,
              const stages::stage_handler& others) {
  const auto body = merritt::body_of(tools, task.item.item);
  if (!body)
    return ended(body.error(), verdict::failed, "the batch's document");
  auto batch = decode_batch_document(*body);
  if (!batch)
    return others(task); // which says what is wrong
  auto order = order_in(batch->more);
  if (!order)
    return ended(verdict::failed, render(order.error()));
  if (!*order)
    return others(task);
  return splitting_order{tools, task, std::move(*batch), std::move(**order)}
    .run();
}

} // namespace

stages::stage_handler
make_order_splitter(std::shared_ptr<const stages::stage_tools> tools,
                    stages::stage_handler others) {
  return [tools = std::move(tools),
          others = std::move(others)](const stages::stage_task& task) {
    return split(*tools, task, others);
  };
}

} // namespace depositd::aptrust
