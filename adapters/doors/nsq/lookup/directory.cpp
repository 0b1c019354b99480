#include "adapters/doors/nsq/lookup/directory.hpp"

#include "messages/values/endpoint.hpp"
#include "messages/values/json_text.hpp"

#include <nlohmann/json.hpp>

namespace depositd::nsq_lookup {

namespace {

using json = nlohmann::ordered_json;

/// Names of topics and channels are plain; a setting need not be UTF-8.
std::string text_of(const json& x) {
  return json_text(x);
}

json names_of(const std::vector<topics_listed::channel>& channels) {
  auto out = json::array();
  for (const auto& x : channels)
    out.push_back(x.name);
  return out;
}

json names_of(const std::vector<topics_listed::topic>& topics) {
  auto out = json::array();
  for (const auto& x : topics)
    out.push_back(x.name);
  return out;
}

json producer_of(const announced& self) {
  return {
    {"remote_address",
     to_string(endpoint{self.broadcast_address, self.tcp_port})},
    {"hostname", self.hostname},
    {"broadcast_address", self.broadcast_address},
    {"tcp_port", self.tcp_port},
    {"http_port", self.http_port},
    {"version", self.version},
  };
}

} // namespace

std::string announced::node() const {
  return broadcast_address + ":" + std::to_string(http_port);
}

std::string lookup_document(const topics_listed::topic& of,
                            const announced& self, bool hidden) {
  json out{{"channels", names_of(of.channels)}, {"producers", json::array()}};
  if (can_be_found(self) && !hidden)
    out["producers"].push_back(producer_of(self));
  return text_of(out);
}

std::string topics_document(const topics_listed& all) {
  return text_of({{"topics", names_of(all.topics)}});
}

std::string channels_document(const topics_listed& of) {
  return text_of(
    {{"channels", of.topics.empty() ? json::array()
                                    : names_of(of.topics.front().channels)}});
}

std::string nodes_document(const topics_listed& all, const announced& self,
                           const std::vector<bool>& hidden) {
  json out{{"producers", json::array()}};
  if (can_be_found(self)) {
    auto node = producer_of(self);
    node["tombstones"] = json(hidden);
    node["topics"] = names_of(all.topics);
    out["producers"].push_back(std::move(node));
  }
  return text_of(out);
}

void tombstones::add(const std::string& topic, time now) {
  const std::lock_guard lock{guard_};
  std::erase_if(until_, [&](const auto& x) { return x.second <= now; });
  if (until_.size() < count_max)
    until_[topic] = now + lifetime;
}

bool tombstones::has(const std::string& topic, time now) const {
  const std::lock_guard lock{guard_};
  const auto found = until_.find(topic);
  return found != until_.end() && now < found->second;
}

} // namespace depositd::nsq_lookup
