#include "adapters/doors/nsq/rights.hpp"

#include "messages/values/topic_names.hpp"

namespace depositd::nsq {

namespace {

queue_right queue_right_of(topic_right what) {
  switch (what) {
    case topic_right::publish:
      return queue_right::post;
    case topic_right::subscribe:
      return queue_right::poll;
    case topic_right::look:
      return queue_right::get_status;
    case topic_right::administer:
      return queue_right::any;
  }
  return queue_right::any;
}

} // namespace

bool may(const kit::api_key& key, topic_right what, std::string_view topic,
         std::string_view channel) {
  const auto name =
    channel.empty() ? topic_queue(topic) : channel_queue(topic, channel);
  return kit::permitted(key, queue_right_of(what), name);
}

bool serves_anonymous(const endpoint& listen, bool anonymous) {
  return anonymous || is_loopback(listen);
}

} // namespace depositd::nsq
