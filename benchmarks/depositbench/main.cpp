// depositbench: a client in a process of its own that measures a running
// engine over its public doors. docs/PERFORMANCE.md says how to read it.

#include "benchmarks/depositbench/doors.hpp"
#include "benchmarks/depositbench/native.hpp"
#include "benchmarks/depositbench/phases.hpp"
#include "messages/values/sharding.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <iostream>
#include <unistd.h>

namespace {

using namespace depositd::bench;

void print_json(const options& settings, const figures& x) {
  nlohmann::json out{
    {"phase", x.phase},
    {"door", settings.door},
    {"items", x.items},
    {"items_per_second", x.items_per_second()},
    {"seconds", x.seconds},
    {"p50_ms", x.p50_ms},
    {"p99_ms", x.p99_ms},
    {"client_cpu_us_per_item", x.client_cpu_us_per_item},
    {"server_cpu_us_per_item", x.server_cpu_us_per_item},
  };
  for (const auto& [key, value] : x.more)
    out[key] = value;
  std::cout << out.dump() << std::endl;
}

void print_row(const figures& x) {
  std::printf("%-8s %10llu items %10.0f /s  p50 %8.3f ms  p99 %8.3f ms  "
              "cpu client %6.2f us server %6.2f us",
              x.phase.c_str(), static_cast<unsigned long long>(x.items),
              x.items_per_second(), x.p50_ms, x.p99_ms,
              x.client_cpu_us_per_item, x.server_cpu_us_per_item);
  for (const auto& [key, value] : x.more)
    std::printf("  %s %.6g", key.c_str(), value);
  std::printf("\n");
  std::fflush(stdout);
}

std::string doors_text() {
  std::string out = "Phases of the doors:";
  for (const auto& door : door_names()) {
    out += "\n  " + door + ":";
    for (const auto& phase : habits_of(door).phases)
      out += " " + phase;
  }
  return out + "\nall: every phase of the door but restart and disk.";
}

void expand_all(options& settings) {
  if (settings.phases != std::vector<std::string>{"all"})
    return;
  settings.phases = habits_of(settings.door).phases;
  std::erase_if(settings.phases, [](const std::string& x) {
    return x == "restart" || x == "disk";
  });
}

options read_options(int argc, char** argv, CLI::App& app) {
  options out;
  app.footer(doors_text());
  app.add_option("phase", out.phases, "What to run, see below; or all")
    ->required();
  app.add_option("--door", out.door)
    ->check(CLI::IsMember(door_names()))
    ->capture_default_str();
  app.add_option("--connect", out.connect,
                 "HOST:PORT of the door, or of a broker (kafka); 127.0.0.1 and "
                 "4747 (native), 4150 (nsq), 9092 (kafka) or 8080 unless "
                 "given");
  app.add_option("--topics", out.topics,
                 "kafka: IN,OUT,DEAD, as the engine's settings name them")
    ->expected(3)
    ->delimiter(',')
    ->capture_default_str();
  app.add_option("--key", out.key, "API key of the emodb or the nsq door");
  app.add_option("--keys", out.keys_file,
                 "file of lines NAME SECRET: API keys (emodb) or logins with "
                 "passwords (crossref); each is a user");
  app.add_option("--server-pid", out.server_pid, "for server CPU and memory");
  app.add_option("--data", out.data, "the server's data folder, for disk");
  app.add_option("--restart-command", out.restart_command,
                 "starts the server again, for restart");
  app.add_option("--queue", out.queue, "prefix of the queues");
  app.add_option("--shards", out.shards,
                 "of the engine: a queue in each, with its producers and "
                 "workers")
    ->check(CLI::Range(1U, depositd::shards_max));
  app.add_option("--items", out.items, "instead of the phase's own number");
  app.add_option("--users", out.users,
                 "native, kafka: how many; others: how many of --keys at most");
  app.add_option("--body-bytes", out.body_bytes);
  app.add_option("--connections", out.connections,
                 "P1s: requests at once, instead of the door's own");
  app.add_option("--workers", out.workers,
                 "P2, P2b, P3: instead of the door's own");
  app.add_option("--prefetch", out.prefetch,
                 "P2: items a worker holds, instead of the door's own");
  app.add_flag("--ack-and-poll", out.ack_and_poll,
               "P2, emodb: both in one request");
  app.add_option("--rate", out.rate, "P3: items per second of the open loop");
  app.add_option("--backlog", out.backlog,
                 "P3: so many items wait already, and what comes is behind "
                 "them; no open loop");
  app.add_flag("--json", out.json, "one object per line");
  app.parse(argc, argv);
  expand_all(out);
  return out;
}

} // namespace

int main(int argc, char** argv) {
  // Figures have standard output for themselves.
  spdlog::set_default_logger(spdlog::stderr_logger_mt("depositbench"));
  CLI::App app{"Measures a running depositd"};
  options settings;
  try {
    settings = read_options(argc, argv, app);
  } catch (const CLI::ParseError& wrong) {
    return app.exit(wrong) == 0 ? 0 : 2;
  }
  client_config config;
  caf::actor_system system{config};
  int code = 0;
  try {
    for (const auto& phase : settings.phases)
      run_phase(phase, settings, system, [&](const figures& x) {
        settings.json ? print_json(settings, x) : print_row(x);
      });
  } catch (const std::exception& wrong) {
    std::cerr << "depositbench: " << wrong.what() << std::endl;
    code = 1;
  }
  // Remote handles may keep CAF's system alive for ever.
  std::fflush(nullptr);
  ::_exit(code);
}
