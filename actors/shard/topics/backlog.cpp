// Messages that have waited in a topic, on their way to its channels.

#include "actors/rules/topics/topics.hpp"
#include "actors/shard/topics/topics.hpp"
#include "messages/values/test_points.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>

namespace depositd::shard {

namespace {

/// Who has what waits in a topic, one after the other.
struct backlog_run {
  std::string topic;
  std::uint32_t generation = 0;
  std::uint64_t changes = 0; ///< of the topic, at the beginning
  queue_number from = 0;
  std::vector<std::string> users;
  std::size_t user = 0; ///< whose messages go
};

using running = std::shared_ptr<backlog_run>;

void spread_slice(shard_pointer self, const running& run);

/// The channels' queues; empty if one of them is not there.
std::vector<queue_number> targets_of(shard_pointer self,
                                     const topic_changed& x) {
  std::vector<queue_number> out;
  for (const auto& channel : x.backlog_to)
    if (const auto number = find_queue(self, channel_queue(x.topic, channel)))
      out.push_back(*number);
  return out;
}

bool goes_on(shard_pointer self, const backlog_run& run) {
  const auto& state = self->state;
  return state.journal.generation == run.generation
         && state.now == shard_state::phase::serving;
}

void take_slice(shard_pointer self, const running& run,
                const std::vector<std::string>& channels,
                const items_spread& x) {
  if (!goes_on(self, *run))
    return; // the next engine does
  note_progress(self, run->topic);
  auto& known = self->state.topics[run->topic].channels;
  for (const auto& channel : channels)
    known[channel].messages += x.count;
  if (!x.more)
    ++run->user;
  spread_slice(self, run);
}

void ask_user(shard_pointer self, const running& run, spread_items what,
              const std::vector<std::string>& channels) {
  const auto& user = run->users[run->user];
  if (is_retiring(self, user)) {
    self->state.users.at(user).waiting.push_back(
      [=] { spread_slice(self, run); });
    return;
  }
  reach_user(self, user, run->from);
  for (const auto number : what.to)
    reach_user(self, user, number);
  // A disk takes as long as it takes.
  self
    ->request(self->state.users.at(user).actor, caf::infinite, std::move(what))
    .then([=](const items_spread& x) { take_slice(self, run, channels, x); },
          [=](const caf::error& why) {
            if (!goes_on(self, *run))
              return;
            self->state.topics[run->topic].spreading = false;
            resume_later(self, run->topic, why);
          });
}

void spread_slice(shard_pointer self, const running& run) {
  if (!goes_on(self, *run))
    return;
  auto& state = self->state;
  auto& topic = state.topics[run->topic];
  const auto* x = rules::find_topic(*state.control, run->topic);
  // Paused, or other channels are to get what waits: begin again, with all who
  // have something there by now.
  if (x == nullptr || topic.changes != run->changes) {
    topic.spreading = false;
    run_backlog(self, run->topic);
    return;
  }
  if (run->user == run->users.size() || seeded_bug("backlog_given_up")) {
    topic.spreading = false;
    commit_control(self, rules::complete_backlog(*x));
    return;
  }
  spread_items what;
  what.from = run->from;
  what.to = targets_of(self, *x);
  const auto copies = static_cast<std::uint32_t>(what.to.size()) - 1;
  what.count_max =
    std::max<std::uint32_t>(state.options.slice_items / (copies + 1), 1);
  what.id_first = state.id_last + 1;
  state.id_last += item_id{what.count_max} * copies;
  ask_user(self, run, std::move(what), x->backlog_to);
}

} // namespace

void run_backlog(shard_pointer self, const std::string& name) {
  auto& state = self->state;
  const auto* x = rules::find_topic(*state.control, name);
  const auto from = find_queue(self, topic_queue(name));
  if (x == nullptr || !from || x->backlog_to.empty()
      || targets_of(self, *x).size() != x->backlog_to.size()
      || std::exchange(state.topics[name].spreading, true))
    return;
  const auto run = std::make_shared<backlog_run>();
  run->topic = name;
  run->generation = state.journal.generation;
  run->changes = state.topics[name].changes;
  run->from = *from;
  run->users = members_of(self, *from);
  spread_slice(self, run);
}

} // namespace depositd::shard
