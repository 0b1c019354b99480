#pragma once

// Batches and their jobs: what a deposit to a pipeline becomes.

#include "messages/values/fields.hpp"
#include "messages/values/types.hpp"
#include "messages/values/word_list.hpp"

#include <cstdint>
#include <string>

namespace depositd {

/// A job that waits is in the state of the stage that it waits for. The order
/// is that of the read model.
enum class job_state : std::uint8_t {
  none, ///< there is no job yet, or nothing was ever done of it
  pending,
  held,
  estimating,
  provisioning,
  downloading,
  processing,
  storing,
  recording,
  notify,
  completed,
  failed,
  deleted,
};

enum class batch_state : std::uint8_t {
  none, ///< there is no batch yet
  pending,
  held,
  processing,
  reporting,
  completed,
  failed,
  update_reporting,
  deleted,
};

/// What the payload of a job is.
enum class job_type : std::uint8_t { file, container, manifest };

/// Where a job counts in its batch. Held jobs are open.
enum class job_group : std::uint8_t { open, completed, failed, deleted };

/// What an operator may ask of a job or of a batch.
enum class work_action : std::uint8_t {
  hold,
  release,
  requeue,       ///< jobs only
  fail,          ///< jobs only
  update_report, ///< batches only
  remove,
  note, ///< jobs only: says something about it, moves nothing
};

template <>
inline constexpr word_list<job_state, 12> words_of<job_state> = {
  {{job_state::pending, "pending"},
   {job_state::held, "held"},
   {job_state::estimating, "estimating"},
   {job_state::provisioning, "provisioning"},
   {job_state::downloading, "downloading"},
   {job_state::processing, "processing"},
   {job_state::storing, "storing"},
   {job_state::recording, "recording"},
   {job_state::notify, "notify"},
   {job_state::completed, "completed"},
   {job_state::failed, "failed"},
   {job_state::deleted, "deleted"}}};

template <>
inline constexpr word_list<batch_state, 8> words_of<batch_state> = {
  {{batch_state::pending, "pending"},
   {batch_state::held, "held"},
   {batch_state::processing, "processing"},
   {batch_state::reporting, "reporting"},
   {batch_state::completed, "completed"},
   {batch_state::failed, "failed"},
   {batch_state::update_reporting, "update-reporting"},
   {batch_state::deleted, "deleted"}}};

template <>
inline constexpr word_list<job_type, 3> words_of<job_type> = {
  {{job_type::file, "file"},
   {job_type::container, "container"},
   {job_type::manifest, "manifest"}}};

template <>
inline constexpr word_list<work_action, 7> words_of<work_action> = {
  {{work_action::hold, "hold"},
   {work_action::release, "release"},
   {work_action::requeue, "requeue"},
   {work_action::fail, "fail"},
   {work_action::update_report, "update-report"},
   {work_action::remove, "delete"},
   {work_action::note, "note"}}};

/// What every move of a job writes.
struct job_status {
  job_state state = job_state::none;
  job_state last_successful = job_state::none; ///< none: nothing was done yet
  std::uint32_t retry_count = 0;               ///< requeues by operators
  bool needs_review = false;
  bool submit_again = false; ///< failed for good: requeue cannot help
  micros changed_us = never;
  std::string note; ///< for people; empty after a success
  /// Of engines that died with the job in hand, since it entered its stage.
  std::uint32_t deaths = 0;

  friend bool operator==(const job_status&, const job_status&) = default;
};
DEPOSITD_FIELDS(job_status, state, last_successful, retry_count, needs_review,
                submit_again, changed_us, note, deaths);

struct batch_status {
  batch_state state = batch_state::none;
  micros changed_us = never;
  std::string note;

  friend bool operator==(const batch_status&, const batch_status&) = default;
};
DEPOSITD_FIELDS(batch_status, state, changed_us, note);

/// The jobs of a batch, counted. `expected` is known once the batch is split.
struct job_counts {
  std::uint64_t expected = 0;
  bool split = false; ///< all that are expected were created
  std::uint64_t open = 0;
  std::uint64_t held = 0; ///< of the open ones
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t deleted = 0;

  std::uint64_t total() const {
    return open + completed + failed + deleted;
  }

  friend bool operator==(const job_counts&, const job_counts&) = default;
};
DEPOSITD_FIELDS(job_counts, expected, split, open, held, completed, failed,
                deleted);

} // namespace depositd
