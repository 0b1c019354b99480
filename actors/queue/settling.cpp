// What processors say of the items that they had, on its way to the users.

#include "actors/queue/parts.hpp"
#include "actors/rules/ledger/outcome_bounds.hpp"

#include <algorithm>
#include <utility>

namespace depositd::queue {

namespace {

/// What goes to a user's actor in one message is one append, which must fit
/// into a group.
class outcomes_of_user {
public:
  outcomes_of_user(self_pointer self, const queue_member& member,
                   const caf::strong_actor_ptr& to)
    : self_(self), member_(member), what_{self->state.options.number, to, {}} {
    // nop
  }

  void reserve(std::size_t count) {
    what_.outcomes.reserve(count);
  }

  void add(outcome&& x) {
    rules::keep_within_bounds(x);
    const auto bytes = rules::bytes_of(x);
    if (bytes_ > 0 && bytes_ + bytes > rules::outcomes_bytes_max) {
      self_->send(member_.actor, settle{what_.queue, what_.to,
                                        std::exchange(what_.outcomes, {})});
      bytes_ = 0;
    }
    bytes_ += bytes;
    what_.outcomes.push_back(std::move(x));
  }

  void send() {
    self_->send(member_.actor, std::move(what_));
  }

private:
  self_pointer self_;
  const queue_member& member_;
  settle what_;
  std::size_t bytes_ = 0;
};

} // namespace

void settle_outcomes(self_pointer self, queue_processor& processor,
                     std::vector<outcome>& outcomes) {
  const auto to = caf::actor_cast<caf::strong_actor_ptr>(processor.actor);
  processor.holds -= static_cast<std::int64_t>(outcomes.size());
  std::vector<std::pair<member_number, std::size_t>> order;
  order.reserve(outcomes.size());
  for (const auto& x : outcomes)
    order.emplace_back(x.member, order.size());
  std::sort(order.begin(), order.end());
  // Of users who have no claims here; what ended them must be durable first.
  journal::command unknown{self->state.options.journal};
  for (auto first = order.begin(); first != order.end();) {
    const auto last = std::find_if(first, order.end(), [&](const auto& x) {
      return x.first != first->first;
    });
    if (const auto* member = find_member(self, first->first)) {
      outcomes_of_user own{self, *member, to};
      own.reserve(static_cast<std::size_t>(last - first));
      for (; first != last; ++first)
        own.add(std::move(outcomes[first->second]));
      own.send();
    }
    for (; first != last; ++first)
      unknown.deliver(settlement_notice{to, outcomes[first->second].id, false});
  }
  unknown.commit(self);
}

} // namespace depositd::queue
