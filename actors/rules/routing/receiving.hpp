#pragma once

// Receiving from a queue that is in all shards.

#include "actors/rules/routing/destinations.hpp"

#include <optional>
#include <utility>

namespace depositd::rules::routing {

/// One shard after the other, beginning with another one each time, until there
/// are enough items. A shard that fails is passed over.
template <class Request, class Answer>
class receiving_round {
public:
  receiving_round(Request what, shard_number first, shard_number count)
    : what_(std::move(what)), first_(first), count_(count) {
    // nop
  }

  /// Whom to ask for what is missing; nobody: that is all.
  std::optional<part<Request>> next() {
    if (asked_ == count_ || found_.items.size() >= what_.count)
      return std::nullopt;
    auto rest = what_;
    rest.count -= static_cast<std::uint32_t>(found_.items.size());
    return part<Request>{(first_ + asked_++) % count_, std::move(rest), {}};
  }

  void take(Answer& x) {
    for (auto& item : x.items)
      if (item.name.id != 0) // else nothing was there for this pick
        found_.items.push_back(std::move(item));
  }

  /// Whether an error of the shard asked last is all that can be told.
  bool has_failed() const {
    return asked_ == count_ && found_.items.empty();
  }

  Answer result() {
    return std::move(found_);
  }

private:
  Request what_;
  shard_number first_;
  shard_number count_;
  shard_number asked_ = 0;
  Answer found_;
};

} // namespace depositd::rules::routing
