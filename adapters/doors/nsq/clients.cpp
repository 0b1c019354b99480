#include "adapters/doors/nsq/clients.hpp"

#include <algorithm>

namespace depositd::nsq {

namespace {

constexpr std::size_t topics_max = 300; ///< of one publisher, that are counted

} // namespace

client_facts client_record::facts() const {
  client_facts out;
  {
    const std::lock_guard lock{guard_};
    out = facts_;
    out.pub_counts.assign(published_.begin(), published_.end());
  }
  out.ready_count = numbers.ready;
  out.in_flight_count = numbers.in_flight;
  out.message_count = numbers.messages;
  out.finish_count = numbers.finished;
  out.requeue_count = numbers.requeued;
  return out;
}

void client_record::count_published(const std::string& topic,
                                    std::uint64_t messages) {
  const std::lock_guard lock{guard_};
  const auto at = published_.find(topic);
  if (at != published_.end())
    at->second += messages;
  else if (published_.size() < topics_max)
    published_.emplace(topic, messages);
}

std::shared_ptr<client_record> clients::enter() {
  auto out = std::make_shared<client_record>();
  const std::lock_guard lock{guard_};
  all_.insert(out);
  return out;
}

void clients::leave(const std::shared_ptr<client_record>& x) {
  const std::lock_guard lock{guard_};
  all_.erase(x);
}

bool clients::consume(const std::string& topic, const std::string& channel,
                      std::uint32_t max) {
  const std::lock_guard lock{guard_};
  auto& count = consuming_[{topic, channel}];
  if (max != 0 && count >= max)
    return false;
  ++count;
  return true;
}

void clients::stop_consuming(const std::string& topic,
                             const std::string& channel) {
  const std::lock_guard lock{guard_};
  const auto at = consuming_.find({topic, channel});
  if (at != consuming_.end() && --at->second == 0)
    consuming_.erase(at);
}

template <class F>
std::vector<client_facts> clients::facts_if(F which) const {
  std::vector<std::shared_ptr<client_record>> all;
  {
    const std::lock_guard lock{guard_};
    all.assign(all_.begin(), all_.end());
  }
  std::vector<client_facts> out;
  for (const auto& x : all)
    if (auto facts = x->facts(); which(facts))
      out.push_back(std::move(facts));
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a.remote_address < b.remote_address;
  });
  return out;
}

std::vector<client_facts> clients::consumers(const std::string& topic,
                                             const std::string& channel) const {
  return facts_if([&](const client_facts& x) {
    return !x.topic.empty() && (topic.empty() || x.topic == topic)
           && (channel.empty() || x.channel == channel);
  });
}

std::vector<client_facts> clients::producers() const {
  return facts_if([](const client_facts& x) {
    return x.topic.empty() && !x.pub_counts.empty();
  });
}

} // namespace depositd::nsq
