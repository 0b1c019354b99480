#include "adapters/processing/exec/exec_handler.hpp"

#include "adapters/processing/exec/complaints.hpp"
#include "adapters/processing/exec/program.hpp"
#include "messages/values/job_documents.hpp"
#include "messages/values/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace depositd::exec {

namespace {

using json = nlohmann::json;
using stages::ended;

std::string joined(std::string what, const std::string& note) {
  return note.empty() ? what : what + ": " + note;
}

/// What says whose a job is, which no program changes.
constexpr std::array fixed_members = {"job", "batch", "user", "collection"};

/// The item's document with what the program says; nothing changes if it says
/// nothing.
outcome merged(outcome to, const std::string& body, const std::string& output) {
  if (output.find_first_not_of(" \t\r\n") == std::string::npos)
    return to;
  const auto said = json_of(output);
  if (!said.is_object())
    return ended(verdict::failed, "what it printed is no JSON object, or is "
                                  "nested too deeply");
  auto document = json_of(body);
  const auto before = document;
  document.merge_patch(said);
  for (const auto* name : fixed_members) {
    document.erase(name);
    if (const auto at = before.find(name); at != before.end())
      document[name] = *at;
  }
  auto text = json_text(document);
  if (const auto job = decode_job_document(text); !job)
    return ended(verdict::failed,
                 "what it printed makes no job: " + render(job.error()));
  to.document = std::move(text);
  return to;
}

outcome outcome_of_exit(const program_ending& x, const std::string& body) {
  const auto note = note_of(x.complaints);
  switch (x.code) {
    case exit_done:
      return merged(ended(verdict::done, note), body, x.output);
    case exit_skip:
      return merged(ended(verdict::skip, note), body, x.output);
    case exit_not_yet:
      return merged(ended(verdict::not_yet, note), body, x.output);
    case exit_again:
      return merged(ended(verdict::retry, note), body, x.output);
    case exit_rejected:
      return ended(verdict::rejected, joined("refused", note));
    default:
      return ended(verdict::failed,
                   joined("exit code " + std::to_string(x.code), note));
  }
}

/// What keeps a program from starting now and may not do so later: its file is
/// just being replaced, or the machine is out of something.
bool is_passing(int code) {
  constexpr std::array passing = {ETXTBSY, EAGAIN, ENOMEM, ENFILE, EMFILE};
  return std::find(passing.begin(), passing.end(), code) != passing.end();
}

outcome outcome_of(const program_ending& x, const stages::stage_task& task) {
  const auto& program = task.stage.command.front();
  const auto note = note_of(x.complaints);
  switch (x.how) {
    case program_end::exited:
      return outcome_of_exit(x, task.item.item.body);
    case program_end::killed:
      return ended(verdict::retry, joined(program + " was killed by signal "
                                            + std::to_string(x.code),
                                          note));
    case program_end::too_slow:
      return ended(verdict::retry,
                   joined(program + " was not done after "
                            + std::to_string(task.stage.time_limit_ms) + " ms",
                          note));
    case program_end::too_much:
      return ended(verdict::failed,
                   joined(program + " printed more than "
                            + std::to_string(output_bytes_max) + " bytes",
                          note));
    case program_end::stopped:
      return ended(verdict::retry, joined(program + " was stopped", note));
    case program_end::not_started:
      return ended(is_passing(x.code) ? verdict::retry : verdict::failed,
                   "cannot run " + program + ": " + std::strerror(x.code));
  }
  return ended(verdict::failed, "no such ending");
}

} // namespace

std::string item_text(const stages::stage_task& x) {
  const auto& item = x.item.item;
  auto document = json_of(item.body);
  if (!document.is_object())
    return {};
  const json out = {{"queue", x.item.queue},
                    {"stage", x.stage.name},
                    {"attempt", item.attempt},
                    {"id", item.id},
                    {"document", std::move(document)}};
  return json_text(out) + "\n";
}

stages::stage_handler
make_exec_handler(std::filesystem::path work_folder,
                  std::shared_ptr<program_groups> groups) {
  return [folder = std::move(work_folder),
          groups = std::move(groups)](const stages::stage_task& task) {
    if (task.stage.command.empty())
      return ended(verdict::failed, "the stage names no program");
    program_request run;
    run.command = task.stage.command;
    run.input = item_text(task);
    if (run.input.empty())
      return ended(verdict::failed, "the item is no document");
    run.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8",
                       "DEPOSITD_WORK_FOLDER=" + folder.string()};
    run.folder = folder;
    run.time_limit = std::chrono::milliseconds{task.stage.time_limit_ms};
    run.output_max = output_bytes_max;
    run.groups = groups.get();
    return outcome_of(run_program(run), task);
  };
}

} // namespace depositd::exec
