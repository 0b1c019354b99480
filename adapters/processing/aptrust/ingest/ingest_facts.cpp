#include "adapters/processing/aptrust/ingest/ingest_facts.hpp"

#include "adapters/processing/aptrust/ingest/steps.hpp"
#include "messages/values/time_text.hpp"

#include <system_error>
#include <utility>
#include <vector>

namespace depositd::aptrust {

namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t others_max = 100;
constexpr std::uint32_t events_max = 100;

bool is_of_same_pipeline(const bag_in_hand& x, const job_row& row) {
  return x.work.task.item.queue.starts_with(row.info.pipeline + ".");
}

/// Bags come as batches, whose numbers rise; those of jobs need not, because
/// batches are split at the same time.
using arrival = std::pair<item_id, item_id>;

caf::expected<arrival> arrival_of(const bag_in_hand& x,
                                  const std::vector<job_row>& rows) {
  const auto own = x.work.task.item.item.id;
  for (const auto& row : rows)
    if (row.id == own)
      return arrival{row.batch, row.id};
  job_query ask;
  ask.id = own;
  ask.user = x.work.job.user;
  ask.count_max = 1;
  const auto found = x.work.tools.work->jobs(ask);
  if (!found)
    return found.error();
  return arrival{found->empty() ? 0 : found->front().batch, own};
}

/// Whether other work has ingested these very bytes since the item was made.
caf::expected<bool> is_recorded(const bag_in_hand& x) {
  premis_query ask;
  ask.object = x.object();
  ask.type = premis_types::ingestion;
  ask.of_object = true;
  ask.since_us = x.item.created_at;
  ask.count_max = events_max;
  const auto events = x.work.tools.inventory->events(ask);
  if (!events)
    return events.error();
  for (const auto& event : *events)
    if (event.outcome == premis_success && event.job != x.work.job.uuid
        && event.outcome_detail == etag_text(x.item.etag))
      return true;
  return false;
}

/// The object's last version when this bag was compared with it; 0: none.
std::uint32_t compared_with(const bag_in_hand& x) {
  const auto left = x.work.job.more.find(left_by_ingest::reingest);
  return left != x.work.job.more.end() && left->is_object()
           ? left->value("version", std::uint32_t{0})
           : 0;
}

/// Stages from storage on also run on nodes that have no read model: the
/// inventory tells.
caf::expected<bool> is_newer_recorded(const bag_in_hand& x) {
  const auto found = x.work.tools.inventory->find({.identifier = x.object()});
  if (!found)
    return found.error();
  const auto own_date = format_utc(x.item.bag_date);
  const auto before = compared_with(x);
  bool newer = false;
  for (const auto& object : *found)
    for (const auto& version : object.versions) {
      if (version.job == x.work.job.uuid)
        return false; // it has its place, and is to be ended
      newer = newer || (version.number > before && version.date > own_date);
    }
  return newer;
}

bag_state state_of_bag(const bag_in_hand& x) {
  const auto failure = check_same_bag(x);
  if (!failure)
    return bag_state::same;
  if (failure == ec::not_found)
    return bag_state::gone;
  return failure == ec::store_damaged ? bag_state::changed : bag_state::unknown;
}

} // namespace

caf::expected<ingests_beside> other_ingests(const bag_in_hand& x) {
  job_query ask;
  ask.user = x.work.job.user;
  ask.identifier = x.object();
  ask.states = {
    job_state::pending,      job_state::held,        job_state::estimating,
    job_state::provisioning, job_state::downloading, job_state::processing,
    job_state::storing,      job_state::recording,   job_state::notify};
  ask.count_max = others_max;
  const auto rows = x.work.tools.work->jobs(ask);
  if (!rows)
    return rows.error();
  const auto own = arrival_of(x, *rows);
  if (!own)
    return own.error();
  ingests_beside out;
  for (const auto& row : *rows) {
    if (!is_of_same_pipeline(x, row))
      continue;
    out.older = out.older || arrival{row.batch, row.id} < *own;
    out.newer = out.newer || arrival{row.batch, row.id} > *own;
  }
  return out;
}

caf::expected<skip_facts> facts_of(const bag_in_hand& x) {
  skip_facts out;
  const auto interim = merritt::look_at(x.files.files());
  if (!interim)
    return interim.error();
  out.has_interim = *interim != fs::file_type::not_found;
  if (!out.has_interim) {
    const auto recorded = is_recorded(x);
    if (!recorded)
      return recorded.error();
    out.recorded_since = *recorded;
  }
  if (is_late(x.item.stage)) {
    const auto newer = is_newer_recorded(x);
    if (!newer)
      return newer.error();
    out.newer_recorded = *newer;
    return out;
  }
  const auto others = other_ingests(x);
  if (!others)
    return others.error();
  out.older_unfinished = others->older;
  out.newer_unfinished = others->newer;
  out.bag = state_of_bag(x);
  return out;
}

std::string turn_of(const bag_in_hand& x) {
  return "ingest " + x.work.job.user + " " + x.object();
}

std::string etag_text(const std::string& etag) {
  return "etag:" + etag;
}

} // namespace depositd::aptrust
