#pragma once

// Carries out commands that were understood.

#include "adapters/shell/engine_link.hpp"
#include "adapters/shell/invocation.hpp"
#include "adapters/shell/terminal.hpp"

#include <memory>
#include <string>
#include <vector>

namespace depositd::shell {

/// What the program exits with.
enum exit_codes : int {
  exit_done = 0,
  exit_refused = 1,
  exit_wrong_usage = 2,
  exit_no_engine = 3,
  exit_not_told = 4, ///< done, but not all that it says could be written
};

/// What the program exits with in the end: `code`, or `exit_not_told` in place
/// of `exit_done` if not all that was to be read could be written; it says so.
int told(terminal& where, int code);

/// How words become a command: `read_call` or `read_line`.
using read_function = understood (*)(const command_table&,
                                     const std::vector<std::string>&);

/// One person or script at work with one engine.
class session {
public:
  /// Connects when the first command needs it, and again after a failure.
  /// Goes by `own` as long as no engine has said which commands it has.
  session(link_factory connect, terminal where, command_table own);

  /// What the engine offers; the table of one's own if there is no engine.
  const command_table& commands();

  /// The same as far as it is known, without looking for an engine.
  const command_table& known_commands() const {
    return commands_;
  }

  /// Reads words by the commands that are known. The engine is looked for only
  /// if there is something to run or a word that is unknown, and then its
  /// commands count.
  understood read(read_function how, const std::vector<std::string>& words);

  /// Runs one command to its end and returns an exit code.
  int run(const invocation& call);

  /// Prints a text of the grammar (help or a usage error).
  int tell(const understood& said);

  /// Names that the engine lists at this command, for completion; empty if it
  /// does not answer.
  std::vector<std::string> names(const std::string& command);

  terminal& where() {
    return where_;
  }

private:
  caf::error open();
  caf::error fetch_commands();
  caf::expected<std::string> ask(const command_spec& row,
                                 const nlohmann::json& arguments);
  int fail(const caf::error& problem);
  void print(const invocation& call, const std::string& document);
  int run_once(const invocation& call);
  int run_counted(const invocation& call);
  int run_watch(const invocation& call);
  int submit(const invocation& call);

  /// Adds the content of the file that the call names, if it names one.
  static caf::error add_file(const invocation& call, nlohmann::json& to);

  /// Adds what travels instead of a password or a key. A key that is `made`
  /// here has to be shown.
  caf::error add_secret(const invocation& call, nlohmann::json& to,
                        std::string& made);

  /// Nothing if the command may go on, else an exit code.
  std::optional<int> refused_by_person(const invocation& call,
                                       const std::string& question);

  link_factory connect_;
  terminal where_;
  std::unique_ptr<engine_link> link_;
  command_table commands_;
  caf::error unreached_; ///< why the last look for an engine found none
};

} // namespace depositd::shell
