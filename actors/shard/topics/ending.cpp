// Topics and channels that are deleted. That they end is in the control state
// before anything of them goes, so it goes on whatever crashes.

#include "actors/rules/topics/topics.hpp"
#include "actors/shard/topics/topics.hpp"

#include <memory>
#include <utility>

namespace depositd::shard {

namespace {

/// Goes on with what has waited for the end of the topic, or of a part of it.
void let_go(shard_pointer self, const std::string& name) {
  auto& topics = self->state.topics;
  const auto at = topics.find(name);
  if (at == topics.end())
    return;
  at->second.ending = false;
  auto waiting = std::exchange(at->second.waiting, {});
  if (rules::find_topic(*self->state.control, name) == nullptr)
    topics.erase(at);
  if (waiting.empty())
    return;
  const auto shared = std::make_shared<decltype(waiting)>(std::move(waiting));
  const auto all = [shared](const caf::error& why) {
    for (const auto& go : *shared)
      go(why);
  };
  // Answered when all that was decided by now is in the journal.
  self->request(shard_self{self}, caf::infinite, read_watermarks{})
    .then([all](const watermarks_read&) { all({}); }, all);
}

void stop(shard_pointer self, const std::string& name, const caf::error& why) {
  auto& topic = self->state.topics[name];
  topic.ending = false;
  for (const auto& go : std::exchange(topic.waiting, {}))
    go(why);
  resume_later(self, name, why);
}

void end_next(shard_pointer self, const std::string& name);

/// The queue is empty, and nothing more comes into it.
void complete(shard_pointer self, const std::string& name,
              const std::string& queue) {
  note_progress(self, name);
  const auto* x = rules::find_topic(*self->state.control, name);
  if (x != nullptr && rules::next_ending(*x) == queue) {
    const auto number = find_queue(self, queue);
    self->state.topics[name].channels.erase(
      std::string{topic_of_queue(queue).channel});
    commit_control(
      self, rules::complete_end(*x, number ? ring_of(self, *number)
                                           : std::vector<std::string>{}));
  }
  end_next(self, name);
}

void end_next(shard_pointer self, const std::string& name) {
  auto& state = self->state;
  const auto* x = rules::find_topic(*state.control, name);
  const auto queue = x == nullptr ? std::string{} : rules::next_ending(*x);
  if (queue.empty()) {
    let_go(self, name);
    return;
  }
  state.topics[name].ending = true;
  const auto generation = state.journal.generation;
  self->request(shard_self{self}, caf::infinite, purge_queue{queue})
    .then(
      [=](const done&) {
        if (self->state.journal.generation == generation)
          complete(self, name, queue);
      },
      [=](const caf::error& why) {
        if (self->state.journal.generation != generation)
          return;
        if (why == ec::not_found)
          complete(self, name, queue);
        else
          stop(self, name, why);
      });
}

} // namespace

void run_end(shard_pointer self, const std::string& name) {
  if (!self->state.topics[name].ending)
    end_next(self, name);
}

void await_end(shard_pointer self, const std::string& topic,
               std::function<void(const caf::error&)> then) {
  auto& waiting = self->state.topics[topic].waiting;
  if (waiting.size() >= end_waiters_max) {
    then(caf::make_error(ec::overloaded,
                         "topic " + topic + " is being deleted: try again"));
    return;
  }
  waiting.push_back(std::move(then));
  run_end(self, topic);
}

} // namespace depositd::shard
