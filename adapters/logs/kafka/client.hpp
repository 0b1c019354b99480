#pragma once

// One client of librdkafka, and what consumers and producers have in common.
// See docs/decisions and librdkafka's own list of settings.

#include "adapters/logs/kafka/kafka_options.hpp"
#include "adapters/logs/kafka/statistics.hpp"
#include "messages/values/errors.hpp"

#include <librdkafka/rdkafka.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace depositd::kafka {

using setting_list = std::vector<std::pair<std::string, std::string>>;

/// When a call has to be over.
using deadline = std::chrono::steady_clock::time_point;

/// Milliseconds until then, as librdkafka takes them; 0 if it has passed.
int milliseconds_until(deadline end);

/// What a client tells while it is polled; outlives it.
struct client_news {
  /// By which metrics know it: "consumer-1", "producer-2".
  std::string name;

  /// Why it does not reach the brokers; empty while it does.
  std::string trouble;

  /// Likewise, though they answer: what they send is larger than the client
  /// takes. Empty again once a record has come.
  std::string too_large;

  /// What others keep back from a consumer, as it last saw itself.
  held_offsets held;
  held_offsets held_before; ///< and the time before that

  /// A producer's report about one of its records: the number that it was
  /// given, and how it went.
  std::function<void(std::size_t, rd_kafka_resp_err_t)> reported;
};

/// Closed with this. Used by one thread.
class client {
public:
  /// Connects in the background. `ec::bad_setting` names what librdkafka does
  /// not take.
  static caf::expected<std::unique_ptr<client>>
  open(rd_kafka_type_t type, const kafka_options& options,
       const setting_list& settings);

  /// Waits a few seconds at most: closing may hang (confluentinc/librdkafka
  /// #4187, #4724), and is then left to a thread that nobody waits for.
  ~client();

  client(const client&) = delete;
  client& operator=(const client&) = delete;

  rd_kafka_t* handle() {
    return handle_;
  }

  client_news& news() {
    return *news_;
  }

  /// Number of partitions. `ec::not_found`, `ec::store_failed`.
  caf::expected<std::int32_t> partitions(const std::string& topic,
                                         deadline end);

  /// Whether a broker answers before then; clears the trouble if so.
  bool reaches_broker(deadline end);

  /// Whether this producer can only be replaced.
  bool broken() const;

  /// Whether it broke because something was refused: what is behind that in
  /// its partition must not be written before it.
  bool keeps_order() const;

private:
  client(rd_kafka_t* handle, std::shared_ptr<client_news> news)
    : handle_(handle), news_(std::move(news)) {
    // nop
  }

  rd_kafka_t* handle_;
  std::shared_ptr<client_news> news_;
};

/// `ec::store_failed`, or what says more, with the library's own words.
caf::error failure(const std::string& what, rd_kafka_resp_err_t code);

} // namespace depositd::kafka
