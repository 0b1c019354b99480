#pragma once

// A client that has subscribed: what it has of its channel, and what it is
// still asked to tell the queue. In its connection's thread.

#include "adapters/doors/nsq/answers.hpp"
#include "adapters/doors/nsq/claim_face.hpp"
#include "adapters/doors/nsq/clients.hpp"
#include "adapters/doors/nsq/commands.hpp"
#include "adapters/doors/nsq/flights.hpp"
#include "adapters/doors/nsq/frames.hpp"
#include "adapters/doors/nsq/identify.hpp"
#include "adapters/doors/nsq/window.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <unordered_map>
#include <vector>

namespace depositd::nsq {

/// The connection, as its consumer needs it.
class consumer_host {
public:
  virtual ~consumer_host() = default;
  virtual void send_message(const wire_message& what) = 0;
  /// Bytes that the client has not taken yet.
  virtual std::size_t backlog() const = 0;
  virtual answer_queue& answers() = 0;
};

struct consumer_options {
  queue_port_actor queue;
  std::uint32_t number = 0; ///< among the queue's processors
  std::shared_ptr<claim_face> face;
  std::chrono::milliseconds msg_timeout{0};
  std::chrono::milliseconds msg_timeout_max{0};
  std::uint32_t sample_rate = 0;             ///< percent; 0: all
  std::size_t backlog_bytes_max = 0;         ///< then nothing more is asked for
  std::chrono::milliseconds settle_limit{0}; ///< for the queue's answer
  std::shared_ptr<client_record> record;
};

class consumer {
public:
  using time = flight::time;

  consumer(consumer_host& host, consumer_options options);

  /// Gives everything back and leaves the queue.
  ~consumer();

  consumer(const consumer&) = delete;
  consumer& operator=(const consumer&) = delete;

  void set_ready(std::uint32_t count);

  /// FIN, REQ and TOUCH.
  void execute(const command& what, time now);

  /// CLS: nothing new from now on.
  void stop();

  /// From the queue.
  void take(deliver&& what, time now);

  /// Tells the queue what has come together.
  void flush();

  /// Forgets what has been kept for too long. False if the queue has not
  /// answered for too long.
  bool look_at_time(time now);

  /// When to look again; nothing while there is no reason to.
  std::optional<time> next_time() const;

  /// Whether messages may still go out; else those that wait may go at once.
  bool wants_more() const {
    return window_.open(flights_.size());
  }

private:
  struct settling {
    answer_queue::number answer = 0;
    verb what = verb::nop;
  };

  void settle(item_id id, const flight& x, verdict says,
              std::uint32_t delay_ms);
  void settled(const settlement& x);
  void arrived(claimed_item& x, time now);
  void give_back(const claimed_item& x, verdict says);
  void touch(item_id id, time now);
  void refuse(const command& what);
  std::uint32_t most_at_once() const;
  bool sampled_out();
  void count();
  void send_endings(std::uint32_t credit);

  consumer_host& host_;
  const consumer_options options_;
  window window_;
  flights flights_;
  bool stopped_ = false;
  std::vector<outcome> outcomes_;
  renew_claims renewed_;                   ///< by the whole time again
  std::vector<renew_claims> renewed_less_; ///< up to their limit
  std::unordered_multimap<item_id, settling> settling_;
  time settle_until_ = time::max();
  std::uint64_t average_bytes_ = 1'024; ///< of the newest messages, about
  std::minstd_rand chance_;
};

} // namespace depositd::nsq
