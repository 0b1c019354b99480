// Making, removing, emptying and pausing topics and channels.

#include "adapters/doors/nsq/http/parts.hpp"

#include <string>
#include <utility>

namespace depositd::nsq_http {

namespace {

/// What the shard has not found: the topic, or its channel.
void tell_what_is_missing(call x, const order_topic& what) {
  if (what.channel.empty())
    return x.fail(404, "TOPIC_NOT_FOUND");
  with_topic(std::move(x), what.topic, [](call y, const topics_listed& found) {
    y.fail(404, found.topics.empty() ? "TOPIC_NOT_FOUND" : "CHANNEL_NOT_FOUND");
  });
}

/// nsqadmin deletes at the lookups first, and then at the servers that they
/// have named: where both are this door, or engines share topics, the second
/// order finds nothing, and is no fault. It asks for this type; libraries whose
/// callers want to know (gnsq) spell it otherwise.
bool deletes_at_lookups_too(const call& x, const order_topic& what) {
  const auto* wanted = x.from.header("accept");
  return what.what == topic_action::remove && wanted
         && *wanted == "application/vnd.nsq; version=1.0";
}

/// As an operator's command is called; empty for what clients do all day.
std::string word_of(topic_action x) {
  switch (x) {
    case topic_action::create:
      return {};
    case topic_action::remove:
      return "delete";
    case topic_action::empty:
      return "empty";
    case topic_action::pause:
      return "pause";
    case topic_action::unpause:
      return "unpause";
  }
  return {};
}

/// Tells the audit log of it.
void tell(const call& x, const order_topic& what, const caf::error& why = {}) {
  const auto word = word_of(what.what);
  if (word.empty())
    return;
  kit::client_order out;
  if (x.who.key)
    out.who = "key " + x.who.key->id;
  out.from = x.from.peer;
  if (what.channel.empty()) {
    out.command = "topic " + word;
    out.arguments = {{"name", what.topic}};
  } else {
    out.command = "channel " + word;
    out.arguments = {{"topic", what.topic}, {"name", what.channel}};
  }
  x.core->options.audit->tell(out, why);
}

/// `then` gets the call back when the order is carried out.
template <class F>
void give(call x, order_topic what, F then) {
  const auto core = x.core;
  core->asked.ask(core->options.shard, what,
                  [x = std::move(x), what,
                   then = std::move(then)](kit::core_answer said) mutable {
                    if (said.as<done>()) {
                      x.core->health.worked();
                      tell(x, what);
                      return then(std::move(x));
                    }
                    const auto why = said.why();
                    if (why == ec::not_found
                        && deletes_at_lookups_too(x, what)) {
                      x.answer.send(nothing());
                      return;
                    }
                    tell(x, what, why);
                    if (why == ec::not_found)
                      tell_what_is_missing(std::move(x), what);
                    else
                      x.fail(why);
                  });
}

void say_done(call x) {
  x.answer.send(nothing());
}

void say_changed(call x) {
  x.core->topics_changed();
  x.answer.send(nothing());
}

void order_of_topic(call x, topic_action what, void (*then)(call)) {
  const auto* topic = x.topic_named();
  if (!topic || x.forbids(topic_right::administer, *topic))
    return;
  if (!is_topic_name(*topic))
    return x.fail(404, "TOPIC_NOT_FOUND");
  const order_topic order{*topic, {}, what};
  give(std::move(x), order, then);
}

void order_of_channel(call x, topic_action what, void (*then)(call)) {
  const auto names = x.topic_and_channel();
  if (names && !x.forbids(topic_right::administer, names->first, names->second))
    give(std::move(x), {names->first, names->second, what}, then);
}

/// Emptying a topic leaves what its channels have; the header says how much.
void say_what_remains(call x) {
  const auto topic = *x.argument("topic");
  with_topic(std::move(x), topic, [](call y, const topics_listed& found) {
    std::uint64_t left = 0;
    for (const auto& one : found.topics)
      for (const auto& channel : one.channels)
        left += channel.depth + channel.in_flight + channel.deferred;
    y.answer.send(
      nothing().with("X-Depositd-Messages-In-Channels", std::to_string(left)));
  });
}

} // namespace

void create_topic(call x) {
  if (const auto* topic = x.argument("topic")) {
    if (!x.topic_to_make() || x.forbids(topic_right::administer, *topic)
        || x.makes_too_many(*topic))
      return;
  }
  order_of_topic(std::move(x), topic_action::create, say_changed);
}

void publish_nothing(call x, const std::string& topic) {
  give(std::move(x), {topic, {}, topic_action::create}, [](call y) {
    y.core->topics_changed();
    y.answer.send(ok());
  });
}

void remove_topic(call x) {
  order_of_topic(std::move(x), topic_action::remove, say_changed);
}

void empty_topic(call x) {
  if (x.argument("topic") && !x.topic_to_make())
    return;
  order_of_topic(std::move(x), topic_action::empty, say_what_remains);
}

void pause_topic(call x) {
  order_of_topic(std::move(x), topic_action::pause, say_done);
}

void unpause_topic(call x) {
  order_of_topic(std::move(x), topic_action::unpause, say_done);
}

// The shard would make the topic too; nsqd does not.
void create_channel(call x) {
  const auto names = x.topic_and_channel();
  if (!names || x.forbids(topic_right::administer, names->first, names->second))
    return;
  const order_topic order{names->first, names->second, topic_action::create};
  with_topic(std::move(x), names->first,
             [order](call y, const topics_listed& found) {
               if (found.topics.empty())
                 return y.fail(404, "TOPIC_NOT_FOUND");
               if (!y.makes_too_many(order.topic, order.channel))
                 give(std::move(y), order, say_changed);
             });
}

void remove_channel(call x) {
  order_of_channel(std::move(x), topic_action::remove, say_changed);
}

void empty_channel(call x) {
  order_of_channel(std::move(x), topic_action::empty, say_done);
}

void pause_channel(call x) {
  order_of_channel(std::move(x), topic_action::pause, say_done);
}

void unpause_channel(call x) {
  order_of_channel(std::move(x), topic_action::unpause, say_done);
}

} // namespace depositd::nsq_http
