// depositd: the engine. See README.md and docs/OPERATIONS.md.

#include "config/audit_log.hpp"
#include "config/command_line.hpp"
#include "config/data_folder.hpp"
#include "config/demo.hpp"
#include "config/descriptors.hpp"
#include "config/engine.hpp"
#include "config/logs.hpp"
#include "config/node_door.hpp"
#include "config/own_people.hpp"
#include "config/process_memory.hpp"
#include "config/processor_node.hpp"
#include "config/ready_notice.hpp"
#include "config/standard_files.hpp"
#include "config/start_watch.hpp"
#include "config/stop_watch.hpp"
#include "config/version.hpp"
#include "messages/values/log_text.hpp"

#include <caf/actor_system.hpp>
#include <caf/send.hpp>

#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <optional>
#include <thread>
#include <unistd.h>

namespace {

constexpr int exit_done = 0;
constexpr int exit_failed = 1;
constexpr int exit_not_started = 2;
constexpr int exit_cut_short = 3;

/// So long after `shutdown.drain_ms` the program has ended, whatever hangs.
constexpr std::chrono::seconds stop_grace{30};

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
  // A file that outgrows `ulimit -f` fails like any on a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  return out;
}

/// timeout(1) and some shells tell a program to end and then its whole group,
/// it among them: that is one wish, and not impatience.
void take_echoes(const sigset_t& signals) {
  constexpr std::chrono::milliseconds echoes_within{50};
  std::this_thread::sleep_for(echoes_within);
  const timespec none{};
  while (sigtimedwait(&signals, nullptr, &none) > 0) {
    // nop
  }
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
    else if (signal > 0) {
      take_echoes(signals);
      return signal;
    } else
      each_second();
  }
}

/// CAF waits for every actor when its system is destroyed, and remote handles
/// may keep one for ever: what had to be saved is saved, so just leave.
[[noreturn]] void leave(int code) {
  std::fflush(nullptr);
  spdlog::default_logger()->flush();
  depositd::finish_audit_log();
  ::_exit(code);
}

[[noreturn]] void not_started(const caf::error& why) {
  std::cerr << "depositd: " << depositd::log_line(depositd::render(why))
            << std::endl;
  leave(exit_not_started);
}

/// What had to be durable is; the rest is as after a crash.
void cut_short(int code, const depositd::work_cut_ptr& work,
               const std::string& why) {
  spdlog::critical("stop_cut_short reason=\"{}\"", why);
  work->make();
  leave(code);
}

/// Nothing was promised yet, and a start may end anywhere, as in a crash.
[[noreturn]] void end_start(int signal) {
  spdlog::info("start_ended signal={}", signal);
  depositd::tell_stopping();
  leave(exit_done);
}

std::chrono::milliseconds stop_limit(const depositd::depositd_settings& x) {
  return std::chrono::milliseconds{x.shutdown.drain_ms} + stop_grace;
}

/// Processors for an engine elsewhere.
int run_processors(const depositd::depositd_settings& settings,
                   const depositd::endpoint& engine) {
  const auto signals = block_signals();
  depositd::start_log(settings.log);
  depositd::engine_config config;
  caf::actor_system system{config};
  const auto port = depositd::open_node_port(
    system, settings, depositd::descriptor_shares_of(settings));
  if (!port)
    not_started(port.error());
  depositd::processor_node node{
    system, settings, (*port)->middleman(), engine,
    [](const std::string& line) {
      std::cout << line << std::endl;
      depositd::tell_ready(line);
    }};
  const int signal = await_end(
    signals, [&] { (*port)->reload(); }, [] {});
  spdlog::info("node_stopping signal={}", signal);
  depositd::tell_stopping();
  depositd::stop_watch watch{[work = node.cut()](const std::string& why) {
    cut_short(exit_cut_short, work, why);
  }};
  watch.begin(stop_limit(settings));
  leave(node.stop() ? exit_done : exit_cut_short);
}

int run(const depositd::depositd_settings& settings, bool is_demo) {
  const auto signals = block_signals();
  depositd::start_log(settings.log);
  std::optional<depositd::start_watch> starting;
  if (!is_demo) // which is there at once, and takes its folder along
    starting.emplace(end_start);
  depositd::warn_of_root();
  for (const auto& remark : settings.remarks)
    spdlog::warn("setting_remark {}", remark);
  if (const auto failed =
        depositd::check_folder_of_its_own(settings.data.folder))
    not_started(failed);
  const auto closed = depositd::close_data_folder(settings.data.folder);
  if (!closed)
    not_started(closed.error());
  for (const auto& remark :
       {*closed, depositd::data_folder_remark(settings.data.folder)})
    if (!remark.empty())
      spdlog::warn("setting_remark {}", remark);
  if (const auto failed = depositd::prepare_audit_folder(settings))
    not_started(failed);
  depositd::work_cut_ptr work;
  std::atomic<int> code_if_cut = exit_cut_short;
  // It outlives the actors, whose threads may hang where nobody can end them.
  depositd::stop_watch watch{[&](const std::string& why) {
    cut_short(code_if_cut, work, why);
  }};
  depositd::engine_config config{settings};
  caf::actor_system system{config};
  auto started =
    depositd::engine_node::start(system, settings, [](const std::string& why) {
      spdlog::critical("engine_failed reason=\"{}\"", why);
      leave(exit_failed);
    });
  if (!started)
    not_started(started.error());
  starting.reset();
  std::cout << (*started)->ready_line() << std::endl;
  depositd::tell_ready((*started)->ready_line());
  depositd::demo_actor demo;
  if (is_demo) {
    auto begun = depositd::begin_demo(system, (*started)->admin());
    if (!begun)
      not_started(begun.error());
    demo = begun->actor;
    std::cout << depositd::welcome((*started)->ready_line(), begun->password,
                                   {settings.admin.tls.configured(),
                                    settings.http.tls.configured()})
              << std::flush;
  }
  depositd::memory_watch memory;
  const int signal = await_end(
    signals, [&] { (*started)->reload(); },
    [&] {
      memory.look((*started)->memory_used());
      (*started)->look_at_certificates();
    });
  spdlog::info("engine_stopping signal={}", signal);
  depositd::tell_stopping();
  work = (*started)->cut();
  watch.begin(stop_limit(settings));
  caf::anon_send_exit(demo, caf::exit_reason::kill);
  if (!(*started)->stop())
    cut_short(exit_cut_short, work, "work does not end");
  started->reset();
  code_if_cut = exit_done; // all is saved
  return exit_done;
}

/// In a folder that is gone afterwards, unless somebody named one.
int run_demo(depositd::depositd_settings settings, bool has_data_folder) {
  if (has_data_folder)
    return run(settings, true);
  const auto folder = depositd::demo_folder();
  if (!folder)
    not_started(folder.error());
  settings.data.folder = *folder;
  const int code = run(settings, true);
  std::error_code ignored;
  std::filesystem::remove_all(*folder, ignored);
  return code;
}

} // namespace

int main(int argc, char** argv) {
  depositd::open_standard_files();
  depositd::prepare_for_little_memory();
  const auto line =
    depositd::read_command_line(argc, argv, depositd::version_text);
  if (line.check)
    return depositd::tell_check(*line.check, std::cout, std::cerr);
  if (!line.settings) {
    (line.exit_code == 0 ? std::cout : std::cerr) << line.text << std::flush;
    return line.exit_code;
  }
  depositd::raise_descriptor_limit();
  return line.join   ? run_processors(*line.settings, *line.join)
         : line.demo ? run_demo(*line.settings, line.has_data_folder)
                     : run(*line.settings, false);
}
