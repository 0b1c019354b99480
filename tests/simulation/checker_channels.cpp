// Messages of topics: each comes into each channel once.

#include "messages/values/topic_names.hpp"
#include "tests/simulation/book.hpp"
#include "tests/simulation/checker.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace depositd::simulation {

namespace {

struct message_seen {
  std::string topic;
  std::vector<std::string> owed; ///< channels that there were when it was sent
  std::set<std::string> in;      ///< queues that it has come into
  bool kept = false;             ///< its publisher was told so
  bool purged = false;           ///< while it waited in the topic
};

/// Messages between a note being taken and whoever tells of it.
constexpr micros answer_hops_max = 6;

struct channel_checker {
  channel_checker(findings& to, micros slack) : out(to), slack_us(slack) {
    // nop
  }

  findings& out;
  const micros slack_us;
  item_book book;
  std::map<std::string, topic_changed> topics; ///< their newest words
  std::map<std::string, message_seen> messages; ///< by body
  std::set<std::string> removed; ///< channels and topics, by their queues
  std::map<std::string, std::set<std::uint32_t>> consumers; ///< by queue
  std::map<shard_number, epoch_number> epochs;
  std::optional<micros> forgotten_us; ///< when engines lost sight of consumers

  void complain(std::size_t at, std::string what) {
    out.push_back({"T-1", at, std::move(what)});
  }

  void send(const attempted& x) {
    if (!is_topic_queue(x.queue))
      return;
    auto& fresh = messages[x.body];
    fresh.topic = topic_of_queue(x.queue).topic;
    const auto at = topics.find(fresh.topic);
    if (at == topics.end() || at->second.removed || at->second.leaving)
      return;
    for (const auto& channel : at->second.channels)
      if (const auto& ending = at->second.ending;
          std::find(ending.begin(), ending.end(), channel) == ending.end())
        fresh.owed.push_back(channel);
  }

  void keep(const message_kept& x, std::size_t at) {
    auto& one = messages[x.body];
    one.kept = true;
    if (one.in.empty())
      complain(at, x.body + " was kept too early");
  }

  void come(const std::string& body, const std::string& queue,
            std::size_t at) {
    if (!is_topic_queue(queue))
      return;
    auto& one = messages[body];
    if (topic_of_queue(queue).topic != one.topic)
      complain(at, body + " came into " + queue);
    else if (!one.in.insert(queue).second)
      complain(at, body + " came into " + queue + " twice");
  }

  /// What an engine that went had said may still be on its way.
  void note(const consumer_noted& x, micros at_us) {
    if (!x.here)
      consumers[x.queue].erase(x.processor);
    else if (!forgotten_us || at_us > *forgotten_us + slack_us)
      consumers[x.queue].insert(x.processor);
  }

  /// They have to come again.
  void forget_consumers(micros at_us) {
    consumers.clear();
    forgotten_us = at_us;
  }

  /// An engine may serve on for a while when another one has its shard.
  void see_epoch(const journalled& record, micros at_us) {
    const auto [known, first] =
      epochs.try_emplace(record.shard, record.epoch);
    if (!first && std::exchange(known->second, record.epoch) != record.epoch)
      forget_consumers(at_us);
  }

  /// What is ephemeral ends by itself, if nobody is there.
  void end_ephemeral(const topic_changed& before, const topic_changed& now,
                     std::size_t at) {
    const auto has = [](const std::vector<std::string>& names,
                        const std::string& x) {
      return std::find(names.begin(), names.end(), x) != names.end();
    };
    if (is_ephemeral(now.topic) && (now.leaving || now.removed))
      removed.insert(topic_queue(now.topic));
    for (const auto& channel : before.channels) {
      if (!is_ephemeral(channel)
          || (has(now.channels, channel) && !has(now.ending, channel)
              && !now.leaving && !now.removed))
        continue;
      const auto queue = channel_queue(now.topic, channel);
      removed.insert(queue);
      if (has(before.ending, channel) || before.leaving)
        continue;
      for (const auto who : consumers[queue])
        complain(at, queue + " ended and has a consumer, "
                       + std::to_string(who));
    }
  }

  void see(const journalled& record, std::size_t at) {
    if (const auto* topic = std::get_if<topic_changed>(&record.what)) {
      auto& known = topics[topic->topic];
      end_ephemeral(known, *topic, at);
      known = *topic;
    } else if (const auto* fresh = std::get_if<item_enqueued>(&record.what)) {
      come(fresh->body, fresh->queue, at);
    } else if (const auto* item = book.find(id_in(record.what))) {
      if (const auto* moved = std::get_if<item_moved>(&record.what))
        come(item->body, moved->to, at);
      else if (const auto* end = std::get_if<item_finished>(&record.what);
               end != nullptr && end->how == ending::purged)
        purge(*item);
    }
    book.apply(record);
  }

  void purge(const tracked_item& item) {
    if (is_topic_queue(item.queue)
        && topic_of_queue(item.queue).channel.empty())
      messages[item.body].purged = true;
  }

  void end(std::size_t at) {
    for (const auto& [body, one] : messages) {
      if (!one.kept || one.purged || removed.count(topic_queue(one.topic)) > 0)
        continue;
      bool arrived = false;
      for (const auto& queue : one.in)
        arrived |= !topic_of_queue(queue).channel.empty();
      if (!arrived)
        complain(at, body + " came into no channel");
      for (const auto& channel : one.owed)
        if (const auto queue = channel_queue(one.topic, channel);
            removed.count(queue) == 0 && one.in.count(queue) == 0)
          complain(at, body + " did not come into " + queue);
    }
  }
};

} // namespace

void check_channels(const history& x, findings& out) {
  channel_checker all{out, answer_hops_max * x.stall_max_us};
  const auto knows_consumers = !x.with_leases && !x.with_failed_appends;
  for (std::size_t i = 0; i < x.entries.size(); ++i) {
    const auto& [at_us, what] = x.entries[i];
    if (const auto* record = std::get_if<journalled>(&what))
      all.see_epoch(*record, at_us);
    if (const auto* sent = std::get_if<attempted>(&what))
      all.send(*sent);
    else if (const auto* kept = std::get_if<message_kept>(&what))
      all.keep(*kept, i);
    else if (const auto* wish = std::get_if<topic_wanted>(&what);
             wish != nullptr && wish->what == topic_action::remove)
      all.removed.insert(wish->channel.empty()
                           ? topic_queue(wish->topic)
                           : channel_queue(wish->topic, wish->channel));
    else if (const auto* record = std::get_if<journalled>(&what))
      all.see(*record, i);
    else if (const auto* who = std::get_if<consumer_noted>(&what);
             who != nullptr && knows_consumers)
      all.note(*who, at_us);
    else if (std::holds_alternative<fault>(what))
      all.forget_consumers(at_us);
  }
  all.end(x.entries.size());
}

} // namespace depositd::simulation
