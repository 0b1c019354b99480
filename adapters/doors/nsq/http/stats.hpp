#pragma once

// What nsqd tells of its topics, channels and clients: as JSON and as a page of
// text.

#include "adapters/doors/nsq/clients.hpp"
#include "messages/topics.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace depositd::nsq_http {

/// What a request wants to see.
struct stats_asked {
  std::string topic;   ///< empty: all
  std::string channel; ///< empty: all; else only topics that have it
  bool clients = true;
  bool memory = true;
};

struct stats_known {
  topics_listed topics;
  std::vector<nsq::client_facts> consumers; ///< sorted by `by_channel`
  std::vector<nsq::client_facts> producers;
  std::string version;
  std::string health;
  std::int64_t start_s = 0; ///< since 1970
  std::int64_t now_s = 0;
  std::uint64_t memory_bytes = 0; ///< that are in use
};

/// The order of consumers by topic and channel.
bool by_channel(const nsq::client_facts& x, const nsq::client_facts& y);

/// Those that consume the channel.
std::span<const nsq::client_facts> clients_of(const stats_known& all,
                                              const std::string& topic,
                                              const std::string& channel);

/// Keeps only what is asked for.
void keep(topics_listed& all, const stats_asked& what);

/// The same of what clients have published: to topics that are asked for and
/// that `shown` says yes to. Who has published to no such topic is no producer.
void keep_published(stats_known& all, const stats_asked& what,
                    const std::function<bool(const std::string& topic)>& shown);

std::string stats_document(const stats_known& x, const stats_asked& what);
std::string stats_page(const stats_known& x, const stats_asked& what);

} // namespace depositd::nsq_http
