// Topics and channels, one of them or all.

#include "actors/operators/command.hpp"

#include "messages/shard.hpp"
#include "messages/topics.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace depositd::operators {

namespace about_topics {
namespace {

// -- documents ----------------------------------------------------------------

document document_of(const std::string& topic,
                     const topics_listed::channel& x) {
  return {{"topic", topic},           {"name", x.name},
          {"paused", x.paused},       {"depth", x.depth},
          {"in_flight", x.in_flight}, {"deferred", x.deferred},
          {"messages", x.messages},   {"requeued", x.requeued},
          {"timed_out", x.timed_out}};
}

document document_of(const topics_listed::topic& x) {
  document out{{"name", x.name},   {"paused", x.paused},
               {"depth", x.depth}, {"messages", x.messages},
               {"bytes", x.bytes}, {"channels", document::array()}};
  for (const auto& channel : x.channels)
    out["channels"].push_back(document_of(x.name, channel));
  return out;
}

// -- which are meant ----------------------------------------------------------

/// A topic, or a channel of it.
struct target {
  std::string topic;
  std::string channel; ///< empty: the topic
};

std::string text_of(const target& x) {
  return x.channel.empty() ? x.topic : x.topic + "/" + x.channel;
}

document begin_document(const target& x) {
  if (x.channel.empty())
    return {{"name", x.topic}};
  return {{"topic", x.topic}, {"name", x.channel}};
}

/// The one that the arguments name.
target named(const admin_call& call, bool channels) {
  if (!channels)
    return {call.arguments.text("name"), ""};
  return {call.arguments.text("topic"), call.arguments.text("name")};
}

/// Either one is named or all are meant, of a topic perhaps.
caf::error check_named(const admin_call& call, bool channels) {
  const auto has_name = call.arguments.has("name");
  if (call.arguments.flag("all") != has_name)
    return caf::none;
  return refuse(ec::invalid_argument,
                channels ? "name a topic and a channel, or say --all"
                         : "name a topic, or say --all");
}

/// All that there are, in the order of their names.
std::vector<target> all_of(const topics_listed& x, bool channels) {
  std::vector<target> out;
  for (const auto& topic : x.topics) {
    if (!channels)
      out.push_back({topic.name, ""});
    else
      for (const auto& channel : topic.channels)
        out.push_back({topic.name, channel.name});
  }
  return out;
}

/// Goes on with the topic of this name.
template <class F>
void with_topic(admin_pointer self, const admin_call_ptr& call,
                const list_topics& what, F use) {
  ask(self, call, self->state.options.shard, what, [=](const topics_listed& x) {
    if (x.topics.empty())
      refuse(call, ec::not_found, "there is no topic " + shown(what.topic));
    else
      use(x.topics.front());
  });
}

// -- looking ------------------------------------------------------------------

void list(admin_pointer self, const admin_call_ptr& call) {
  ask(self, call, self->state.options.shard, list_topics{},
      [=](const topics_listed& x) {
        std::map<std::string, topics_listed::topic> by_name;
        for (const auto& topic : x.topics)
          by_name.emplace(topic.name, topic);
        document out;
        add_page(out, "topics", by_name, call->arguments,
                 [](const auto& y) { return document_of(y.second); });
        deliver(call, out);
      });
}

void show(admin_pointer self, const admin_call_ptr& call) {
  with_topic(
    self, call, {call->arguments.text("name"), ""},
    [=](const topics_listed::topic& x) { deliver(call, document_of(x)); });
}

void list_channels(admin_pointer self, const admin_call_ptr& call) {
  ask(self, call, self->state.options.shard,
      list_topics{call->arguments.text("topic"), ""},
      [=](const topics_listed& x) {
        std::map<std::string, document> by_name;
        for (const auto& topic : x.topics)
          for (const auto& channel : topic.channels)
            by_name.emplace(topic.name + "/" + channel.name,
                            document_of(topic.name, channel));
        document out;
        add_page(out, "channels", by_name, call->arguments,
                 [](const auto& y) { return y.second; });
        deliver(call, out);
      });
}

void show_channel(admin_pointer self, const admin_call_ptr& call) {
  const auto which = named(*call, true);
  with_topic(self, call, {which.topic, which.channel},
             [=](const topics_listed::topic& x) {
               if (x.channels.empty())
                 refuse(call, ec::not_found,
                        "topic " + shown(which.topic) + " has no channel "
                          + shown(which.channel));
               else
                 deliver(call, document_of(x.name, x.channels.front()));
             });
}

// -- ordering -----------------------------------------------------------------

/// What an answer says that was done.
std::pair<const char*, bool> result_of(topic_action what) {
  switch (what) {
    case topic_action::create:
      return {"created", true};
    case topic_action::remove:
      return {"deleted", true};
    case topic_action::empty:
      return {"emptied", true};
    case topic_action::pause:
      return {"paused", true};
    case topic_action::unpause:
      break;
  }
  return {"paused", false};
}

/// What of a topic is in its channels stays there when it is emptied; whoever
/// meant that too hears how much it is.
void tell_rest(admin_pointer self, const admin_call_ptr& call,
               const std::string& topic, document out) {
  with_topic(self, call, {topic, ""}, [=](const topics_listed::topic& x) {
    std::uint64_t rest = 0;
    for (const auto& channel : x.channels)
      rest += channel.depth + channel.in_flight + channel.deferred;
    auto full = out;
    full["in_channels"] = rest;
    deliver(call, full);
  });
}

void order_one(admin_pointer self, const admin_call_ptr& call,
               const target& which, topic_action what) {
  act(self, call, self->state.options.shard,
            order_topic{which.topic, which.channel, what}, [=](const done&) {
              auto out = begin_document(which);
              const auto [word, value] = result_of(what);
              out[word] = value;
              if (what == topic_action::empty && which.channel.empty())
                tell_rest(self, call, which.topic, std::move(out));
              else
                deliver(call, out);
            });
}

/// An order about all, one after the other; what fails does not stop it.
struct orders {
  topic_action what = topic_action::pause;
  std::vector<target> open; ///< the last one is next
  std::uint64_t done = 0;
  std::vector<std::string> failures;
};

constexpr std::size_t failures_told_max = 10;

void tell_orders(const admin_call_ptr& call, const orders& x) {
  if (x.failures.empty()) {
    audit(call, nullptr, nullptr, "done");
    deliver(call, {{"done", x.done}});
    return;
  }
  auto text = std::to_string(x.failures.size()) + " of "
              + std::to_string(x.done + x.failures.size())
              + " failed, the others are done";
  for (std::size_t i = 0; i < x.failures.size() && i < failures_told_max; ++i)
    text += (i == 0 ? ": " : "; ") + x.failures[i];
  refuse(call, ec::store_failed, text);
}

void order_next(admin_pointer self, const admin_call_ptr& call,
                const std::shared_ptr<orders>& all) {
  if (all->open.empty()) {
    tell_orders(call, *all);
    return;
  }
  const auto which = all->open.back();
  all->open.pop_back();
  const auto& options = self->state.options;
  self
    ->request(options.shard, options.timeout_long,
              order_topic{which.topic, which.channel, all->what})
    .then(
      [=](const done&) {
        ++all->done;
        order_next(self, call, all);
      },
      [=](const caf::error& why) {
        if (why == ec::not_found) // gone meanwhile, perhaps with its topic
          ++all->done;
        else
          all->failures.push_back(text_of(which) + ": " + render(why));
        order_next(self, call, all);
      });
}

run_function ordering(topic_action what, bool channels) {
  return [=](admin_pointer self, const admin_call_ptr& call) {
    if (auto wrong = check_named(*call, channels))
      return refuse(call, wrong);
    if (!call->arguments.flag("all"))
      return order_one(self, call, named(*call, channels), what);
    const auto topic = channels ? call->arguments.text("topic") : "";
    ask(self, call, self->state.options.shard, list_topics{topic, ""},
        [=](const topics_listed& x) {
          const auto all = std::make_shared<orders>();
          all->what = what;
          all->open = all_of(x, channels);
          std::reverse(all->open.begin(), all->open.end());
          order_next(self, call, all);
        });
  };
}

// -- rows ---------------------------------------------------------------------

argument_spec topic_argument(bool required, const char* key = "topic") {
  return {key,      key,         value_kind::text, "TOPIC", "Name of the topic",
          required, "topic list"};
}

/// What is named, or "--all", of these orders.
std::vector<argument_spec> which_arguments(bool channels) {
  const argument_spec all{"--all", "all", value_kind::flag, "",
                          channels ? "All channels, of the topic if it is named"
                                   : "All topics"};
  if (!channels)
    return {topic_argument(false, "name"), all};
  return {topic_argument(false),
          {"name", "name", value_kind::text, "CHANNEL", "Name of the channel"},
          all};
}

command of_nobody(command x) {
  return concerning(concern::nobody, std::move(x));
}

/// Orders that topics and channels have alike.
std::vector<command> orders_of(const std::string& subject, bool channels) {
  const auto which = which_arguments(channels);
  const auto words = [&](const char* verb) { return subject + " " + verb; };
  return {
    operating(slow(doing(words("pause"),
                         channels ? "Hand out nothing of a channel"
                                  : "Keep what is published in the topic",
                         which, ordering(topic_action::pause, channels)))),
    operating(slow(doing(words("unpause"), "End the pause", which,
                         ordering(topic_action::unpause, channels)))),
    asking("Remove these messages for good?",
           slow(doing(words("empty"),
                      channels ? "Remove all messages of a channel"
                               : "Remove what waits in a topic; its channels "
                                 "keep theirs",
                      which, ordering(topic_action::empty, channels)))),
    asking("Delete this with all messages in it?",
           slow(doing(words("delete"),
                      channels ? "Delete a channel and its messages"
                               : "Delete a topic with its channels",
                      which, ordering(topic_action::remove, channels)))),
  };
}

std::vector<view_block> channels_view() {
  return {table_view("channels",
                     "TOPIC={topic}; CHANNEL={name}; STATE={paused?}||open; "
                     ">DEPTH={depth}; >IN FLIGHT={in_flight}; "
                     ">DEFERRED={deferred}; >MESSAGES={messages}; "
                     ">REQUEUED={requeued}; >TIMED OUT={timed_out}")};
}

} // namespace
} // namespace about_topics

