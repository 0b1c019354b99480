// depositd: the engine. See README.md and docs/OPERATIONS.md.

#include "config/command_line.hpp"
#include "config/descriptors.hpp"
#include "config/engine.hpp"
#include "config/node_door.hpp"
#include "config/own_people.hpp"
#include "config/process_memory.hpp"
#include "config/processor_node.hpp"
#include "config/secrets.hpp"
#include "config/version.hpp"

#include <caf/actor_system.hpp>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <unistd.h>

namespace {

constexpr int exit_done = 0;
constexpr int exit_failed = 1;
constexpr int exit_not_started = 2;

/// Signals for the program are taken by `sigwait` alone, in any thread that is
/// spawned after this.
sigset_t block_signals() {
  sigset_t out;
  sigemptyset(&out);
  sigaddset(&out, SIGTERM);
  sigaddset(&out, SIGINT);
  sigaddset(&out, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &out, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return out;
}

/// Until one comes that ends the program; SIGHUP is a wish to read files again.
/// `each_second` is called meanwhile.
int await_end(const sigset_t& signals, const std::function<void()>& reload,
              const std::function<void()>& each_second) {
  for (;;) {
    const timespec second{1, 0};
    const int signal = sigtimedwait(&signals, nullptr, &second);
    if (signal == SIGHUP)
      reload();
    else if (signal > 0)
      return signal;
    else
      each_second();
  }
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

[[noreturn]] void not_started(const caf::error& why) {
  std::cerr << "depositd: " << depositd::render(why) << std::endl;
  leave(exit_not_started);
}

/// Processors for an engine elsewhere.
int run_processors(const depositd::depositd_settings& settings,
                   const depositd::endpoint& engine) {
  const auto signals = block_signals();
  start_log(settings.log.level);
  depositd::engine_config config;
  caf::actor_system system{config};
  const auto port = depositd::open_node_port(
    system, settings, depositd::descriptor_shares_of(settings));
  if (!port)
    not_started(port.error());
  depositd::processor_node node{
    system, settings, (*port)->middleman(), engine,
    [](const std::string& line) { std::cout << line << std::endl; }};
  const int signal = await_end(
    signals, [&] { (*port)->reload(); }, [] {});
  spdlog::info("node_stopping signal={}", signal);
  node.stop();
  leave(exit_done);
}

int run(const depositd::depositd_settings& settings) {
  const auto signals = block_signals();
  start_log(settings.log.level);
  depositd::warn_of_root();
  for (const auto& remark : settings.remarks)
    spdlog::warn("setting_remark {}", remark);
  if (const auto remark = depositd::data_folder_remark(settings.data.folder);
      !remark.empty())
    spdlog::warn("setting_remark {}", remark);
  depositd::engine_config config;
  caf::actor_system system{config};
  auto started =
    depositd::engine_node::start(system, settings, [](const std::string& why) {
      spdlog::critical("engine_failed reason=\"{}\"", why);
      leave(exit_failed);
    });
  if (!started)
    not_started(started.error());
  std::cout << (*started)->ready_line() << std::endl;
  depositd::memory_watch memory;
  const int signal = await_end(
    signals, [&] { (*started)->reload(); },
    [&] {
      memory.look((*started)->memory_used());
      (*started)->look_at_certificates();
    });
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
  depositd::raise_descriptor_limit();
  return line.join ? run_processors(*line.settings, *line.join)
                   : run(*line.settings);
}
