#pragma once

// Topics of a shard: what doors publish, what is ordered, who comes and goes.
// Private to actors/shard.

#include "actors/journal/reply.hpp"
#include "actors/shard/parts.hpp"
#include "messages/topics.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace depositd::shard {

// -- publishing.cpp -----------------------------------------------------------

caf::result<published> publish_all(shard_pointer self, publish& x);

/// The same of what is not large, or of a part.
caf::result<published> publish_now(shard_pointer self, publish& x);

/// That the topic makes of each message, as it is now.
std::size_t copies_of_each(shard_pointer self, const std::string& topic);

// -- large.cpp ----------------------------------------------------------------

/// That are stored in one commit, for which everybody else waits.
inline constexpr std::size_t copies_at_once = 5'000;

/// More copies than that, or behind such of its user.
bool is_large(shard_pointer self, const publish& x);

caf::result<published> publish_large(shard_pointer self, publish& x);

caf::result<published> take_part(shard_pointer self, publish_part& x);

// -- consumers.cpp ------------------------------------------------------------

caf::result<done> note(shard_pointer self, const note_consumers& x);

/// Ends ephemeral topics and channels that nobody has used for long.
void retire_topics(shard_pointer self);

// -- listing.cpp --------------------------------------------------------------

caf::result<topics_listed> list_all_topics(shard_pointer self,
                                           const list_topics& x);

// -- topics.cpp ---------------------------------------------------------------

/// Whether what is said of the topic, or of its channel, has to wait until that
/// is gone.
bool has_to_wait(shard_pointer self, const std::string& topic,
                 const std::string& channel);

/// The topic, and its channel unless that is empty, are there from now on.
/// `answer`, if given, is delivered when they are durably there; not at all if
/// this returns an error.
caf::error make_there(shard_pointer self, const std::string& topic,
                      const std::string& channel,
                      std::optional<reply> answer = {});

caf::result<done> order(shard_pointer self, const order_topic& x);

/// The port of a channel, which comes into being if it is new.
caf::result<queue_port_actor> open_channel(shard_pointer self,
                                           const open_queue& x);

/// The control state says something new of the topic.
void topic_was_changed(shard_pointer self, const std::string& name);

/// After a recovery: what is ephemeral ends, and what had begun goes on.
void begin_topics(shard_pointer self);
void go_on_with_topics(shard_pointer self, const resume_topics& x);

/// The same in a while, since something of the topic did not go on.
void resume_later(shard_pointer self, const std::string& topic,
                  const caf::error& why);

/// It goes on.
void note_progress(shard_pointer self, const std::string& topic);

/// Nothing that is known of topics is true any more.
void forget_topics(shard_pointer self, const caf::error& why);

// -- backlog.cpp --------------------------------------------------------------

/// What has waited in the topic goes to the channels that are to get it, slice
/// by slice. Each slice is one commit, so a crash loses and repeats nothing,
/// and the next start goes on.
void run_backlog(shard_pointer self, const std::string& name);

// -- ending.cpp ---------------------------------------------------------------

/// Empties and takes away what ends of the topic, queue by queue; the next
/// start goes on if a crash cuts it.
void run_end(shard_pointer self, const std::string& name);

/// So many wait for the end of one topic, and are refused beyond that.
inline constexpr std::size_t end_waiters_max = 1'000;

/// Runs `then` when all that ends of the topic is gone, and that is durable; or
/// with an error.
void await_end(shard_pointer self, const std::string& topic,
               std::function<void(const caf::error&)> then);

/// The current request, which waits to be decided as if it came later. Copies
/// are one and the same: what it carries may be large. Where all of them are
/// dropped, as when the shard starts over, the answer is an error.
template <class Answer, class Request>
class late_request {
public:
  late_request(shard_pointer self, Request x)
    : self_(self), what_(std::make_shared<Request>(std::move(x))),
      to_(journal::share_reply(journal::take_reply(self), 1, nullptr)) {
    // nop
  }

  void refuse(const caf::error& why) const {
    say(caf::make_message(why));
  }

  /// Once.
  void decide() const {
    const auto all = *this;
    self_->request(shard_self{self_}, caf::infinite, std::move(*what_))
      .then([all](const Answer& x) { all.say(caf::make_message(x)); },
            [all](const caf::error& why) { all.refuse(why); });
  }

private:
  void say(caf::message answer) const {
    to_->shares = 0;
    journal::answer(to_->where, std::move(answer));
  }

  shard_pointer self_;
  std::shared_ptr<Request> what_;
  std::shared_ptr<shared_reply> to_;
};

/// Answers the current request then, as if it came then.
template <class Answer, class Request>
caf::result<Answer> after_end(shard_pointer self, const std::string& topic,
                              Request x) {
  const late_request<Answer, Request> late{self, std::move(x)};
  await_end(self, topic, [late](const caf::error& why) {
    if (why)
      late.refuse(why);
    else
      late.decide();
  });
  return journal::answered_later<Answer>();
}

} // namespace depositd::shard
