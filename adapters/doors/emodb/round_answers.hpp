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
  void polled(http::response found);
  void failed(http::response why);
  bool over();

private:
  std::mutex guard_; // the two come on threads of their own
  bool acknowledged_ = false;
  std::optional<http::response> found_;
  http::responder to_;
};

/// A poll that, if it finds nothing, waits in the room.
struct patient_poll {
  waiting_room_actor room;
  receive_items what;
  std::chrono::milliseconds wait{0};
  std::variant<http::responder, std::shared_ptr<ack_and_poll>> to;
  /// What is answered once its key may not poll any more; nothing until then.
  std::function<std::optional<http::response>()> forbidden;
};

/// What `kit::round` asks of a protocol.
struct round_answers {
  using answer = std::variant<http::responder, std::shared_ptr<ack_and_poll>,
                              std::shared_ptr<patient_poll>>;

  static void sent(answer& to, bool accepted, bool over_bytes);
  static void acknowledged(answer& to);

  /// Items of `all` from `from` on.
  static void taken(answer& to, const std::vector<received_item>& all,
                    std::size_t from, std::size_t count,
                    std::string_view queue);

  static void failed(answer& to, const caf::error& why);
};

} // namespace depositd::emodb
