#pragma once

// Pipelines as they are configured: stages in their order, and how each of
// them is worked on.

#include "messages/values/fields.hpp"
#include "messages/values/jobs.hpp"
#include "messages/values/types.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace depositd {

/// Who does the work of a stage.
enum class handler_kind : std::uint8_t {
  built_in, ///< this program, by the handler's name
  exec,     ///< any program: the item on its standard input
  external, ///< workers that receive from the stage's queue
};

template <>
inline constexpr word_list<handler_kind, 3> words_of<handler_kind> = {
  {{handler_kind::built_in, "built_in"},
   {handler_kind::exec, "exec"},
   {handler_kind::external, "external"}}};

struct stage_settings {
  std::string name;                        ///< [a-z0-9_-]{1,32}
  job_state state = job_state::processing; ///< of a job that waits for it
  handler_kind kind = handler_kind::built_in;
  std::string handler;                     ///< built_in: which one
  std::vector<std::string> command;        ///< exec: program and arguments
  std::uint32_t workers = 4;               ///< items at once, wherever
  std::uint32_t workers_per_node = no_cap; ///< items at once in one process
  std::uint32_t buffer = 0;                ///< items that wait in a process
  std::uint32_t attempts_max = 5;
  std::uint32_t lease_ms = 60'000;      ///< without a renewal
  std::uint32_t retry_delay_ms = 1'000; ///< first delay; doubles
  std::uint32_t retry_delay_ms_max = 600'000;
  std::uint32_t not_yet_delay_ms = 30'000;
  std::uint32_t time_limit_ms = 3'600'000; ///< exec: then it is killed
  std::vector<std::string> nodes;          ///< empty: any

  friend bool operator==(const stage_settings&,
                         const stage_settings&) = default;
};
DEPOSITD_FIELDS(stage_settings, name, state, kind, handler, command, workers,
                workers_per_node, buffer, attempts_max, lease_ms,
                retry_delay_ms, retry_delay_ms_max, not_yet_delay_ms,
                time_limit_ms, nodes);

struct pipeline {
  std::string name;                   ///< [a-z0-9_-]{1,32}
  std::vector<stage_settings> stages; ///< in their order, never empty

  friend bool operator==(const pipeline&, const pipeline&) = default;
};
DEPOSITD_FIELDS(pipeline, name, stages);

/// The queue of a stage, "PIPELINE.STAGE".
inline std::string stage_queue_name(std::string_view pipeline,
                                    std::string_view stage) {
  return std::string{pipeline} + "." + std::string{stage};
}

/// Where batches wait to be split, and where they wait for their report: two
/// queues of every pipeline beside those of its stages.
inline constexpr const char* split_stage = "batch";
inline constexpr const char* report_stage = "report";

/// How the queue of a stage is set: across users by priority. How often an item
/// is handed out is decided with its job, not by the queue.
inline queue_settings stage_queue(const stage_settings& x) {
  queue_settings out;
  out.kind = queue_kind::stage;
  out.priority = priority_mode::across_users;
  out.retry_delay_ms = x.retry_delay_ms;
  out.retry_delay_ms_max = x.retry_delay_ms_max;
  return out;
}

} // namespace depositd
