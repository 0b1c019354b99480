// depositd: the engine. See README.md and docs/OPERATIONS.md.

#include "config/command_line.hpp"
#include "config/engine.hpp"
#include "config/process_memory.hpp"
#include "config/processor_node.hpp"
#include "config/version.hpp"

#include <caf/actor_system.hpp>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <unistd.h>

namespace {

constexpr int exit_done = 0;
constexpr int exit_failed = 1;
constexpr int exit_not_started = 2;

/// Signals that end the engine are taken by `sigwait` alone, in any thread
/// that is spawned after this.
sigset_t block_end_signals() {
  sigset_t out;
  sigemptyset(&out);
  sigaddset(&out, SIGTERM);
  sigaddset(&out, SIGINT);
  pthread_sigmask(SIG_BLOCK, &out, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return out;
}

void start_log(const std::string& level) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("depositd"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v",
                      spdlog::pattern_time_type::utc);
  spdlog::set_level(spdlog::level::from_str(level));
}

/// CAF waits for every actor when its system is destroyed, and remote handles
/// may keep one for ever: what had to be saved is saved, so just leave.
[[noreturn]] void leave(int code) {
  std::fflush(nullptr);
  spdlog::default_logger()->flush();
  ::_exit(code);
}

/// Processors for an engine elsewhere.
int run_processors(const depositd::depositd_settings& settings,
                   const depositd::endpoint& engine) {
  const auto signals = block_end_signals();
  start_log(settings.log.level);
  depositd::engine_config config{settings};
  caf::actor_system system{config};
  depositd::processor_node node{
    system, settings, engine,
    [](const std::string& line) { std::cout << line << std::endl; }};
  int signal = 0;
  sigwait(&signals, &signal);
  spdlog::info("node_stopping signal={}", signal);
  node.stop();
  leave(exit_done);
}

/// Waits for a signal, and looks after the memory meanwhile.
int await_end(const sigset_t& signals, const depositd::engine_node& engine) {
  depositd::memory_watch memory;
  for (;;) {
    const timespec second{1, 0};
    const int signal = sigtimedwait(&signals, nullptr, &second);
    if (signal > 0)
      return signal;
    memory.look(engine.memory_used());
  }
}

int run(const depositd::depositd_settings& settings) {
  const auto signals = block_end_signals();
  start_log(settings.log.level);
  for (const auto& remark : settings.remarks)
    spdlog::warn("setting_remark {}", remark);
  depositd::engine_config config{settings};
  caf::actor_system system{config};
  auto started =
    depositd::engine_node::start(system, settings, [](const std::string& why) {
      spdlog::critical("engine_failed reason=\"{}\"", why);
      leave(exit_failed);
    });
  if (!started) {
    std::cerr << "depositd: " << depositd::render(started.error()) << std::endl;
    leave(exit_not_started);
  }
  std::cout << (*started)->ready_line() << std::endl;
  const auto signal = await_end(signals, **started);
  spdlog::info("engine_stopping signal={}", signal);
  (*started)->stop();
  started->reset();
  leave(exit_done);
}

} // namespace

int main(int argc, char** argv) {
  depositd::prepare_for_little_memory();
  const auto line
    = depositd::read_command_line(argc, argv, depositd::version_text);
  if (!line.settings) {
    (line.exit_code == 0 ? std::cout : std::cerr) << line.text << std::endl;
    return line.exit_code;
  }
  return line.join ? run_processors(*line.settings, *line.join)
                   : run(*line.settings);
}
