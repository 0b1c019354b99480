#pragma once

// One command of a user on its way to the journal. Private to actors/users.

#include "actors/journal/command.hpp"
#include "actors/users/parts.hpp"
#include "messages/sources.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace depositd::users {

class user_command;

// -- costs.cpp ----------------------------------------------------------------

/// The command's queue is fair by cost: settles what has ended, and has it
/// journalled with the command.
void settle_costs(user_command& todo, user_pointer self);

/// A command about one of the user's queues. Events are applied as they happen,
/// so that the next decision sees them, and the queue hears of them first:
/// whoever gets the answer must find it as the command has left it.
class user_command : public journal::command {
public:
  user_queue* const queue; ///< null: the user has nothing to do with it
  report_extras extras;

  user_command(user_pointer self, user_queue* about)
    : journal::command(self->state.options.journal, self->state.options.user),
      queue(about), self_(self) {
    // nop
  }

  user_command(user_pointer self, queue_number number)
    : user_command(self, find_queue(self, number)) {
    // nop
  }

  void happen(event x, rules::body_bytes body = nullptr) {
    give_back_body(x);
    if (!self_->state.origins.empty())
      follow_record(*queue, x);
    queue->ledger.apply(x, std::move(body));
    note(std::move(x));
  }

  /// Something in another of the user's queues, which has to be reported to.
  void happen_in(user_queue& where, event x, rules::body_bytes body = nullptr) {
    if (!self_->state.origins.empty())
      follow_record(where, x);
    where.ledger.apply(x, std::move(body));
    note(std::move(x));
  }

  /// Somebody has ended the claim or the item.
  void end(event x) {
    if (const auto* gone = std::get_if<item_finished>(&x)) {
      ++extras.finished;
      extras.note_end(queue->ledger.claimed_since(gone->id), gone->finished_us,
                      gone->how == ending::failed);
    }
    happen(std::move(x));
  }

  /// An item goes to another queue.
  void move(item_moved x, user_queue& to) {
    if (!self_->state.origins.empty())
      follow_move(x);
    rules::ledger::apply(x, queue->ledger, to.ledger);
    note(std::move(x));
  }

  /// The item that has just come is a record of a source (records.cpp).
  void take_record(item_id id, std::shared_ptr<const record_origin> origin);

  /// The body has no room in memory: asks where it will be.
  void ask_place(item_id id) {
    ++self_->state.unbudgeted[id];
    ask_location(id, self_->ctrl(), queue->name);
  }

  /// The item is gone: the budget gets back what its body had in memory.
  void forget_body(item_id id) {
    if (self_->state.unbudgeted.erase(id) > 0)
      return;
    if (auto body = queue->ledger.body(id))
      self_->state.options.budget->give_back(body->size());
  }

  /// Tells the queue, and hands everything to the journal.
  void commit() {
    if (queue != nullptr) {
      if (queue->costs)
        settle_costs(*this, self_);
      report(self_, *queue, std::move(extras));
    }
    journal::command::commit(self_);
    // Behind the events: what the shard makes of it must not overtake them.
    if (!moved_.empty())
      tell_records();
  }

  /// The same, and answers the current request with this when it is committed.
  template <class Answer>
  caf::result<Answer> commit_and_answer(Answer what) {
    deliver(
      reply{journal::take_reply(self_), caf::make_message(std::move(what))});
    commit();
    return journal::answered_later<Answer>();
  }

private:
  /// The budget gets back what an item that leaves had in memory.
  void give_back_body(const event& x) {
    if (const auto* gone = std::get_if<item_finished>(&x))
      forget_body(gone->id);
  }

  // -- records.cpp: of items that are records of sources

  /// Before the event is applied.
  void follow_record(user_queue& in, const event& x);
  void follow_move(const item_moved& x);
  records_moved& moved_in(const std::string& where);
  void tell_records();

  user_pointer self_;
  std::vector<records_moved> moved_; ///< by queue
};

// -- telling.cpp --------------------------------------------------------------

/// A claim of an item that is no job has ended with this event, or an operator
/// has cancelled the item, which nobody had claimed. A deposit that is over
/// goes on to the outbox if somebody is to be told (`tell`) and may be.
void end_claim(user_command& todo, user_pointer self, event ended, bool tell);

/// The same for items that are purged, whoever has claimed them.
void end_purged(user_command& todo, user_pointer self,
                std::vector<event> ended);

} // namespace depositd::users