std::vector<command> topic_commands() {
  using namespace about_topics;
  const auto name = topic_argument(true, "name");
  const auto topics =
    table_view("topics", "TOPIC={name}; STATE={paused?}||open; >DEPTH={depth}; "
                         ">CHANNELS={channels:count}; >MESSAGES={messages}; "
                         ">BYTES={bytes}");
  std::vector<command> out{
    of_nobody(
      reading("topic list", "All topics with their numbers",
              {limit_argument(10'000),
               after_argument("TOPIC", "Go on after this name", "topic list")},
              {topics, next_page_line("topics")}, list)),
    of_nobody(
      reading("topic show", "One topic and its channels", {name}, {}, show)),
    operating(doing("topic create", "Make a topic", {name},
                    ordering(topic_action::create, false)))};
  for (auto& x : orders_of("topic", false))
    out.push_back(std::move(x));
  return out;
}

std::vector<command> channel_commands() {
  using namespace about_topics;
  const auto topic = topic_argument(true);
  const auto name = name_argument("Name of the channel", "CHANNEL");
  auto list_view = channels_view();
  list_view.push_back(next_page_line("channels"));
  std::vector<command> out{
    of_nobody(reading("channel list", "Channels of a topic, or of all",
                      {topic_argument(false), limit_argument(10'000),
                       after_argument("TOPIC/CHANNEL", "Go on after this")},
                      list_view, list_channels)),
    of_nobody(
      reading("channel show", "One channel", {topic, name}, {}, show_channel)),
    operating(doing("channel create", "Make a channel, and its topic",
                    {topic, name}, ordering(topic_action::create, true)))};
  for (auto& x : orders_of("channel", true))
    out.push_back(std::move(x));
  return out;
}

} // namespace depositd::operators
