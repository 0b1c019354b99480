#pragma once

// Every command of the shell: how it is spelled, what it takes, what it means.
// Reading, help and completion all go by this table.

#include <string>
#include <vector>

namespace depositd::shell {

/// How the words after an option become an argument.
enum class value_kind {
  text,   ///< one text
  number, ///< a whole number, not negative
  limit,  ///< a number, "none" or "default"
  names,  ///< several, separated by commas or blanks
  each,   ///< one text each time the option is given
  time,   ///< ISO 8601, UTC
  flag,   ///< there or not; --x=false too
  folder, ///< made absolute, since the engine runs elsewhere
  files,  ///< stay on this side
};

struct command_option {
  const char* spelling; ///< "--limit", or "name" for a positional
  const char* key;      ///< of the argument; null: means something here
  value_kind kind;
  const char* value = ""; ///< what help calls it; completion goes by it
  const char* help = "";
  bool required = false;
};

struct command_spec {
  const char* words; ///< "queue show"
  const char* help;
  std::vector<command_option> options;
  bool reads = false;             ///< may be watched
  const char* question = nullptr; ///< destructive: asked unless --yes
  bool counts_first = false;
  bool needs_password = false;
  const char* command = nullptr; ///< if the engine calls it differently
  bool needs_key = false;
};

/// What a value is called where completion can offer names.
inline constexpr const char* queue_value = "QUEUE";
inline constexpr const char* user_value = "USER";
inline constexpr const char* users_value = "USER[,USER...]";
inline constexpr const char* processor_value = "PROCESSOR";
inline constexpr const char* files_value = "FILE";

const std::vector<command_spec>& command_table();

/// First words, with a line of help for each group: {"queue", "..."}.
struct command_group {
  const char* word;
  const char* help;
};
const std::vector<command_group>& command_groups();

/// Commands that only an engine with such a door knows; passed on as they are.
const std::vector<command_group>& passed_on_groups();

} // namespace depositd::shell
