#pragma once

// What an operator can say to an engine, as the engine publishes it: the words
// of every command, what it takes, what asks back, and how its answer looks.
// Grammar, help, completion and tables are made from it. The rows themselves
// stand beside the functions that run them, in actors/operators/commands.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace depositd {

/// What may stand for an argument, and so how it travels and is checked.
enum class value_kind : std::uint8_t {
  text,              ///< one text
  word,              ///< one of `words`
  number,            ///< a whole number from `min` to `max`
  limit,             ///< a number or "none"
  limit_or_default,  ///< a number, "none" or "default"
  time,              ///< ISO 8601, UTC; travels as microseconds
  user,              ///< a legal user name
  names,             ///< several texts, separated by commas or blanks
  users,             ///< the same of legal user names, at least one
  each,              ///< one text each time the option is given
  flag,              ///< there or not; --x=false too
  folder,            ///< made absolute, since the engine runs elsewhere
  files,             ///< one request for each: `file_name`, `content_base64`
  file,              ///< the content of one, in base64
  password,          ///< read where the operator is; only its hash travels
  optional_password, ///< the same, only if the option is given
  api_key,           ///< made or read there; only its digest travels
  expiry,            ///< a time, or "90d" from now; travels as microseconds
  bytes,             ///< a number, "10k", "10m", "10g", "none" or "default"
};

/// Numbers that JSON readers everywhere keep exactly.
inline constexpr std::int64_t argument_number_max = std::int64_t{1} << 53;

struct argument_spec {
  std::string spelling; ///< "--limit", "--a,--b", or "name" for a positional
  std::string key;      ///< in the JSON arguments
  value_kind kind = value_kind::text;
  std::string value; ///< what help calls it
  std::string help;
  bool required = false;
  std::string names_from = {}; ///< the command that lists what may stand here
  std::vector<std::string> words = {};
  std::int64_t min = 0;
  std::int64_t max = argument_number_max;
  std::optional<std::int64_t> initial = {}; ///< of a number that is not given
};

/// One column of a table. `cell` is a text in which {path} stands for a value:
/// {a.b} goes into objects and lists, {a,b} joins what is there, {flag?word} is
/// the word (or the flag's name) where the flag is true. {at:time} leaves out
/// parts of a second, {list:count} and {list:sum} are numbers. Of texts between
/// || the first counts that has all its values.
struct column_spec {
  std::string title; ///< begins with '>' above numbers
  std::string cell;
  bool outer = false; ///< of the row around an inner one, shown once
};

enum class block_kind : std::uint8_t {
  table,  ///< one line for each of `rows`
  pairs,  ///< "title: cell" lines
  line,   ///< one line of `text`, or one for each of `rows`
  fields, ///< every field but the one called `text`
  lines,  ///< the lines of the text at `text`
  file,   ///< the text at `text` as it is, but for terminals
};

/// One part of an answer as people see it.
struct view_block {
  block_kind kind = block_kind::table;
  std::string rows = {};  ///< path of a list; empty: the document is the row
  std::string inner = {}; ///< path of a list in each row: a line for each
  std::string where = {}; ///< only rows for which this `path=text` holds
  std::string when = {};  ///< only if something is there, or the flag is true
  std::vector<column_spec> columns = {};
  std::string text = {};
  bool gap = false;   ///< after an empty line
  bool joins = false; ///< its rows belong to the table before it
};

/// One command.
struct command_spec {
  std::string words; ///< "queue show"
  std::string help;
  std::vector<argument_spec> arguments = {};
  bool reads = false;        ///< changes nothing, so it may be repeated at will
  std::string question = {}; ///< destructive: asked unless --yes
  bool counts_first = false; ///< asked with `count_only` before the question
  std::uint32_t patience_s = 30;     ///< how long to wait for an answer
  std::string alias = {};            ///< another spelling
  std::vector<view_block> view = {}; ///< nothing: all fields

  /// The argument of a kind of which a command has at most one, or null.
  const argument_spec* find(value_kind kind) const;
};

/// A first word with a line of help. Without commands of its own it is passed
/// on as it stands: some engines have what it names, and this one says no.
struct command_group {
  std::string word;
  std::string help;
};

struct command_table {
  std::vector<command_group> groups;
  std::vector<command_spec> commands;
};

/// What the engine answers with the table to.
inline constexpr const char* publish_commands = "commands";

/// The table as JSON, and back; nothing if the text is no such table.
std::string to_json_text(const command_table& x);
std::optional<command_table> parse_command_table(std::string_view text);

} // namespace depositd
