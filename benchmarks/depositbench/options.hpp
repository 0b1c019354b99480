#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace depositd::bench {

/// What to run, and against what.
struct options {
  std::vector<std::string> phases;
  std::string door = "native";
  std::string connect;            ///< empty: the door's usual port
  std::string key;                ///< of the emodb or the nsq door
  /// Of the kafka door: ingress, egress, dead letters.
  std::vector<std::string> topics{"deposits.in", "deposits.out",
                                  "deposits.dead"};
  std::string keys_file;          ///< lines NAME SECRET: several senders
  std::uint32_t server_pid = 0;   ///< 0: no server CPU and memory figures
  std::string data;               ///< the server's data folder, for `disk`
  std::string restart_command;    ///< starts the server, for `restart`
  std::string queue = "bench";    ///< phases use queues of this prefix
  std::uint32_t shards = 1;       ///< of the engine: a queue in each
  std::uint64_t items = 0;        ///< 0: the phase's own number
  std::uint32_t users = 1000;
  std::uint32_t body_bytes = 1024;
  std::uint32_t connections = 0;  ///< P1s; 0: the door's own
  std::uint32_t workers = 0;      ///< P2, P2b, P3; 0: the door's own
  std::uint32_t prefetch = 0;     ///< P2; 0: the door's own
  bool ack_and_poll = false;      ///< P2 of the emodb door
  double rate = 0;                ///< P3 open loop; 0: half of its peak
  std::uint64_t backlog = 0;      ///< P3: waits before, and is left behind
  bool json = false;
};

} // namespace depositd::bench
