#pragma once

// A row of the table of commands: what is published of a command and the
// function that runs it. Rows stand in commands/, a source for each subject.

#include "actors/operators/calls.hpp"

#include "messages/values/command_table.hpp"
#include "messages/values/control.hpp"
#include "messages/values/events.hpp"

#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace depositd::operators {

/// What to propose; nothing if everything is so already.
struct admin_change {
  std::vector<event> events;
  document before;
  document after; ///< also the answer
};

/// Or why not: `ec::invalid_argument`, `ec::not_found` or `ec::already_exists`
/// with a text.
using change = caf::expected<admin_change>;

/// Decides a change of settings on what is set now; a pure function.
using decide_function =
  std::function<change(const admin_arguments&, const control_state&)>;

/// The change of one thing, as `show` tells of it; nothing if it is so already.
template <class Event, class F>
admin_change changed(const Event& before, const Event& after, F show) {
  admin_change out{{}, show(before), show(after)};
  if (after != before)
    out.events.push_back(after);
  return out;
}

/// Answers the call, sooner or later.
using run_function = std::function<void(admin_pointer, const admin_call_ptr&)>;

using rules::access::concern;

/// Goes on with what was changed and is durable, and answers the call.
using then_function =
  std::function<void(admin_pointer, const admin_call_ptr&, const document&)>;

/// Refuses a change that names what this engine was not set up with.
using check_function =
  std::function<caf::error(const admin_options&, const admin_arguments&)>;

/// Asks others whether a change may be, which is told by calling the last
/// argument once: with what speaks against it, or with no error.
using ask_function =
  std::function<void(admin_pointer, const admin_call_ptr&,
                       const std::function<void(const caf::error&)>&)>;

struct command {
  command_spec row;
  std::variant<run_function, decide_function> run;
  operator_role needs = operator_role::administer; ///< of whoever gives it
  concern about = concern::everybody;
  then_function then = nullptr; ///< after a change; null: it is the answer
  check_function check = nullptr; ///< before a change; null: of nothing
  ask_function ask_first = nullptr; ///< likewise
};

/// Null if there is none of this name.
const command* find_command(const std::string& name);

/// The one place where rights are checked: whether the caller may give this
/// command, and with these arguments. `unreadable`: what is wrong with the
/// arguments as a whole, which is not for who may not.
caf::error check_rights(admin_call& call, const command& x,
                        const caf::error& unreadable);

/// In the order of help.
const std::vector<command>& all_commands();

/// All of them as they are published.
const command_table& published_commands();

// -- subjects, in the order of help -------------------------------------------

std::vector<command> server_commands();
std::vector<command> queue_commands();
std::vector<command> user_commands();
std::vector<command> account_commands();
std::vector<command> limit_commands();
std::vector<command> key_commands();
std::vector<command> operator_commands();
std::vector<command> processor_commands();
std::vector<command> submission_commands();
std::vector<command> submission_order_commands();
std::vector<command> collection_commands();
std::vector<command> batch_commands();
std::vector<command> job_commands();
std::vector<command> job_order_commands();
std::vector<command> object_commands();
std::vector<command> order_commands();
std::vector<command> deletion_commands();
std::vector<command> use_commands();
std::vector<command> pipeline_commands();
std::vector<command> age_commands();
std::vector<command> upkeep_commands();
std::vector<command> audit_commands();
std::vector<command> record_log_commands();
std::vector<command> letter_commands();
std::vector<command> topic_commands();
std::vector<command> channel_commands();
std::vector<command> source_commands();
std::vector<command> source_record_commands();
std::vector<command> scheduler_commands();
std::vector<command> strategy_commands();

command queue_ring_command();
command user_place_command();
command user_forget_command();

