// Messages for the channels of a topic, or for the topic itself where no
// channel can take them.

#include "actors/journal/reply.hpp"
#include "actors/rules/topics/topics.hpp"
#include "actors/shard/admission/admission.hpp"
#include "actors/shard/topics/topics.hpp"
#include "messages/values/trace_book.hpp"

#include <utility>

namespace depositd::shard {

namespace {

/// That one publish makes.
constexpr std::size_t copies_max = 1'000'000;

caf::error check(const publish& x) {
  if (auto wrong = rules::check_topic_names(x.topic, ""))
    return wrong;
  if (auto wrong = check_item(x.user))
    return wrong;
  if (x.bodies.size() > publish_messages_max)
    return caf::make_error(ec::too_large,
                           "more than " + std::to_string(publish_messages_max)
                             + " messages at once");
  std::size_t bytes = 0;
  for (const auto& body : x.bodies) {
    if (body.empty())
      return caf::make_error(ec::invalid_argument,
                             std::string{"a message has no bytes"});
    bytes += body.size();
  }
  if (bytes > publish_bytes_max)
    return caf::make_error(ec::too_large, "more than "
                                            + std::to_string(publish_bytes_max)
                                            + " bytes at once");
  return {};
}

const std::vector<queue_number>& targets_of(shard_pointer self,
                                            const topic_changed& x) {
  auto& to = self->state.topics[x.topic].to;
  if (to.empty())
    for (const auto& queue : rules::queues_of_message(x))
      to.push_back(*find_queue(self, queue));
  return to;
}

/// For later: decided without a look at what else its user publishes.
publish_part as_part(publish& x) {
  return {std::make_shared<publish>(std::move(x))};
}

/// Of a user whose actor is just leaving: decided as if it came when that has
/// answered. Meanwhile channels come and go, and all that there are by then get
/// it, or none.
caf::result<published> publish_late(shard_pointer self, publish& x) {
  auto& waiting = self->state.users.at(x.user).waiting;
  const late_request<published, publish_part> late{self, as_part(x)};
  waiting.push_back([late] { late.decide(); });
  return journal::answered_later<published>();
}

void send_messages(shard_pointer self, const std::string& user,
                   accept_messages&& what) {
  for (const auto number : what.queues)
    reach_user(self, user, number);
  self->send(self->state.users.at(user).actor, std::move(what));
}

void count_messages(shard_topic& topic, const topic_changed& x,
                    const publish& what) {
  topic.messages += what.bodies.size();
  for (const auto& body : what.bodies)
    topic.bytes += body.size();
  if (!x.paused)
    for (const auto& channel : x.channels)
      topic.channels[channel].messages += what.bodies.size();
}

} // namespace

std::size_t copies_of_each(shard_pointer self, const std::string& topic) {
  const auto* x = rules::find_topic(*self->state.control, topic);
  return x == nullptr ? 1 : rules::queues_of_message(*x).size();
}

caf::result<published> publish_all(shard_pointer self, publish& x) {
  if (auto refused = refuse_growth(self))
    return refused;
  if (auto wrong = check(x))
    return wrong;
  if (x.bodies.size() * copies_of_each(self, x.topic) > copies_max)
    return caf::make_error(ec::too_large,
                           "more than " + std::to_string(copies_max)
                             + " messages for all channels together");
  return is_large(self, x) ? publish_large(self, x) : publish_now(self, x);
}

caf::result<published> publish_now(shard_pointer self, publish& x) {
  if (has_to_wait(self, x.topic, ""))
    return after_end<published>(self, std::string{x.topic}, as_part(x));
  if (is_retiring(self, x.user))
    return publish_late(self, x);
  auto& state = self->state;
  if (rules::find_topic(*state.control, x.topic) == nullptr)
    if (auto wrong = make_there(self, x.topic, ""))
      return wrong;
  const published answer{x.bodies.size()};
  if (x.bodies.empty())
    return answer_after_commits(self, answer);
  const auto& known = state.control->topics.at(x.topic);
  count_messages(state.topics[x.topic], known, x);
  state.topics[x.topic].used_us = now(self);
  accept_messages what;
  what.queues = targets_of(self, known);
  what.id_first = state.id_last + 1;
  what.delay_ms = x.delay_ms;
  what.waits = known.paused || known.channels.empty();
  for (auto& body : x.bodies)
    what.bodies.push_back(std::make_shared<const std::string>(std::move(body)));
  what.share = journal::share_reply(journal::take_reply(self), 1,
                                    [answer, charge = std::move(x.charge)] {
                                      return caf::make_message(answer);
                                    });
  if (!x.traceparent.empty())
    for (std::size_t i = 0; i < what.bodies.size() * what.queues.size(); ++i)
      note_message(what.id_first + i, x.traceparent, now(self));
  state.id_last += what.bodies.size() * what.queues.size();
  send_messages(self, x.user, std::move(what));
  return journal::answered_later<published>();
}

} // namespace depositd::shard
