#pragma once

// Inside the door: one request on its way, and what is done for each.

#include "adapters/doors/emodb/answers.hpp"
#include "adapters/doors/emodb/deposit_reader.hpp"
#include "adapters/doors/emodb/door.hpp"
#include "adapters/doors/emodb/parameters.hpp"
#include "adapters/doors/emodb/round_answers.hpp"
#include "adapters/doors/emodb/waiting_room.hpp"
#include "adapters/doors/kit/followed_keys.hpp"
#include "adapters/doors/kit/gateway.hpp"
#include "adapters/doors/kit/keys.hpp"
#include "adapters/doors/kit/rate_limit.hpp"
#include "adapters/doors/kit/round.hpp"
#include "messages/values/names.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <string>

namespace depositd::emodb {

using kit::api_key;
using kit::key_ring;
using kit::permitted;

/// What all requests share.
struct door_core {
  door_core(caf::actor_system& system, door_options x);

  const door_options options;
  kit::followed_keys ring;
  deposit_reader_actor deposits;
  waiting_room_actor waiting;
  kit::gateway asked;
  kit::round<round_answers> together;
  kit::rate_limit rates;
  std::atomic<std::uint64_t> refused_keys{0}; ///< requests, so far
  kit::rate_limit refusals_logged{10};

  /// Counts and tells of one whose key is not known (null), may not do it, or
  /// may do nothing any more.
  void refuse(const api_key* key, const http::request& from, const char* why);

  /// Whether the user may make one more request that is about the queue, by the
  /// core's name; if so, it counts.
  bool within_quota(const key_ring& from, const std::string& queue,
                    const std::string& user);
};

/// What the core calls a queue of one of the two services.
inline std::string core_name(const std::string& queue, bool dedup) {
  return dedup ? std::string{dedup_queue_prefix} + queue : queue;
}

/// A request whose key and right have been checked.
struct call {
  std::shared_ptr<door_core> core;
  std::shared_ptr<const key_ring> ring;
  const api_key* key = nullptr; ///< in the ring
  bool dedup = false;           ///< which of the two services
  http::request from;
  http::responder answer;

  /// The queue in the path.
  const std::string& queue() const {
    return from.captured[0];
  }

  /// What the core calls a queue of this service.
  std::string core_name(const std::string& queue) const {
    return emodb::core_name(queue, dedup);
  }

  /// Whether the queue takes deposits, which have a door of their own.
  bool holds_deposits(const std::string& core_name) const {
    return ring->kind_of(core_name) == queue_kind::deposit;
  }

  /// Whether the key may do this with a queue of this service.
  bool may(queue_right right, const std::string& queue) const {
    return permitted(*key, right, queue, ring->kind_of(core_name(queue)));
  }

  /// Answers with what is wrong, if anything is.
  bool refused(std::optional<http::response> wrong);

  /// Answers if a parameter or the queue's name is wrong.
  bool refused(query_reader& query) {
    query.flag("partitioned");
    return refused_but_for_flag(query);
  }

  /// The same where only the dedup service knows of `partitioned`.
  bool refused_look(query_reader& query) {
    return dedup ? refused(query) : refused_but_for_flag(query);
  }

  bool refused_but_for_flag(query_reader& query) {
    return refused(query.wrong()) || refused(check_queue_name(queue()));
  }
};

/// Whether a key may still poll a queue while a poll of it waits. In one thread
/// at a time.
class lasting_right {
public:
  explicit lasting_right(const call& x);

  /// What is answered now that it may not; nothing while it may.
  std::optional<http::response> gone();

private:
  /// The key in the newest ring, if it may; of an equal ring nothing is asked.
  const api_key* find();

  std::shared_ptr<door_core> core_;
  std::shared_ptr<const key_ring> ring_;
  const api_key* key_; ///< in the ring; null: it may not
  const std::string text_;
  const std::string user_;
  const std::string queue_;
  const bool dedup_;
};

using operation_function = void (*)(call);

void send_one(call x);
void send_batch(call x);
void send_batches(call x);
void poll(call x);
void peek(call x);
void acknowledge(call x);
void acknowledge_and_poll(call x);
void renew(call x);
void fail(call x);
void report_size(call x);
void report_claims(call x);
void release_claims(call x);
void purge(call x);
void begin_move(call x);
void report_move(call x);

/// Whether there is no value at all, or null.
inline bool is_empty(kit::json_reader& x) {
  return x.at_end() || (x.look() == 'n' && x.skip());
}

/// Reads the body with `read`; answers if there is none, or what is wrong.
template <class F>
bool read_body(call& x, F read) {
  kit::json_reader reader{x.from.body};
  if (is_empty(reader))
    x.answer.send(empty_body());
  else if (!read(reader) || !reader.finish())
    x.answer.send(bad_json(reader));
  else
    return true;
  return false;
}

/// Asks an actor; `show` makes the answer of what it says, unless it refuses.
template <class Answer, class Actor, class Message, class F>
void ask(call& x, const Actor& whom, Message what, F show) {
  x.core->asked.ask(whom, std::move(what),
                    [show = std::move(show),
                     to = std::move(x.answer)](kit::core_answer said) mutable {
                      const auto* known = said.as<Answer>();
                      to.send(known ? show(*known) : failure(said.why()));
                    });
}

/// Asks the shard for something that is done or refused.
template <class Message>
void ask_done(call& x, Message what) {
  ask<done>(x, x.core->options.shard, std::move(what),
            [](done) { return success(); });
}

} // namespace depositd::emodb
