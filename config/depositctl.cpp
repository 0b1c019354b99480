// depositctl: the operator's shell. See docs/OPERATIONS.md.

#include "adapters/shell/connection.hpp"
#include "adapters/shell/grammar.hpp"
#include "adapters/shell/interactive.hpp"
#include "adapters/shell/session.hpp"

#include "actors/operators/command.hpp"

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
  return shell::connection_options{std::move(*engine), where.tls};
}

int run(const std::vector<std::string>& words) {
  const auto named = shell::read_connection(words);
  const auto where = named ? read_where(*named) : named.error();
  shell::session session{
    [&]() -> caf::expected<std::unique_ptr<shell::engine_link>> {
      if (!where)
        return where.error();
      return shell::connect(*where, shell::stop_wanted);
    },
    shell::standard_terminal(), operators::published_commands()};
  if (!named)
    return session.tell(
      {.exit_code = shell::exit_wrong_usage, .text = render(named.error())});
  const auto said = session.read(shell::read_call, words);
  if (said.call)
    return session.run(*said.call);
  if (!said.interactive)
    return session.tell(said);
  if (!isatty(STDIN_FILENO))
    return shell::run_script(session);
  // The tab key offers what the engine has, from the first word on.
  session.commands();
  return shell::run_prompt(session, "depositctl at " + named->connect
                                      + ", help for help");
}

} // namespace

int main(int argc, char** argv) {
  shell::catch_stop();
  const auto code = run({argv + 1, argv + argc});
  // CAF may still wait for an engine that hangs; nothing here needs saving.
  std::cout << std::flush;
  std::fflush(nullptr);
  _exit(code);
}