inline constexpr std::vector<command> (*command_subjects[])() = {
  server_commands,        queue_commands,
  user_commands,          account_commands,
  limit_commands,         key_commands,
  operator_commands,      processor_commands,
  submission_commands,    submission_order_commands,
  collection_commands,    batch_commands,
  job_commands,           job_order_commands,
  object_commands,        order_commands,
  deletion_commands,      use_commands,
  pipeline_commands,      age_commands,
  upkeep_commands,        audit_commands,
  record_log_commands,    letter_commands,
  topic_commands,         channel_commands,
  source_commands,        source_record_commands,
  scheduler_commands,     strategy_commands};

/// What commands say that need a log of records.
inline constexpr const char* no_log = "this engine has no Kafka: set "
                                      "kafka.brokers";

// -- what rows are made of ----------------------------------------------------

/// A command that changes nothing: whoever looks may give it.
command reading(std::string words, std::string help,
                std::vector<argument_spec> arguments,
                std::vector<view_block> view, run_function run);

/// A command that decides a change of settings, or does something else. Takes
/// an administrator, if nothing else is said.
command doing(std::string words, std::string help,
              std::vector<argument_spec> arguments,
              std::variant<run_function, decide_function> run,
              std::vector<view_block> view = {});

/// The same command, for all who operate.
command operating(command x);

/// The same command, and whom it concerns.
command concerning(concern about, command x);

/// The same command, asked back before it destroys something.
command asking(std::string question, command x);

/// The same command, whose answer may take an hour.
command slow(command x);

/// The same command, asked with `count_only` before it is carried out.
command counted(std::string question, command x);

/// A name that must be given; `names_from` lists what may stand there.
argument_spec name_argument(std::string help, std::string value = "NAME",
                            std::string names_from = "",
                            value_kind kind = value_kind::text);

argument_spec queue_name_argument();
argument_spec user_name_argument();
argument_spec user_names_argument();
argument_spec in_queue_argument();

/// "--limit N" up to `max`.
argument_spec limit_argument(std::int64_t initial, std::int64_t max = 10'000);

/// "--after": where the next page begins.
argument_spec after_argument(std::string value, std::string help,
                             std::string names_from = "");

/// "--count": nothing is done.
argument_spec count_only_argument();

/// "--bytes-max" and "--requests-per-second", each of a user in a queue.
std::vector<argument_spec> quota_arguments();

/// The quota of this queue and user with what the arguments say, what it was
/// before, and both as documents; nothing if they say nothing.
std::optional<admin_change> quota_change(const admin_arguments& in,
                                         const control_state& now,
                                         const std::string& queue,
                                         const std::string& user);

/// How many bytes the entries of a page may have; far more than those of an
/// ordinary size take.
inline constexpr std::size_t page_bytes_max = 8 << 20;

/// Columns out of "TITLE=cell; TITLE=cell"; '^' before a title: of the row
/// around an inner one.
std::vector<column_spec> columns(const std::string& text);

/// One line for each entry of the list.
view_block table_view(std::string rows, const std::string& columns);

/// One line for each queue in a document with `queues`.
view_block queue_table();

/// One line for each shard in a document with `record_logs`.
view_block record_log_table();

/// One line, if something is there.
view_block line_view(std::string when, std::string text);

/// The line below a page of `list` that is not the last.
view_block next_page_line(const std::string& list);

/// The same block after an empty line, and only if something is there.
view_block apart(view_block x, std::string when = "");

/// The entries of a map that make the page which the arguments ask for, by
/// name: as many as fit, and one at least. What goes on says with which name
/// in `next`.
template <class Map, class F>
void add_page(document& to, const char* list, const Map& all,
              const admin_arguments& in, F show) {
  auto& page = to[list] = document::array();
  const auto count_max = static_cast<std::size_t>(in.number("limit"));
  std::size_t bytes = 0;
  for (auto at = all.upper_bound(in.text("after")); at != all.end(); ++at) {
    auto entry = show(*at);
    bytes += to_text(entry).size();
    const bool fits = page.size() < count_max && bytes <= page_bytes_max;
    if (!fits && !page.empty()) {
      to["next"] = std::prev(at)->first;
      return;
    }
    page.push_back(std::move(entry));
  }
}

} // namespace depositd::operators
