#pragma once

// How requests that went to the shard together are answered one by one.

#include "adapters/doors/http/responder.hpp"
#include "messages/receiving.hpp"

#include <string_view>
#include <vector>

namespace depositd::emodb {

/// What `kit::round` asks of a protocol.
struct round_answers {
  using answer = http::responder;

  static void sent(answer& to, bool accepted, bool over_bytes);
  static void acknowledged(answer& to);

  /// Items of `all` from `from` on.
  static void taken(answer& to, const std::vector<received_item>& all,
                    std::size_t from, std::size_t count,
                    std::string_view queue);

  static void failed(answer& to, const caf::error& why);
};

} // namespace depositd::emodb
