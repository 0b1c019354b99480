#include "adapters/doors/nsq/http/stats.hpp"

#include "adapters/doors/http/text.hpp"
#include "messages/values/topic_names.hpp"

#include <ctime>

namespace depositd::nsq_http {

namespace {

/// At least so wide, the text at the left.
std::string wide(std::string text, std::size_t width) {
  if (text.size() < width)
    text.append(width - text.size(), ' ');
  return text;
}

std::string wide(std::uint64_t number, std::size_t width) {
  return wide(std::to_string(number), width);
}

/// "1h2m3s".
std::string duration(std::int64_t seconds) {
  std::string out;
  if (seconds >= 3600)
    out += std::to_string(seconds / 3600) + 'h';
  if (seconds >= 60)
    out += std::to_string(seconds / 60 % 60) + 'm';
  return out + std::to_string(seconds % 60) + 's';
}

std::string date(std::int64_t seconds) {
  const std::time_t when = seconds;
  std::tm parts{};
  gmtime_r(&when, &parts);
  char out[32];
  return {out, std::strftime(out, sizeof out, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string line_of(const nsq::client_facts& x, std::int64_t now_s) {
  const auto colon = x.remote_address.rfind(':');
  const auto port =
    colon == std::string::npos ? "" : x.remote_address.substr(colon + 1);
  const auto head = '[' + x.version + ' '
                    + wide(http::printable(x.hostname) + ':' + port + ' '
                             + http::printable(x.user_agent),
                           21)
                    + "] ";
  const auto since =
    " connected: " + duration(now_s > x.connect_ts ? now_s - x.connect_ts : 0);
  if (!x.pub_counts.empty()) {
    std::uint64_t total = 0;
    std::string topics;
    for (const auto& [topic, count] : x.pub_counts) {
      total += count;
      topics +=
        (topics.empty() ? "" : ",") + topic + '=' + std::to_string(count);
    }
    return head + "msgs: " + wide(total, 8) + " topics: " + topics + since;
  }
  return head + "state: " + std::to_string(static_cast<unsigned>(x.state))
         + " inflt: " + wide(x.in_flight_count, 4) + " rdy: "
         + wide(x.ready_count, 4) + " fin: " + wide(x.finish_count, 8)
         + " re-q: " + wide(x.requeue_count, 8)
         + " msgs: " + wide(x.message_count, 8) + since;
}

std::string memory_lines(std::uint64_t in_use) {
  std::string out = "\nMemory:\n";
  for (const auto* name :
       {"heap_objects", "heap_idle_bytes", "heap_in_use_bytes",
        "heap_released_bytes", "gc_pause_usec_100", "gc_pause_usec_99",
        "gc_pause_usec_95", "next_gc_bytes", "gc_total_runs"}) {
    const bool known = std::string{name} == "heap_in_use_bytes";
    out +=
      "   " + wide(name, 25) + '\t' + std::to_string(known ? in_use : 0) + '\n';
  }
  return out;
}

std::string lines_of(const topics_listed::topic& topic,
                     const topics_listed::channel& x, const stats_known& all,
                     const stats_asked& what) {
  const bool kept = !is_ephemeral(topic.name) && !is_ephemeral(x.name);
  auto out = std::string{x.paused ? "   *P " : "      "} + '['
             + wide(x.name, 25) + "] depth: " + wide(x.depth, 5) + " be-depth: "
             + wide(kept ? x.depth : 0, 5) + " inflt: " + wide(x.in_flight, 4)
             + " def: " + wide(x.deferred, 4) + " re-q: " + wide(x.requeued, 5)
             + " timeout: " + wide(x.timed_out, 5)
             + " msgs: " + wide(x.messages, 8) + " e2e%: \n";
  if (what.clients)
    for (const auto& client : clients_of(all, topic.name, x.name))
      out += "        " + line_of(client, all.now_s) + '\n';
  return out;
}

std::string lines_of(const topics_listed::topic& x, const stats_known& all,
                     const stats_asked& what) {
  const auto kept = is_ephemeral(x.name) ? 0 : x.depth;
  auto out = std::string{x.paused ? "\n*P " : "\n   "} + '[' + wide(x.name, 15)
             + "] depth: " + wide(x.depth, 5) + " be-depth: " + wide(kept, 5)
             + " msgs: " + wide(x.messages, 8) + " e2e%: \n";
  for (const auto& channel : x.channels)
    out += lines_of(x, channel, all, what);
  return out;
}

} // namespace

std::string stats_page(const stats_known& x, const stats_asked& what) {
  auto out = "nsqd v" + x.version + " (depositd)\nstart_time " + date(x.start_s)
             + "\nuptime "
             + duration(x.now_s > x.start_s ? x.now_s - x.start_s : 0)
             + "\n\nHealth: " + x.health + '\n';
  if (what.memory)
    out += memory_lines(x.memory_bytes);
  out += x.topics.topics.empty() ? "\nTopics: None\n" : "\nTopics:";
  for (const auto& topic : x.topics.topics)
    out += lines_of(topic, x, what);
  std::string producers;
  if (what.clients)
    for (const auto& client : x.producers)
      producers += "   " + line_of(client, x.now_s) + '\n';
  return out
         + (producers.empty() ? "\nProducers: None\n"
                              : "\nProducers:\n" + producers);
}

} // namespace depositd::nsq_http
