#include "messages/values/item_standing.hpp"

#include <array>

namespace depositd {

namespace {

constexpr std::string_view pipelines = "aptrust";

constexpr std::array<std::string_view, ingest_stage_count> ingest_topics = {
  "ingest01_prefetch",
  "ingest02_bag_validation",
  "ingest03_reingest_check",
  "ingest04_staging",
  "ingest05_format_identification",
  "ingest06_storage",
  "ingest07_storage_validation",
  "ingest08_record",
  "ingest09_cleanup"};

constexpr std::array<std::string_view, 5> other_topics = {
  "restore_object", "restore_file", "restore_glacier", "delete_item",
  "fixity_check"};

/// Where it is; what is in no queue any more has come to its end.
std::optional<item_stage> stage_of(const job_row& x) {
  if (!x.info.pipeline.starts_with(pipelines))
    return std::nullopt;
  const auto dot = x.queue.rfind('.');
  if (dot != std::string::npos)
    return stage_of_topic(std::string_view{x.queue}.substr(dot + 1));
  if (x.status.state != job_state::completed)
    return std::nullopt;
  return x.info.pipeline == pipelines ? item_stage::cleanup
                                      : item_stage::resolve;
}

item_status ended(const job_status& x) {
  if (x.note.starts_with(cancelled_note))
    return item_status::cancelled;
  if (x.note.starts_with(suspended_note))
    return item_status::suspended;
  // Attempts that ran out are no failure of the bag: it stays begun.
  return x.submit_again ? item_status::failed : item_status::started;
}

} // namespace

std::optional<item_stage> stage_of_topic(std::string_view topic) {
  for (std::size_t i = 0; i < ingest_topics.size(); ++i)
    if (ingest_topics[i] == topic)
      return static_cast<item_stage>(i);
  for (const auto other : other_topics)
    if (other == topic)
      return item_stage::requested;
  return std::nullopt;
}

std::optional<item_standing> standing_of(const job_row& x, bool claimed) {
  const auto stage = stage_of(x);
  if (!stage)
    return std::nullopt;
  item_standing out;
  out.stage = *stage;
  out.needs_review = x.status.needs_review;
  switch (x.status.state) {
    case job_state::completed:
      out.status = item_status::success;
      out.retry = false;
      break;
    case job_state::deleted:
      out.status = item_status::cancelled;
      out.retry = false;
      break;
    case job_state::failed:
      out.status = ended(x.status);
      out.retry = false;
      break;
    default:
      out.status = claimed ? item_status::started : item_status::pending;
      break;
  }
  return out;
}

} // namespace depositd
