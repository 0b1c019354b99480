#pragma once

// One command of a user's actor on its way to the journal. Private to
// actors/user.cpp.

#include "actors/users/user.hpp"
#include "messages/values/codec.hpp"

#include <utility>
#include <vector>

namespace depositd::users {

/// A command's events and what leaves with them, while it is being decided.
class user_command {
public:
  explicit user_command(user_pointer self) : self_(self) {
    what_.user = self->state.options.user;
  }

  /// Applies the event at once, so that the next decision sees it.
  void happen(user_queue& queue, event x, rules::body_bytes body = nullptr) {
    give_back_body(queue, x);
    queue.ledger.apply(x, std::move(body));
    what_.events.push_back(std::move(x));
  }

  /// An item of one queue goes to another.
  void move(user_queue& from, user_queue& to, item_moved x) {
    rules::ledger::apply(x, from.ledger, to.ledger);
    what_.events.push_back(std::move(x));
  }

  void note(event x) {
    what_.events.push_back(std::move(x));
  }

  /// Whether nothing has happened.
  bool empty() const {
    return what_.events.empty();
  }

  void deliver(delivery x) {
    out_.deliveries.push_back(std::move(x));
  }

  /// The command is part of a bundle, or not if it is null.
  void go_with(std::shared_ptr<append_bundle> bundle) {
    out_.bundle = std::move(bundle);
  }

  /// Asks for the places of the bodies in this command.
  void ask_locations(const user_queue& queue) {
    out_.locations_to = self_->ctrl();
    out_.locations_queue = queue.name;
  }

  /// Hands everything to the journal. Without events and deliveries: nothing.
  void commit() {
    if (what_.events.empty() && out_.deliveries.empty())
      return;
    std::vector<body_slot> slots;
    if (!what_.events.empty())
      encode(what_, out_.bytes, slots);
    if (out_.locations_to)
      out_.slots = std::move(slots);
    out_.events = static_cast<std::uint32_t>(what_.events.size());
    const auto& options = self_->state.options;
    out_.generation = options.generation;
    if (options.backlog)
      options.backlog->bytes += out_.bytes.size();
    self_->send(options.journal, std::move(out_));
  }

private:
  /// The budget gets back what an item that leaves had in memory.
  void give_back_body(user_queue& queue, const event& x) {
    const auto* gone = std::get_if<item_finished>(&x);
    if (gone == nullptr)
      return;
    if (self_->state.unbudgeted.erase(gone->id) > 0)
      return;
    if (auto body = queue.ledger.body(gone->id))
      self_->state.options.budget->give_back(body->size());
  }

  user_pointer self_;
  record what_;
  append out_;
};

} // namespace depositd::users
