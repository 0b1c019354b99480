#pragma once

// A command line that was understood.

#include "adapters/shell/connection.hpp"

#include "messages/values/command_table.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace depositd::shell {

/// `watch`: how to repeat a command.
struct repetition {
  std::uint32_t seconds = 2;
  std::uint32_t times = 0; ///< 0: until it is stopped
};

/// What to ask the engine and what to do around it.
struct invocation {
  command_spec row;
  nlohmann::json arguments = nlohmann::json::object();
  bool json = false;              ///< print the document as it is
  bool yes = false;               ///< do not ask back
  bool key_from_stdin = false;    ///< else one is made and printed
  bool password_given = false;    ///< one that need not be
  /// Arguments whose texts are read from standard input.
  std::vector<std::string> secret_texts;
  std::vector<std::string> files; ///< one request for each
  std::string file;               ///< whose content is an argument; or empty
  std::optional<repetition> watch;
};

/// Where to find the engine, and with which files to show who we are.
struct connection_words {
  std::string connect = "127.0.0.1:4747";
  link_files tls;
  std::string operator_name; ///< to sign in as; empty: nobody
  bool password_from_stdin = false;
  std::string token_file; ///< "NAME:PASSWORD"; empty: none
};

/// Outcome of reading words: a command, or a text to print.
struct understood {
  std::optional<invocation> call; ///< nothing: print `text`, exit `exit_code`
  bool interactive = false;       ///< no command was given
  bool unknown = false; ///< there are words that the commands have no place for
  int exit_code = 0;
  std::string text;
};

} // namespace depositd::shell
