#include "benchmarks/depositbench/doors.hpp"

#include "benchmarks/depositbench/crossref.hpp"
#include "benchmarks/depositbench/emodb.hpp"
#include "benchmarks/depositbench/kafka.hpp"
#include "benchmarks/depositbench/native.hpp"
#include "benchmarks/depositbench/nsq.hpp"

#include <map>
#include <stdexcept>

namespace depositd::bench {

namespace {

const std::map<std::string, port_habits>& all_habits() {
  static const std::map<std::string, port_habits> all{
    {"native",
     {{"P1", "P1s", "P2", "P2b", "P3", "P4", "restart", "disk"},
      {16},
      {8},
      {1, 10},
      1}},
    {"emodb",
     {{"P1", "P1s", "P2", "P2b", "P3", "P4"},
      {16, 256},
      {8, 64},
      {1},
      1,
      true}},
    // Every deposit is parsed, recorded and reported.
    {"crossref", {{"P1s", "P3", "P4"}, {16}, {8}, {1}, 0.02, true}},
    // The same work, and an outcome is published.
    {"kafka", {{"P3", "P4"}, {1}, {1}, {1}, 0.02, true}},
    // nsqd refuses requests of 1,000 items of a kilobyte and up.
    {"nsq", {{"P1", "P1s", "P2", "P3"}, {16}, {4}, {100}, 1, false, 100}},
  };
  return all;
}

std::vector<sender> senders_of(const options& settings) {
  if (!settings.keys_file.empty())
    return read_senders(settings.keys_file);
  return {sender{"", settings.key}};
}

} // namespace

std::vector<std::string> door_names() {
  std::vector<std::string> out;
  for (const auto& [name, habits] : all_habits())
    out.push_back(name);
  return out;
}

const port_habits& habits_of(const std::string& door) {
  const auto at = all_habits().find(door);
  if (at == all_habits().end())
    throw std::runtime_error("no door " + door);
  return at->second;
}

std::unique_ptr<client> open_door(const options& settings,
                                  caf::actor_system& system) {
  const auto address = [&](const char* usual) {
    return settings.connect.empty() ? std::string{usual} : settings.connect;
  };
  if (settings.door == "native")
    return std::make_unique<native_client>(system, address("127.0.0.1:4747"));
  if (settings.door == "nsq")
    return std::make_unique<nsq_client>(address("127.0.0.1:4150"),
                                        senders_of(settings).front());
  if (settings.door == "kafka")
    return std::make_unique<kafka_client>(
      address("127.0.0.1:9092"),
      kafka_topics{settings.topics.at(0), settings.topics.at(1),
                   settings.topics.at(2)});
  const auto http = address("127.0.0.1:8080");
  if (settings.door == "emodb")
    return std::make_unique<emodb_client>(http, senders_of(settings));
  if (settings.keys_file.empty())
    throw std::runtime_error("this door needs --keys: lines USER PASSWORD");
  return std::make_unique<crossref_client>(http, senders_of(settings));
}

} // namespace depositd::bench
