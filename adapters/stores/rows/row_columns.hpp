#pragma once

// The columns of every row that stores keep in tables. A new column is a line
// here, behind the others, and a step of each store's migration.

#include "adapters/stores/rows/columns.hpp"
#include "adapters/stores/rows/row_checksum.hpp"
#include "messages/ports/doi_registry.hpp"
#include "messages/values/rows.hpp"

namespace depositd::rows {

// -- live items

template <>
inline constexpr std::string_view table_name<item_row> = "items";

template <>
inline constexpr auto columns<item_row> = std::tuple{
  column{"id", is::key, &item_row::id},
  column{"queue", is::seldom, &item_row::queue},
  column{"user", is::plain, &item_row::user},
  column{"priority", is::seldom, &item_row::priority},
  column{"size", is::plain, &item_row::size},
  column{"received_us", is::plain, &item_row::received_us},
  column{"digest", is::plain, &item_row::digest},
  column{"kind", is::plain, &item_row::kind},
  column{"body_group", is::changing, &item_row::place, &body_location::group},
  column{"body_offset", is::changing, &item_row::place, &body_location::offset},
  column{"body_length", is::changing, &item_row::place, &body_location::length},
  column{"state", is::changing, &item_row::state},
  column{"attempt", is::changing, &item_row::attempt},
  column{"available_us", is::changing, &item_row::available_us},
  column{"token", is::changing, &item_row::token},
  column{"deadline_us", is::changing, &item_row::deadline_us},
  column{"local", is::changing, &item_row::local},
  column{"processor", is::changing, &item_row::processor},
};

inline std::string described(const item_row& x) {
  return "item " + std::to_string(x.id);
}

// -- where users stand in rings

template <>
inline constexpr std::string_view table_name<ring_row> = "rings";

template <>
inline constexpr auto columns<ring_row> = std::tuple{
  column{"queue", is::key, &ring_row::queue},
  column{"user", is::key, &ring_row::user},
  column{"stamp", is::changing, &ring_row::stamp},
  column{"credit", is::changing, &ring_row::credit},
};

inline std::string described(const ring_row& x) {
  return "the ring of queue " + x.queue + " at user " + x.user;
}

/// What a `ring_row` says that has spent something: a table of its own, for
/// where turns are shared out nothing is written to it.
struct paid_row {
  std::string queue;
  std::string user;
  std::uint64_t spent = 0;
  std::uint64_t floor = 0;
  std::uint64_t since = 0;
  bool gone = false;
};

template <>
inline constexpr std::string_view table_name<paid_row> = "ring_costs";

template <>
inline constexpr auto columns<paid_row> = std::tuple{
  column{"queue", is::key, &paid_row::queue},
  column{"user", is::key, &paid_row::user},
  column{"spent", is::changing, &paid_row::spent},
  column{"floor", is::changing, &paid_row::floor},
  column{"since", is::changing, &paid_row::since},
};

inline std::string described(const paid_row& x) {
  return "what user " + x.user + " has spent in queue " + x.queue;
}

// -- what operators set

template <>
inline constexpr std::string_view table_name<control_row> = "controls";

template <>
inline constexpr auto columns<control_row> = std::tuple{
  column{"kind", is::key, &control_row::kind},
  column{"key", is::key, &control_row::key},
  column{"value", is::changing | is::bytes, &control_row::value},
};

inline std::string described(const control_row& x) {
  return "control " + std::to_string(x.kind) + " of " + x.key;
}

// -- submissions; each store keeps the document in its own way

template <>
inline constexpr std::string_view table_name<submission_row> = "submissions";

inline constexpr auto submission = &submission_row::submission;

template <>
inline constexpr auto columns<submission_row> = std::tuple{
  column{"id", is::key, &submission_row::id},
  column{"user", is::plain, &submission_row::user},
  column{"queue", is::plain, &submission_row::queue},
  column{"file_name", is::plain, submission, &submission::file_name},
  column{"operation", is::plain, submission, &submission::operation},
  column{"login", is::plain, submission, &submission::login},
  column{"source", is::plain, submission, &submission::source},
  column{"blob", is::plain, submission, &submission::blob},
  column{"size", is::plain, submission, &submission::size},
  column{"status", is::changing, &submission_row::status},
  column{"failed", is::changing, &submission_row::failed},
  column{"parked", is::changing, &submission_row::parked},
  column{"batch_id", is::changing, &submission_row::batch_id},
  column{"processor", is::changing, &submission_row::processor},
  column{"reason", is::changing, &submission_row::reason},
  column{"received_us", is::plain, &submission_row::received_us},
  column{"started_us", is::changing, &submission_row::started_us},
  column{"finished_us", is::changing, &submission_row::finished_us},
  column{"attempt", is::changing, &submission_row::attempt},
  column{"trace", is::added, submission, &submission::trace},
  column{"digest", is::added, &submission_row::digest},
};

inline std::string described(const submission_row& x) {
  return "submission " + std::to_string(x.id);
}

// -- batches and jobs

template <>
inline constexpr std::string_view table_name<batch_row> = "batches";

template <>
inline constexpr auto columns<batch_row> = std::tuple{
  column{"id", is::key, &batch_row::id},
  column{"user", is::plain, &batch_row::user},
  column{"uuid", is::plain, &batch_row::info, &batch_info::uuid},
  column{"collection", is::plain, &batch_row::info, &batch_info::collection},
  column{"pipeline", is::plain, &batch_row::info, &batch_info::pipeline},
  column{"source", is::plain, &batch_row::info, &batch_info::source},
  column{"submitter", is::plain, &batch_row::info, &batch_info::submitter},
  column{"type", is::plain, &batch_row::info, &batch_info::type},
  column{"file_name", is::plain, &batch_row::info, &batch_info::file_name},
  column{"title", is::plain, &batch_row::info, &batch_info::title},
  column{"received_us", is::plain, &batch_row::received_us},
  column{"queue", is::changing, &batch_row::queue},
  column{"state", is::changing, &batch_row::status, &batch_status::state},
  column{"changed_us", is::changing, &batch_row::status,
         &batch_status::changed_us},
  column{"note", is::changing, &batch_row::status, &batch_status::note},
  column{"expected", is::changing, &batch_row::jobs, &job_counts::expected},
  column{"split", is::changing, &batch_row::jobs, &job_counts::split},
  column{"open", is::changing, &batch_row::jobs, &job_counts::open},
  column{"held", is::changing, &batch_row::jobs, &job_counts::held},
  column{"completed", is::changing, &batch_row::jobs, &job_counts::completed},
  column{"failed", is::changing, &batch_row::jobs, &job_counts::failed},
  column{"deleted", is::changing, &batch_row::jobs, &job_counts::deleted},
  column{"reports", is::changing, &batch_row::reports},
};

inline std::string described(const batch_row& x) {
  return "batch " + std::to_string(x.id);
}

template <>
inline constexpr std::string_view table_name<job_row> = "jobs";

inline constexpr auto status = &job_row::status;
inline constexpr auto facts = &job_row::facts;

template <>
inline constexpr auto columns<job_row> = std::tuple{
  column{"id", is::key, &job_row::id},
  column{"batch", is::plain, &job_row::batch},
  column{"user", is::plain, &job_row::user},
  column{"uuid", is::plain, &job_row::info, &job_info::uuid},
  column{"collection", is::plain, &job_row::info, &job_info::collection},
  column{"pipeline", is::plain, &job_row::info, &job_info::pipeline},
  column{"type", is::plain, &job_row::info, &job_info::type},
  column{"file_name", is::plain, &job_row::info, &job_info::file_name},
  column{"created_us", is::plain, &job_row::created_us},
  column{"queue", is::changing, &job_row::queue},
  column{"priority", is::changing, &job_row::priority},
  column{"attempt", is::changing, &job_row::attempt},
  column{"state", is::changing, status, &job_status::state},
  column{"last_successful", is::changing, status, &job_status::last_successful},
  column{"retry_count", is::changing, status, &job_status::retry_count},
  column{"needs_review", is::changing, status, &job_status::needs_review},
  column{"submit_again", is::changing, status, &job_status::submit_again},
  column{"changed_us", is::changing, status, &job_status::changed_us},
  column{"note", is::changing, status, &job_status::note},
  column{"deaths", is::changing, status, &job_status::deaths},
  column{"identifier", is::seldom, facts, &job_facts::identifier},
  column{"local_ids", is::seldom, facts, &job_facts::local_ids},
  column{"title", is::seldom, facts, &job_facts::title},
  column{"creator", is::seldom, facts, &job_facts::creator},
  column{"date", is::seldom, facts, &job_facts::date},
  column{"space_needed", is::seldom, facts, &job_facts::space_needed},
};

inline std::string described(const job_row& x) {
  return "job " + std::to_string(x.id);
}

// -- records of sources; each store keeps the body in its own way

template <>
inline constexpr std::string_view table_name<record_row> = "records";

template <>
inline constexpr auto columns<record_row> = std::tuple{
  column{"source", is::key, &record_row::source},
  column{"made_us", is::key, &record_row::made_us},
  column{"key", is::key, &record_row::key},
  column{"refused", is::key, &record_row::refused},
  column{"queue", is::plain, &record_row::queue},
  column{"user", is::plain, &record_row::user},
  column{"id", is::plain, &record_row::id},
  column{"state", is::changing, &record_row::state},
  column{"place", is::changing, &record_row::place},
  column{"ended_us", is::changing, &record_row::ended_us},
  column{"reason", is::changing, &record_row::reason},
};

inline std::string described(const record_row& x) {
  return "record " + x.key + " of source " + x.source;
}

template <>
inline constexpr std::string_view table_name<record_totals> = "record_totals";

template <>
inline constexpr auto columns<record_totals> = std::tuple{
  column{"source", is::key, &record_totals::source},
  column{"made_us", is::key, &record_totals::made_us},
  column{"finished", is::changing, &record_totals::finished},
  column{"failed", is::changing, &record_totals::failed},
};

inline std::string described(const record_totals& x) {
  return "the totals of source " + x.source;
}

// -- what is true of the tables of a projection as a whole

/// How far they are, and the sums of those that recovery loads.
struct watermarks {
  sequence reached = 0;
  item_id id_max = 0;
  table_sum items;
  table_sum rings;
  table_sum controls;
  table_sum batches; ///< of those whose items live
  table_sum jobs;    ///< the same
  table_sum records;
  table_sum record_totals;
  table_sum ring_costs;
};

template <>
inline constexpr std::string_view table_name<watermarks> = "meta";

template <>
inline constexpr auto columns<watermarks> = std::tuple{
  column{"reached", is::changing, &watermarks::reached},
  column{"id_max", is::changing, &watermarks::id_max},
  column{"items", is::changing, &watermarks::items, &table_sum::rows},
  column{"items_sum", is::changing, &watermarks::items, &table_sum::sum},
  column{"rings", is::changing, &watermarks::rings, &table_sum::rows},
  column{"rings_sum", is::changing, &watermarks::rings, &table_sum::sum},
  column{"controls", is::changing, &watermarks::controls, &table_sum::rows},
  column{"controls_sum", is::changing, &watermarks::controls, &table_sum::sum},
  column{"batches", is::added | is::changing, &watermarks::batches,
         &table_sum::rows},
  column{"batches_sum", is::added | is::changing, &watermarks::batches,
         &table_sum::sum},
  column{"jobs", is::added | is::changing, &watermarks::jobs, &table_sum::rows},
  column{"jobs_sum", is::added | is::changing, &watermarks::jobs,
         &table_sum::sum},
  column{"records", is::added | is::changing, &watermarks::records,
         &table_sum::rows},
  column{"records_sum", is::added | is::changing, &watermarks::records,
         &table_sum::sum},
  column{"record_totals", is::added | is::changing, &watermarks::record_totals,
         &table_sum::rows},
  column{"record_totals_sum", is::added | is::changing,
         &watermarks::record_totals, &table_sum::sum},
  column{"ring_costs", is::added | is::changing, &watermarks::ring_costs,
         &table_sum::rows},
  column{"ring_costs_sum", is::added | is::changing, &watermarks::ring_costs,
         &table_sum::sum},
};

inline std::string described(const watermarks&) {
  return "the row of watermarks (in meta or projection_marks)";
}

// -- DOIs; a number of its submission comes behind

template <>
inline constexpr std::string_view table_name<doi_record> = "dois";

template <>
inline constexpr auto columns<doi_record> = std::tuple{
  column{"doi", is::changing, &doi_record::doi},
  column{"resource", is::changing, &doi_record::resource},
  column{"issn", is::changing, &doi_record::issn},
  column{"isbn", is::changing, &doi_record::isbn},
  column{"journal_title", is::changing, &doi_record::journal_title},
  column{"title", is::changing, &doi_record::title},
  column{"first_author", is::changing, &doi_record::first_author},
  column{"volume", is::changing, &doi_record::volume},
  column{"issue", is::changing, &doi_record::issue},
  column{"first_page", is::changing, &doi_record::first_page},
  column{"year", is::changing, &doi_record::year},
  column{"owner", is::changing, &doi_record::owner},
  column{"timestamp", is::changing, &doi_record::timestamp},
  column{"citations", is::added | is::changing, &doi_record::citations},
};

inline std::string described(const doi_record& x) {
  return "the record of DOI " + x.doi;
}

} // namespace depositd::rows
