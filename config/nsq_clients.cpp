#include "config/nsq_clients.hpp"

#include "messages/values/json_text.hpp"
#include "messages/values/time_text.hpp"
#include "messages/values/types.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

namespace depositd {

namespace {

using json = nlohmann::json;

json document_of(const nsq::client_facts& x) {
  json published = json::object();
  for (const auto& [topic, count] : x.pub_counts)
    published[topic] = count;
  return {{"topic", x.topic.empty() ? json(nullptr) : json(x.topic)},
          {"channel", x.channel.empty() ? json(nullptr) : json(x.channel)},
          {"client_id", x.client_id},
          {"hostname", x.hostname},
          {"address", x.remote_address},
          {"user_agent", x.user_agent},
          {"ready", x.ready_count},
          {"in_flight", x.in_flight_count},
          {"messages", x.message_count},
          {"finished", x.finish_count},
          {"requeued", x.requeue_count},
          {"tls", x.tls},
          {"published", std::move(published)},
          {"connected_at", format_utc(micros{x.connect_ts} * 1'000'000)}};
}

bool is_before(const nsq::client_facts& a, const nsq::client_facts& b) {
  return std::tie(a.topic, a.channel, a.connect_ts, a.remote_address)
         < std::tie(b.topic, b.channel, b.connect_ts, b.remote_address);
}

} // namespace

void nsq_clients::set(const nsq::door* which) {
  const std::lock_guard guard{mutex_};
  door_ = which;
}

std::string nsq_clients::document() const {
  std::vector<nsq::client_facts> all;
  {
    const std::lock_guard guard{mutex_};
    if (door_ != nullptr) {
      all = door_->statistics({}, {});
      std::sort(all.begin(), all.end(), is_before);
      auto others = door_->producers();
      std::sort(others.begin(), others.end(), is_before);
      std::move(others.begin(), others.end(), std::back_inserter(all));
    }
  }
  json list = json::array();
  for (std::size_t i = 0; i < std::min(all.size(), nsq_clients_max); ++i)
    list.push_back(document_of(all[i]));
  return json_text(
    json{{"clients", std::move(list)}, {"more", all.size() > nsq_clients_max}});
}

} // namespace depositd
