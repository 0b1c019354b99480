#include "actors/operators/command.hpp"

#include <algorithm>

namespace depositd::operators {

const std::vector<command>& all_commands() {
  static const auto all = [] {
    std::vector<command> out;
    for (const auto subject : command_subjects)
      for (auto& command : subject())
        out.push_back(std::move(command));
    return out;
  }();
  return all;
}

namespace {

std::vector<command_group> groups() {
  return {{"queue", "Queues"},
          {"user", "Users, their accounts and limits"},
          {"key", "API keys of the queue door"},
          {"operator", "Who may operate the engine"},
          {"sp", "Submission processors"},
          {"submission", "Submissions"},
          {"drop", "The drop folder"},
          {"kafka", "Topics of Kafka"},
          {"collection", "Collections, and what holds for all of theirs"},
          {"batch", "Batches"},
          {"job", "Jobs"},
          {"review", "Jobs that somebody must look at"},
          {"object", "Objects that are stored"},
          {"file", "Files of objects"},
          {"glacier", "Cold storage"},
          {"deletion", "Requests for deletion"},
          {"fixity", "Whether stored files are what they were"},
          {"report", "What was done in some time"},
          {"pipeline", "Pipelines and their stages"},
          {"topic", "Topics of NSQ's doors"},
          {"channel", "Channels of topics"},
          {"source", "Sources that work is fetched from"},
          {"scheduler", "Schedulers, which feed queues from sources"},
          {"strategy", "Whose record is next"},
          {"audit", "What operators did"},
          {"deadletter", "Records of Kafka that were refused"}};
}

} // namespace

const command* find_command(const std::string& name) {
  for (const auto& command : all_commands())
    if (command.row.words == name)
      return &command;
  return nullptr;
}

const command_table& published_commands() {
  static const auto table = [] {
    command_table out{groups(), {}};
    for (const auto& command : all_commands())
      out.commands.push_back(command.row);
    return out;
  }();
  return table;
}

command reading(std::string words, std::string help,
                std::vector<argument_spec> arguments,
                std::vector<view_block> view, run_function run) {
  auto out = doing(std::move(words), std::move(help), std::move(arguments),
                   std::move(run), std::move(view));
  out.row.reads = true;
  out.needs = operator_role::look;
  return out;
}

command doing(std::string words, std::string help,
              std::vector<argument_spec> arguments,
              std::variant<run_function, decide_function> run,
              std::vector<view_block> view) {
  command out{{std::move(words), std::move(help), std::move(arguments)},
              std::move(run)};
  out.row.view = std::move(view);
  return out;
}

command operating(command x) {
  x.needs = operator_role::operate;
  return x;
}

command concerning(concern about, command x) {
  x.about = about;
  return x;
}

command asking(std::string question, command x) {
  x.row.question = std::move(question);
  return x;
}

command slow(command x) {
  x.row.patience_s = 3'700;
  return x;
}

command counted(std::string question, command x) {
  auto out = asking(std::move(question), slow(std::move(x)));
  out.row.counts_first = true;
  return out;
}

argument_spec name_argument(std::string help, std::string value,
                            std::string names_from, value_kind kind) {
  const std::string name = kind == value_kind::users ? "names" : "name";
  return {name,
          name,
          kind,
          std::move(value),
          std::move(help),
          true,
          std::move(names_from)};
}

argument_spec queue_name_argument() {
  return name_argument("Name of the queue", "QUEUE", "queue list");
}

argument_spec user_name_argument() {
  return name_argument("Name of the user", "USER", "user list",
                       value_kind::user);
}

argument_spec user_names_argument() {
  return name_argument("Names, separated by commas or blanks", "USER[,USER...]",
                       "user list", value_kind::users);
}

argument_spec in_queue_argument() {
  return {"--queue",         "queue", value_kind::text, "QUEUE",
          "Only this queue", false,   "queue list"};
}

argument_spec limit_argument(std::int64_t initial, std::int64_t max) {
  argument_spec out{"--limit", "limit", value_kind::number, "N",
                    "How many (" + std::to_string(initial) + ")"};
  out.min = 1;
  out.max = max;
  out.initial = initial;
  return out;
}

argument_spec after_argument(std::string value, std::string help,
                             std::string names_from) {
  return {"--after",       "after", value_kind::text,     std::move(value),
          std::move(help), false,   std::move(names_from)};
}

argument_spec count_only_argument() {
  return {"--count", "count_only", value_kind::flag, "",
          "Only count what matches"};
}

std::vector<column_spec> columns(const std::string& text) {
  std::vector<column_spec> out;
  for (std::size_t from = 0; from < text.size();) {
    const auto end = std::min(text.find("; ", from), text.size());
    const bool outer = text[from] == '^';
    const auto title = from + outer;
    const auto cell = text.find('=', title);
    out.push_back({text.substr(title, cell - title),
                   text.substr(cell + 1, end - cell - 1), outer});
    from = end + 2;
  }
  return out;
}

view_block table_view(std::string rows, const std::string& text) {
  return {.rows = std::move(rows), .columns = columns(text)};
}

view_block queue_table() {
  return table_view(
    "queues", "QUEUE={name}; KIND={kind}; STATE={suspended?}||open; "
              ">READY={ready}; >IN PROCESS={in_flight}; >USERS={users}; "
              ">ELIGIBLE={eligible_users}; >PROCESSORS={processors}; "
              ">ALLOCATION={allocation}; >CONCURRENCY={concurrency}||none; "
              ">LIMIT={pending_limit}||none");
}

view_block line_view(std::string when, std::string text) {
  return {
    .kind = block_kind::line, .when = std::move(when), .text = std::move(text)};
}

view_block next_page_line(const std::string& list) {
  return line_view("next",
                   "{" + list + ":count} shown; go on with --after {next}");
}

view_block apart(view_block x, std::string when) {
  x.gap = true;
  x.when = std::move(when);
  return x;
}

} // namespace depositd::operators
