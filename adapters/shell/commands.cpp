#include "adapters/shell/commands.hpp"

#include "messages/values/operations.hpp"

namespace depositd::shell {

namespace {

using kind = value_kind;

const command_option queue_name{
  "name", "name", kind::text, queue_value, "Name of the queue", true};
const command_option user_name{
  "name", "name", kind::text, user_value, "Name of the user", true};
const command_option user_names{"names",
                                "names",
                                kind::names,
                                users_value,
                                "Names, separated by commas or blanks",
                                true};
const command_option processor_name{
  "name", "name", kind::text, processor_value, "Name of the processor", true};
const command_option in_queue{"--queue", "queue", kind::text, queue_value,
                              "Only this queue"};
const command_option password{
  "--password-stdin", nullptr, kind::flag, "",
  "Read the password from the first line of standard input"};
const command_option submission_id{
  "id", "id", kind::number, "ID", "Number of the submission", true};

std::vector<command_option> spec_options() {
  return {processor_name,
          {"--types", "types", kind::names, "QUEUE[,QUEUE...]",
           "Queues to serve; the first with work decides (default metadata)"},
          {"--slots", "slots", kind::number, "N", "How many items at once"},
          {"--userFilter,--user-filter", "user_filter", kind::names,
           users_value, "Only these users, or with --excludeUsers all others"},
          {"--excludeUsers,--exclude-users", "exclude_users", kind::flag, "",
           "The filter names users to leave out"},
          {"--preferredUsers,--preferred-users", "preferred_users", kind::names,
           users_value, "Serve these first"},
          {"--lowPriorityUsers,--low-priority-users", "low_priority_users",
           kind::names, users_value, "Accepted and ignored"},
          {"--maxSubmissionSize,--max-submission-size", "max_submission_size",
           kind::limit, "BYTES", "Larger items are left to others; or none"}};
}

const char* operations_help() {
  static const auto text = operation_words() + " (the first unless said)";
  return text.c_str();
}

std::vector<command_option> range_options() {
  return {{"--from", "from_us", kind::time, "TIME",
           "Received at or after, UTC, e.g. 2026-03-01T06:00:00Z"},
          {"--to", "to_us", kind::time, "TIME", "Received at or before, UTC"},
          {"--user", "users", kind::names, users_value, "Only these users"},
          in_queue,
          {"--count", nullptr, kind::flag, "", "Only count what matches"}};
}

void add_queues(std::vector<command_spec>& to) {
  to.push_back({"queue list", "All queues with their numbers", {}, true});
  to.push_back({"queue show", "One queue", {queue_name}, true});
  to.push_back(
    {"queue size", "How many items it has", {queue_name}, true});
  to.push_back(
    {"queue peek",
     "The first items that live in a queue",
     {queue_name, {"--limit", "limit", kind::number, "N", "How many (10)"}},
     true});
  to.push_back({"queue suspend", "Accept, but hand out nothing", {queue_name}});
  to.push_back({"queue resume", "Hand out again", {queue_name}});
  to.push_back({"queue set",
                "Change what holds for all users of a queue",
                {queue_name,
                 {"--allocation", "allocation", kind::number, "N",
                  "Items per user and turn"},
                 {"--concurrency", "concurrency", kind::limit, "N",
                  "Items per user in process; or none"},
                 {"--pending-limit", "pending_limit", kind::limit, "N",
                  "Items per user waiting; or none"},
                 {"--attempts-max", "attempts_max", kind::limit, "N",
                  "Attempts per item; or none"},
                 {"--retry-delay-ms", "retry_delay_ms", kind::number, "N",
                  "Delay before the second attempt; doubles"}}});
  to.push_back({"queue purge",
                "Remove all waiting items",
                {queue_name},
                false,
                "Remove all waiting items of this queue for good?"});
}

void add_users(std::vector<command_spec>& to) {
  to.push_back(
    {"user list",
     "Users with their settings and places",
     {in_queue,
      {"--limit", "limit", kind::number, "N", "How many (1000)"},
      {"--after", "after", kind::text, user_value, "Go on after this name"}},
     true});
  to.push_back({"user show", "One user", {user_name}, true});
  to.push_back({"user add",
                "Create an account",
                {user_name,
                 password,
                 {"--prefix", "prefixes", kind::each, "PREFIX",
                  "DOI prefix it may deposit, e.g. 10.5555; may be repeated; "
                  "none: any"}},
                false,
                nullptr,
                false,
                true});
  to.push_back({"user password",
                "Change a password",
                {user_name, password},
                false,
                nullptr,
                false,
                true});
  to.push_back({"user remove",
                "Remove an account; items stay",
                {user_name},
                false,
                "Remove this account?"});
  to.push_back({"user set",
                "Limits of users; of all deposit queues without --queue",
                {user_names,
                 {"--allocation", "allocation", kind::limit, "N",
                  "Items per turn; 0: out of the rotation; or default"},
                 {"--concurrency", "concurrency", kind::limit, "N",
                  "Items in process; 0: none; or none, default"},
                 in_queue}});
  to.push_back(
    {"user prohibit", "Only processors that require them", {user_names}});
  to.push_back({"user allow", "End of prohibit", {user_names}});
  to.push_back({"user hold", "Hand out nothing of these users", {user_names}});
  to.push_back({"user release", "End of hold", {user_names}});
}

void add_keys(std::vector<command_spec>& to) {
  to.push_back({"key list", "Names and permits", {}, true});
  command_spec add{
    "key add",
    "Make a key; it is printed once",
    {{"name", "name", kind::text, "NAME", "Name of the key, also as a user",
      true},
     {"--permit", "permits", kind::each, "queue|RIGHT|PATTERN",
      "RIGHT: post, poll, get_status, *; PATTERN: a queue, the beginning of "
      "one and *, or *; may be repeated"},
     {"--role", "roles", kind::each, "ROLE",
      "queue_post, queue_poll, queue_standard, queue_admin; may be repeated"},
     {"--key-stdin", nullptr, kind::flag, "",
      "Read the key from the first line of standard input"},
     {"--replace", "replace", kind::flag, "", "The name may have a key"}}};
  add.needs_key = true;
  to.push_back(add);
  to.push_back({"key remove",
                "Remove a key; items stay",
                {{"name", "name", kind::text, "NAME", "Name of the key", true}},
                false,
                "Remove this key?"});
}

void add_submissions(std::vector<command_spec>& to) {
  to.push_back(
    {"submission list",
     "Submissions, newest first",
     {{"--user", "user", kind::text, user_value, "Only of this user"},
      in_queue,
      {"--status", "status", kind::text, "STATUS",
       "queued, in_process or completed"},
      {"--limit", "limit", kind::number, "N", "How many (100)"}},
     true});
  to.push_back({"submission show",
                "Everything about one, with its result",
                {submission_id},
                true});
  command_spec why{"submission why",
                   "Why it is not processed yet",
                   {submission_id,
                    {"--user", "user", kind::text, user_value,
                     "Whose it is, for items of queues of messages"}},
                   true};
  to.push_back(why);
  why.words = "why";
  why.command = "submission why";
  to.push_back(why);
  to.push_back({"submit",
                "Submit files as the operator",
                {{"files", nullptr, kind::files, files_value, "Files", true},
                 {"--user", "user", kind::text, user_value,
                  "Whose submissions they are", true},
                 {"--operation", "operation", kind::text, "OPERATION",
                  operations_help()}}});
  to.push_back({"park", "Set waiting items aside", range_options(), false,
                "Park them?", true});
  to.push_back({"unpark", "Take parked items back", range_options(), false,
                "Take them back?", true});
}

std::vector<command_spec> make_table() {
  std::vector<command_spec> out;
  out.push_back({"status", "The engine at a glance", {}, true});
  out.push_back({"shards", "Which engine has which shard", {}, true});
  out.push_back({"suspend", "Hand out nothing from any queue", {}});
  out.push_back({"resume", "End of suspend", {}});
  add_queues(out);
  add_users(out);
  add_keys(out);
  out.push_back({"sp list", "Processors and what they work on", {}, true});
  out.push_back({"sp add", "Start a processor", spec_options()});
  out.push_back(
    {"sp set", "Change a processor; what is not given stays", spec_options()});
  out.push_back(
    {"sp stop", "Stop a processor; what it has it finishes", {processor_name}});
  add_submissions(out);
  out.push_back({"drop suspend", "Stop looking into the drop folder", {}});
  out.push_back({"drop resume", "Look into the drop folder again", {}});
  out.push_back({"backup",
                 "Copy everything while the engine runs",
                 {{"folder", "folder", kind::folder, "DIR",
                   "New folder on the engine's machine", true}}});
  out.push_back({"kafka init", "Make the topics that the settings name", {}});
  return out;
}

} // namespace

const std::vector<command_spec>& command_table() {
  static const auto table = make_table();
  return table;
}

const std::vector<command_group>& command_groups() {
  static const std::vector<command_group> groups{
    {"queue", "Queues"},
    {"user", "Users, their accounts and limits"},
    {"key", "API keys of the queue door"},
    {"sp", "Submission processors"},
    {"submission", "Submissions"},
    {"drop", "The drop folder"},
    {"kafka", "Topics of Kafka"},
  };
  return groups;
}

const std::vector<command_group>& passed_on_groups() {
  static const std::vector<command_group> groups{
    {"job", "Jobs"},
    {"batch", "Batches"},
    {"collection", "Collections"},
    {"source", "Prefetching sources"},
    {"strategy", "Strategies"},
  };
  return groups;
}

} // namespace depositd::shell
