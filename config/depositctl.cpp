// depositctl: the operator's shell. See docs/operations/shell.md.

#include "adapters/shell/connection.hpp"
#include "adapters/shell/grammar.hpp"
#include "adapters/shell/interactive.hpp"
#include "adapters/shell/secrets.hpp"
#include "adapters/shell/session.hpp"

#include "actors/operators/command.hpp"
#include "config/manifest_check.hpp"
#include "config/standard_files.hpp"

#include <cstdio>
#include <iostream>
#include <unistd.h>

namespace {

using namespace depositd;

caf::expected<shell::connection_options>
read_where(const shell::connection_words& where) {
  auto engine = parse_endpoint(where.connect);
  if (!engine)
    return caf::make_error(ec::bad_setting,
                           "--connect: " + render(engine.error()));
  return shell::connection_options{std::move(*engine), where.tls, {}};
}

/// What the words say to sign in with. A name on the command line comes before
/// a file that only the environment names.
caf::expected<std::optional<shell::operator_token>>
read_token(const shell::connection_words& where, shell::terminal& terminal) {
  using token = std::optional<shell::operator_token>;
  if (!where.operator_name.empty()) {
    if (!where.password_from_stdin && !terminal.reads_from_person)
      return caf::make_error(ec::bad_setting,
                             std::string{"--operator needs --password-stdin "
                                         "or a --token-file when nobody is "
                                         "there to ask"});
    auto password = shell::read_own_password(terminal);
    if (!password)
      return std::move(password.error());
    return token{{where.operator_name, std::move(*password)}};
  }
  if (where.token_file.empty())
    return token{};
  auto out = shell::read_token(where.token_file);
  if (!out)
    return std::move(out.error());
  return token{std::move(*out)};
}

/// Where the engine is, and how to sign in there; asks for a password when it
/// is needed first.
class way_in {
public:
  explicit way_in(caf::expected<shell::connection_words> words)
    : words_(std::move(words)), terminal_(shell::standard_terminal()) {
    // nop
  }

  caf::expected<std::unique_ptr<shell::engine_link>> connect() {
    if (!options_)
      options_ = read();
    if (!*options_)
      return options_->error();
    return shell::connect(**options_, shell::stop_wanted);
  }

private:
  caf::expected<shell::connection_options> read() {
    if (!words_)
      return words_.error();
    auto out = read_where(*words_);
    if (!out)
      return out;
    auto token = read_token(*words_, terminal_);
    if (!token)
      return std::move(token.error());
    out->token = std::move(*token);
    return out;
  }

  caf::expected<shell::connection_words> words_;
  shell::terminal terminal_;
  std::optional<caf::expected<shell::connection_options>> options_;
};

int run(const std::vector<std::string>& words) {
  if (const auto judged = check_manifest(words))
    return *judged;
  const auto named = shell::read_connection(words);
  way_in way{named};
  shell::session session{[&] { return way.connect(); },
                         shell::standard_terminal(),
                         operators::published_commands()};
  if (!named)
    return session.tell(
      {.exit_code = shell::exit_wrong_usage, .text = render(named.error())});
  const auto said = session.read(shell::read_call, words);
  if (said.call)
    return session.run(*said.call);
  if (!said.interactive)
    return session.tell(said);
  // The first line is the password, and the rest the script.
  if (named->password_from_stdin)
    session.commands();
  if (!isatty(STDIN_FILENO))
    return shell::run_script(session);
  // The tab key offers what the engine has, from the first word on.
  session.commands();
  return shell::run_prompt(session, "depositctl at " + named->connect
                                      + ", help for help");
}

} // namespace

int main(int argc, char** argv) {
  depositd::open_standard_files();
  shell::catch_stop();
  auto terminal = shell::standard_terminal();
  const auto code = shell::told(terminal, run({argv + 1, argv + argc}));
  // CAF may still wait for an engine that hangs; nothing here needs saving.
  std::fflush(nullptr);
  _exit(code);
}
