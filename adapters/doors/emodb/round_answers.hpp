#pragma once

// How requests that went to the shard together are answered one by one.

#include "adapters/doors/emodb/waiting_room.hpp"
#include "adapters/doors/http/responder.hpp"
#include "messages/receiving.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace depositd::emodb {

/// A request that acknowledges and polls: answered with what was found once
/// both are durable, or with what went wrong first.
class ack_and_poll {
public:
  explicit ack_and_poll(http::responder to) : to_(std::move(to)) {
    // nop
  }

  void acknowledged();
  void polled(http::response found, std::function<void()> not_taken);
  void failed(http::response why);
  bool over();

private:
  std::mutex guard_; // the two come on threads of their own
  bool acknowledged_ = false;
  bool failed_ = false;
  std::optional<http::response> found_;
  std::function<void()> not_taken_;
  http::responder to_;
};

/// A poll that claims. If it finds nothing, it waits in the room, which also
/// gives back what it found and nobody took.
struct claiming_poll {
  waiting_room_actor room;
  receive_items what;
  std::chrono::milliseconds wait{0}; ///< zero: it does not
  std::variant<http::responder, std::shared_ptr<ack_and_poll>> to;
  /// What is answered once its key may not poll any more; nothing until then.
  std::function<std::optional<http::response>()> forbidden;
  std::chrono::steady_clock::time_point asked =
    std::chrono::steady_clock::now();
};

/// What `kit::round` asks of a protocol.
struct round_answers {
  using answer = std::variant<http::responder, std::shared_ptr<ack_and_poll>,
                              std::shared_ptr<claiming_poll>>;

  static void sent(answer& to, bool accepted, bool over_bytes);
  static void acknowledged(answer& to);

  /// Items of `all` from `from` on, for a poll that claims.
  static void taken(answer& to, const std::vector<received_item>& all,
                    std::size_t from, std::size_t count,
                    std::string_view queue);

  static void failed(answer& to, const caf::error& why);
};

} // namespace depositd::emodb
