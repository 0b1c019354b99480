#pragma once

#include "messages/processors.hpp"

#include <unordered_map>
#include <utility>
#include <vector>

namespace depositd::journal {

/// Gathers what is durable for each processor, or each of other actors, into
/// one message each.
template <class Message = deliver>
class outgoing {
public:
  Message& of(const caf::strong_actor_ptr& to) {
    auto [at, fresh] = index_.try_emplace(to.get(), messages_.size());
    if (fresh)
      messages_.emplace_back(to, Message{});
    return messages_[at->second].second;
  }

  /// Sends everything, in the order in which those it is for first came.
  void send(const caf::strong_actor_ptr& from, caf::execution_unit* context) {
    for (auto& [to, message] : messages_)
      to->enqueue(from, caf::make_message_id(),
                  caf::make_message(std::move(message)), context);
    messages_.clear();
    index_.clear();
  }

private:
  std::unordered_map<caf::actor_control_block*, std::size_t> index_;
  std::vector<std::pair<caf::strong_actor_ptr, Message>> messages_;
};

} // namespace depositd::journal
