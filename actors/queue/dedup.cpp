#include "actors/queue/parts.hpp"
#include "messages/values/test_points.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace depositd::queue {

namespace {

using rules::dedup_index;

/// Gathers what becomes ready, one message per user and way of counting.
class admissions {
public:
  explicit admissions(self_pointer self) : self_(self) {
    // nop
  }

  /// A fresh copy: it becomes ready if no equal one waits.
  void arrive(member_number number, const arrival& x) {
    const dedup_index::copy one{x.id, number, x.size, x.band};
    if (self_->state.copies.arrive(x.digest, one))
      add(one);
  }

  /// Counts the item as ready at once, so that who receives later finds
  /// it; a user's actor that has other size classes yet counts it itself.
  void add(const dedup_index::copy& x) {
    auto* member = find_member(self_, x.member);
    if (member == nullptr)
      return;
    auto& state = self_->state;
    const auto counted = member->classes_version == state.classes_version;
    const auto cls = state.classes.of(x.size);
    if (counted)
      state.ring.change_ready(x.member, {x.band, cls, 1});
    auto& message = messages_[{x.member, counted}];
    message.queue = state.options.number;
    message.counted = counted;
    message.items.push_back({x.id, x.band, cls});
  }

  void send() {
    for (auto& [key, message] : messages_)
      self_->send(self_->state.members[key.first].actor, std::move(message));
  }

private:
  self_pointer self_;
  std::map<std::pair<member_number, bool>, admit_items> messages_;
};

} // namespace

void take_arrivals(self_pointer self, member_number number,
                   const std::vector<arrival>& arrived) {
  if (arrived.empty())
    return;
  auto& state = self->state;
  if (!state.begun) {
    for (const auto& x : arrived)
      state.early.emplace_back(number, x);
    return;
  }
  admissions admitted{self};
  for (const auto& x : arrived)
    admitted.arrive(number, x);
  admitted.send();
}

void sort_early(self_pointer self) {
  auto early = std::exchange(self->state.early, {});
  std::sort(early.begin(), early.end(), [](const auto& a, const auto& b) {
    return a.second.id < b.second.id;
  });
  admissions admitted{self};
  for (const auto& [number, x] : early)
    admitted.arrive(number, x);
  admitted.send();
}

void take_delivered(self_pointer self, const std::vector<digested>& deliver) {
  auto& state = self->state;
  std::map<member_number, std::vector<item_id>> superfluous;
  for (const auto& x : deliver)
    for (const auto& copy : state.copies.deliver(x.digest, x.id))
      superfluous[copy.member].push_back(copy.id);
  for (auto& [number, ids] : superfluous) {
    auto* member = find_member(self, number);
    if (member == nullptr)
      continue;
    // They count no longer: who got the survivor must not see them.
    member->collapsing += static_cast<std::uint32_t>(ids.size());
    state.collapsing += ids.size();
    self->send(member->actor,
               collapse_items{state.options.number, std::move(ids)});
  }
}

void take_left(self_pointer self, const std::vector<digested>& left) {
  if (left.empty() || seeded_bug("shadow_not_promoted"))
    return;
  auto& copies = self->state.copies;
  std::vector<std::pair<std::uint64_t, dedup_index::copy>> promoted;
  for (const auto& x : left)
    if (const auto next = copies.left(x.digest, x.id))
      promoted.emplace_back(x.digest, *next);
  admissions admitted{self};
  for (const auto& [digest, next] : promoted)
    if (copies.admitted(digest, next.id)) // else it left too
      admitted.add(next);
  admitted.send();
}

void take_collapsed(self_pointer self, member_number number,
                    std::uint32_t count) {
  auto& member = self->state.members[number];
  const auto done = std::min(count, member.collapsing);
  member.collapsing -= done;
  self->state.collapsing -= done;
}

} // namespace depositd::queue
