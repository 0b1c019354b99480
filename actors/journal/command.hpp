#pragma once

// One command on its way to the journal: what happens, what is answered, and
// what goes with it, in one append.

#include "actors/journal/reply.hpp"
#include "actors/journal/writer.hpp"
#include "messages/actors.hpp"

#include <memory>
#include <string>
#include <unordered_set>
#include <utility>

namespace depositd::journal {

/// To itself: answered when all that was sent to the journal before is in it.
struct pass_journal {};

/// Where somebody's commands go.
struct journal_access {
  journal_actor actor;
  std::uint32_t generation = 0; ///< of the shard, goes with every append
  std::shared_ptr<journal_backlog> backlog; ///< may be null
};

/// A command's events and what leaves with them, while it is being decided.
class command {
public:
  /// `user`: whose events they are; empty for settings.
  explicit command(const journal_access& to, std::string user = {})
    : to_(to), what_{std::move(user), {}} {
    // nop
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

  /// Asks for the place of an item's body in this command.
  void ask_location(item_id id, caf::strong_actor_ptr who, std::string queue) {
    out_.locations_to = std::move(who);
    out_.locations_queue = std::move(queue);
    asked_.insert(id);
  }

  /// Hands everything to the journal. Without events and deliveries: nothing.
  template <class Self>
  void commit(Self* self) {
    if (seal())
      self->send(to_.actor, std::move(out_));
  }

  /// Answers the current request with this as soon as it is committed.
  template <class Self, class Answer>
  caf::result<Answer> commit_and_answer(Self* self, Answer what) {
    deliver(reply{take_reply(self), caf::make_message(std::move(what))});
    commit(self);
    return answered_later<Answer>();
  }

private:
  /// Makes bytes of the events. False: there is nothing to be sent.
  bool seal();

  const journal_access& to_; ///< outlives the command
  record what_;
  append out_;
  std::unordered_set<item_id> asked_; ///< whose places
};

} // namespace depositd::journal

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(depositd::journal::pass_journal)
