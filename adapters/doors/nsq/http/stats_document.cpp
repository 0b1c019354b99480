#include "adapters/doors/nsq/http/stats.hpp"

#include "messages/values/json_text.hpp"
#include "messages/values/topic_names.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <tuple>

namespace depositd::nsq_http {

namespace {

using json = nlohmann::ordered_json;

/// Everything waits on disk, but what says of itself that it does not.
std::uint64_t on_disk(const std::string& name, std::uint64_t depth) {
  return is_ephemeral(name) ? 0 : depth;
}

/// As nsqd answers where percentiles are off.
json no_latencies() {
  return {{"count", 0}, {"percentiles", nullptr}};
}

json document_of(const nsq::client_facts& x) {
  json out{
    {"client_id", x.client_id},
    {"hostname", x.hostname},
    {"version", x.version},
    {"remote_address", x.remote_address},
    {"state", static_cast<unsigned>(x.state)},
    {"ready_count", x.ready_count},
    {"in_flight_count", x.in_flight_count},
    {"message_count", x.message_count},
    {"finish_count", x.finish_count},
    {"requeue_count", x.requeue_count},
    {"connect_ts", x.connect_ts},
    {"sample_rate", x.sample_rate},
    {"deflate", x.deflate},
    {"snappy", x.snappy},
    {"user_agent", x.user_agent},
  };
  if (x.authed)
    out["authed"] = true;
  if (!x.auth_identity.empty())
    out["auth_identity"] = x.auth_identity;
  if (!x.auth_identity_url.empty())
    out["auth_identity_url"] = x.auth_identity_url;
  for (const auto& [topic, count] : x.pub_counts)
    out["pub_counts"].push_back(json{{"topic", topic}, {"count", count}});
  out["tls"] = x.tls;
  out["tls_cipher_suite"] = x.tls_cipher_suite;
  out["tls_version"] = x.tls_version;
  out["tls_negotiated_protocol"] = x.tls_negotiated_protocol;
  out["tls_negotiated_protocol_is_mutual"] =
    x.tls_negotiated_protocol_is_mutual;
  return out;
}

json document_of(const topics_listed::topic& topic,
                 const topics_listed::channel& x, const stats_known& all,
                 const stats_asked& what) {
  const auto here = clients_of(all, topic.name, x.name);
  auto clients = what.clients ? json::array() : json(nullptr);
  if (what.clients)
    for (const auto& client : here)
      clients.push_back(document_of(client));
  const bool kept = !is_ephemeral(topic.name) && !is_ephemeral(x.name);
  return {
    {"channel_name", x.name},
    {"depth", x.depth},
    {"backend_depth", kept ? x.depth : 0},
    {"in_flight_count", x.in_flight},
    {"deferred_count", x.deferred},
    {"message_count", x.messages},
    {"requeue_count", x.requeued},
    {"timeout_count", x.timed_out},
    {"client_count", here.size()},
    {"clients", std::move(clients)},
    {"paused", x.paused},
    {"e2e_processing_latency", no_latencies()},
  };
}

json document_of(const topics_listed::topic& x, const stats_known& all,
                 const stats_asked& what) {
  auto channels = json::array();
  for (const auto& channel : x.channels)
    channels.push_back(document_of(x, channel, all, what));
  return {
    {"topic_name", x.name},
    {"channels", std::move(channels)},
    {"depth", x.depth},
    {"backend_depth", on_disk(x.name, x.depth)},
    {"message_count", x.messages},
    {"message_bytes", x.bytes},
    {"paused", x.paused},
    {"e2e_processing_latency", no_latencies()},
  };
}

/// Nothing is collected here: what has a meaning is how much is in use.
json memory_document(std::uint64_t in_use) {
  return {
    {"heap_objects", 0},           {"heap_idle_bytes", 0},
    {"heap_in_use_bytes", in_use}, {"heap_released_bytes", 0},
    {"gc_pause_usec_100", 0},      {"gc_pause_usec_99", 0},
    {"gc_pause_usec_95", 0},       {"next_gc_bytes", 0},
    {"gc_total_runs", 0},
  };
}

} // namespace

bool by_channel(const nsq::client_facts& x, const nsq::client_facts& y) {
  return std::tie(x.topic, x.channel) < std::tie(y.topic, y.channel);
}

std::span<const nsq::client_facts> clients_of(const stats_known& all,
                                              const std::string& topic,
                                              const std::string& channel) {
  nsq::client_facts like;
  like.topic = topic;
  like.channel = channel;
  const auto [from, to] = std::equal_range(
    all.consumers.begin(), all.consumers.end(), like, by_channel);
  return {from, to};
}

void keep(topics_listed& all, const stats_asked& what) {
  if (!what.topic.empty())
    std::erase_if(all.topics,
                  [&](const auto& x) { return x.name != what.topic; });
  if (what.channel.empty())
    return;
  for (auto& topic : all.topics)
    std::erase_if(topic.channels,
                  [&](const auto& x) { return x.name != what.channel; });
  std::erase_if(all.topics, [](const auto& x) { return x.channels.empty(); });
}

void keep_published(
  stats_known& all, const stats_asked& what,
  const std::function<bool(const std::string& topic)>& shown) {
  for (auto* clients : {&all.consumers, &all.producers})
    for (auto& one : *clients)
      std::erase_if(one.pub_counts, [&](const auto& x) {
        return (!what.topic.empty() && x.first != what.topic)
               || !shown(x.first);
      });
  std::erase_if(all.producers,
                [](const auto& x) { return x.pub_counts.empty(); });
}

std::string stats_document(const stats_known& x, const stats_asked& what) {
  json out{
    {"version", x.version},
    {"health", x.health},
    {"start_time", x.start_s},
    {"topics", json::array()},
  };
  for (const auto& topic : x.topics.topics)
    out["topics"].push_back(document_of(topic, x, what));
  if (what.memory)
    out["memory"] = memory_document(x.memory_bytes);
  auto producers = json::array();
  if (what.clients)
    for (const auto& client : x.producers)
      producers.push_back(document_of(client));
  out["producers"] = std::move(producers);
  // Clients say who they are, and need not say it in UTF-8.
  return json_text(out);
}

} // namespace depositd::nsq_http
