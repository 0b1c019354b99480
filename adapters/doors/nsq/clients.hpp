#pragma once

// Who is connected to the door, for statistics and for limits that concern all
// of its threads.

#include "messages/values/types.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace depositd::nsq {

/// The server whose behaviour clients find here; they compare versions.
inline constexpr const char* server_version = "1.3.0";

/// As nsqd numbers them in its statistics.
enum class client_state : std::uint8_t {
  fresh = 0,
  subscribed = 3,
  closing = 4,
};

/// One client as /stats tells of it.
struct client_facts {
  std::string client_id;
  std::string hostname;
  std::string version = "V2";
  std::string remote_address; ///< with its port
  std::string user_agent;
  client_state state = client_state::fresh;
  std::uint32_t ready_count = 0;
  std::uint32_t in_flight_count = 0;
  std::uint64_t message_count = 0;
  std::uint64_t finish_count = 0;
  std::uint64_t requeue_count = 0;
  std::int64_t connect_ts = 0; ///< seconds since 1970
  std::uint32_t sample_rate = 0;
  bool deflate = false;
  bool snappy = false;
  bool tls = false;
  std::string tls_cipher_suite;
  std::string tls_version;
  std::string tls_negotiated_protocol;
  bool tls_negotiated_protocol_is_mutual = false;
  bool authed = false;
  std::string auth_identity;
  std::string auth_identity_url;
  std::vector<std::pair<std::string, std::uint64_t>> pub_counts; ///< by topic
  std::string topic;   ///< that it consumes; empty: none
  std::string channel; ///< of it
};

/// What is known of one connection. Its own thread writes, all may read.
class client_record {
public:
  /// What changes with every message.
  struct counts {
    std::atomic<std::uint32_t> ready{0};
    std::atomic<std::uint32_t> in_flight{0};
    std::atomic<std::uint64_t> messages{0};
    std::atomic<std::uint64_t> finished{0};
    std::atomic<std::uint64_t> requeued{0};
  };

  client_facts facts() const;

  /// Changes what seldom changes.
  template <class F>
  void change(F how) {
    const std::lock_guard lock{guard_};
    how(facts_);
  }

  /// Messages that it has published. Of further topics than a few hundred the
  /// numbers are not kept.
  void count_published(const std::string& topic, std::uint64_t messages);

  counts numbers;

private:
  mutable std::mutex guard_;
  client_facts facts_;
  std::map<std::string, std::uint64_t> published_;
};

/// All of a door. Any thread.
class clients {
public:
  /// One has come; it is known as long as somebody keeps it.
  std::shared_ptr<client_record> enter();
  void leave(const std::shared_ptr<client_record>& x);

  /// One more consumer of a channel; false if there are `max` already (0: no
  /// limit), and then it does not count.
  bool consume(const std::string& topic, const std::string& channel,
               std::uint32_t max);
  void stop_consuming(const std::string& topic, const std::string& channel);

  /// Consumers of a topic's channel; empty names: of all.
  std::vector<client_facts> consumers(const std::string& topic,
                                      const std::string& channel) const;

  /// Those who publish and do not consume.
  std::vector<client_facts> producers() const;

private:
  template <class F>
  std::vector<client_facts> facts_if(F which) const;

  mutable std::mutex guard_;
  std::unordered_set<std::shared_ptr<client_record>> all_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> consuming_;
};

} // namespace depositd::nsq
