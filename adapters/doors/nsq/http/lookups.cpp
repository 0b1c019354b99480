// What nsqlookupd is asked, answered of this engine.

#include "adapters/doors/nsq/http/parts.hpp"

#include <utility>

namespace depositd::nsq_http {

namespace {

auto now() {
  return std::chrono::steady_clock::now();
}

} // namespace

void look_up(call x) {
  const auto* topic = x.topic_named();
  if (!topic)
    return;
  const auto name = *topic;
  with_topic(std::move(x), name, [](call y, const topics_listed& found) {
    if (found.topics.empty())
      return y.fail(404, "TOPIC_NOT_FOUND");
    const auto& one = found.topics.front();
    y.answer.send(document(nsq_lookup::lookup_document(
      one, y.core->where.load()->self, y.core->hidden.has(one.name, now()))));
  });
}

void list_all_topics(call x) {
  with_topics(std::move(x), {}, [](call y, const topics_listed& found) {
    y.answer.send(document(nsq_lookup::topics_document(found)));
  });
}

void list_channels(call x) {
  const auto* topic = x.topic_named();
  if (!topic)
    return;
  const auto name = *topic;
  with_topic(std::move(x), name, [](call y, const topics_listed& found) {
    y.answer.send(document(nsq_lookup::channels_document(found)));
  });
}

void list_nodes(call x) {
  with_topics(std::move(x), {}, [](call y, const topics_listed& found) {
    std::vector<bool> hidden;
    for (const auto& topic : found.topics)
      hidden.push_back(y.core->hidden.has(topic.name, now()));
    y.answer.send(document(
      nsq_lookup::nodes_document(found, y.core->where.load()->self, hidden)));
  });
}

// Of a node that is not known nsqlookupd takes no notice either.
void hide_topic(call x) {
  const auto* topic = x.topic_named();
  if (!topic)
    return;
  const auto* node = x.argument("node");
  if (!node)
    return x.fail(400, "MISSING_ARG_NODE");
  if (x.forbids(topic_right::administer, *topic))
    return;
  if (*node == x.core->where.load()->self.node())
    x.core->hidden.add(*topic, now());
  x.answer.send(nothing());
}

} // namespace depositd::nsq_http
