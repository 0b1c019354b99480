#pragma once

// Inside the door: one request on its way, and what is done for each.

#include "adapters/doors/kit/followed_keys.hpp"
#include "adapters/doors/kit/gateway.hpp"
#include "adapters/doors/kit/rate_limit.hpp"
#include "adapters/doors/nsq/http/answers.hpp"
#include "adapters/doors/nsq/http/callers.hpp"
#include "adapters/doors/nsq/http/desk.hpp"
#include "adapters/doors/nsq/http/door.hpp"
#include "adapters/doors/nsq/http/places.hpp"
#include "adapters/doors/nsq/lookup/directory.hpp"
#include "messages/topics.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace depositd::nsq_http {

using nsq::topic_right;

/// What all requests share.
struct door_core {
  door_core(caf::actor_system& system, door_options x);

  const door_options options;
  const std::int64_t start_s; ///< since 1970
  kit::followed_keys ring{false};
  std::atomic<std::shared_ptr<const whereabouts>> where; ///< never null
  desk writing;
  kit::gateway asked;
  std::atomic<std::uint64_t> refused_keys{0}; ///< requests, so far
  kit::rate_limit refusals_logged{10};
  nsq::wellbeing& health;
  nsq_lookup::tombstones hidden;
  /// Of questions about all topics: where these are very many, each asks a
  /// shard for long, and others would wait behind all of them.
  std::shared_ptr<places> listings = std::make_shared<places>(8, 1'000);

  /// Counts and tells of a request whose key is not served.
  void refuse(const http::request& from, const char* why);

  /// Whether the user may make one more request that is about the topic; if so,
  /// it counts.
  bool within_quota(const kit::key_ring& from, std::string_view topic,
                    const std::string& user);

  /// There may be topics or channels that nsqlookupds have not heard of.
  void topics_changed();

  /// Keeps in mind whether the engine takes what it is given: a full disk is
  /// told as too much to do.
  void learn(const caf::error& why);
};

/// A request whose caller is known.
struct call {
  std::shared_ptr<door_core> core;
  std::shared_ptr<const kit::key_ring> ring; ///< has the caller's key
  caller who;
  http::request from;
  http::responder answer;

  /// Null if it is not given; an empty value is one.
  const std::string* argument(std::string_view name) const {
    return http::find(from.query, name);
  }

  /// Answers that nobody can read the query, if so.
  bool is_unreadable();

  /// The topic of a request that makes it; answers and is null if something is
  /// wrong with it.
  const std::string* topic_to_make();

  /// The topic of a request that needs one, whatever it is called.
  const std::string* topic_named();

  /// Topic and channel; answers if something is wrong with them.
  std::optional<std::pair<std::string, std::string>> topic_and_channel();

  /// Answers that the caller may not do it, if so.
  bool forbids(nsq::topic_right what, std::string_view topic,
               std::string_view channel = {});

  /// Answers that the caller's quota for the topic is used up, if so.
  bool asks_too_often(std::string_view topic);

  /// Answers that the caller has made as many topics and channels as one may,
  /// if one of these is not there; else they count as made.
  bool makes_too_many(const std::string& topic,
                      const std::string& channel = {});

  void fail(unsigned status, std::string_view word) {
    answer.send(failed(status, word));
  }

  /// Answers what the core has said.
  void fail(const caf::error& why) {
    core->learn(why);
    answer.send(failure(why));
  }
};

using operation_function = void (*)(call);

void publish_one(call x);
void publish_several(call x);
/// The answer to messages that are none: the topic is there all the same.
void publish_nothing(call x, const std::string& topic);
void create_topic(call x);
void remove_topic(call x);
void empty_topic(call x);
void pause_topic(call x);
void unpause_topic(call x);
void create_channel(call x);
void remove_channel(call x);
void empty_channel(call x);
void pause_channel(call x);
void unpause_channel(call x);
void hide_topic(call x);
void tell_stats(call x);
void tell_info(call x);
void tell_option(call x);
void set_option(call x);
void look_up(call x);
void list_all_topics(call x);
void list_channels(call x);
void list_nodes(call x);

/// Asks what there is of a topic, or of all (empty); `then` gets the call back
/// and what the caller may see, at the desk. Who asks for all waits for a place
/// to do so, or is told to come again where very many wait.
template <class F>
void with_topics(call x, std::string topic, F then) {
  const auto listings = x.core->listings;
  const bool of_all = topic.empty();
  // Tasks can be copied, calls cannot.
  const auto kept = std::make_shared<call>(std::move(x));
  const auto ask = [kept, topic = std::move(topic),
                    then = std::move(then)](const places::place& place) {
    if (kept->answer.over())
      return; // nobody waits for it any more
    auto& core = *kept->core;
    core.asked.ask(
      core.options.shard, list_topics{topic, {}},
      [kept, place, then](kit::core_answer said) {
        auto* known = said.as<topics_listed>();
        if (!known)
          return kept->fail(said.why());
        const auto all = std::make_shared<topics_listed>(std::move(*known));
        kept->core->writing.write([kept, place, all, then] {
          std::erase_if(all->topics, [&](const auto& y) {
            return !may_see(kept->who, y.name);
          });
          then(std::move(*kept), std::move(*all));
        });
      },
      place);
  };
  if (!of_all)
    return ask({});
  if (!listings->enter(ask))
    kept->answer.send(failed(503, "OVERLOADED").with("Retry-After", "1"));
}

/// The same of the topic of this name alone; nothing of a name that is none.
template <class F>
void with_topic(call x, const std::string& topic, F then) {
  if (!is_topic_name(topic))
    then(std::move(x), topics_listed{});
  else
    with_topics(std::move(x), topic, std::move(then));
}

} // namespace depositd::nsq_http
