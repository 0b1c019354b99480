#pragma once

// Topics of a shard: what doors publish, what is ordered, who comes and goes.
// Private to actors/shard.

#include "actors/shard/parts.hpp"
#include "messages/topics.hpp"

#include <utility>

namespace depositd::shard {

// -- publishing.cpp -----------------------------------------------------------

caf::result<published> publish_all(shard_pointer self, publish& x);

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
caf::error make_there(shard_pointer self, const std::string& topic,
                      const std::string& channel);

caf::result<done> order(shard_pointer self, const order_topic& x);

/// The port of a channel, which comes into being if it is new.
caf::result<queue_port_actor> open_channel(shard_pointer self,
                                           const open_queue& x);

/// The control state says something new of the topic.
void topic_was_changed(shard_pointer self, const std::string& name);

/// After a recovery: what is ephemeral ends, and what had begun goes on.
void begin_topics(shard_pointer self);
void go_on_with_topics(shard_pointer self, const resume_topics& x);

/// The same in a while.
void resume_later(shard_pointer self, const std::string& topic,
                  const caf::error& why);

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

/// Answers the current request then, as if it came then.
template <class Answer, class Request>
caf::result<Answer> after_end(shard_pointer self, const std::string& topic,
                              const Request& x) {
  auto promise = self->make_response_promise<Answer>();
  await_end(self, topic, [=](const caf::error& why) mutable {
    if (why) {
      promise.deliver(why);
      return;
    }
    self->request(shard_self{self}, caf::infinite, Request{x})
      .then([=](const Answer& y) mutable { promise.deliver(y); },
            [=](const caf::error& e) mutable { promise.deliver(e); });
  });
  return promise;
}

} // namespace depositd::shard
