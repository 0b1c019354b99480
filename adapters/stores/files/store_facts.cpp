#include "adapters/stores/files/store_facts.hpp"

#include "adapters/stores/files/file.hpp"

#include <charconv>
#include <sstream>

namespace depositd {

namespace {

caf::error differs(std::string text) {
  return caf::make_error(ec::bad_setting, std::move(text));
}

std::uint32_t number_of(const std::string& text) {
  std::uint32_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

caf::error compare(const std::string& key, const std::string& known,
                   const std::string& ours) {
  if (known == ours
      || (key == partitions_fact && number_of(ours) > number_of(known)))
    return {};
  return differs(key + ": this store has " + known + ", not " + ours
                 + "; kafka.renew if that is meant");
}

/// How far a topic was read is known by its name alone: in another cluster that
/// would pass over as many records of the topic there.
caf::error check_renewal(const store_facts& known, const store_facts& ours) {
  const auto there = ours.find(brokers_fact);
  if (there == ours.end())
    return differs(std::string{brokers_fact}
                   + ": no broker has answered, and kafka.renew needs them");
  const auto brokers = known.find(brokers_fact);
  const auto topic = known.find(ingress_fact);
  const auto now = ours.find(ingress_fact);
  if (brokers == known.end() || brokers->second == there->second
      || topic == known.end() || now == ours.end()
      || topic->second != now->second)
    return {};
  return differs(std::string{ingress_fact} + ": how far " + topic->second
                 + " was read is known of " + brokers->second + ", not of "
                 + there->second + ": give the topic there another name");
}

store_facts decode(const std::string& text) {
  store_facts out;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);)
    if (const auto split = line.find(": "); split != std::string::npos)
      out[line.substr(0, split)] = line.substr(split + 2);
  return out;
}

std::string encode(const store_facts& facts) {
  std::string out;
  for (const auto& [key, value] : facts)
    out += key + ": " + value + "\n";
  return out;
}

} // namespace

caf::expected<store_facts> agree(const store_facts& known,
                                 const facts_claim& claim) {
  if (claim.ours.empty()) {
    if (known.empty())
      return known;
    return differs("kafka.brokers: this store publishes its outcomes: an "
                   "engine without Kafka would keep them from it");
  }
  if (known.empty() || claim.renew) {
    if (!claim.alone)
      return differs("kafka.brokers: other engines of this database run "
                     "without it or with other topics: stop them first");
    if (!known.empty())
      if (auto wrong = check_renewal(known, claim.ours))
        return wrong;
    return claim.ours;
  }
  auto out = known;
  for (const auto& [key, value] : claim.ours) {
    auto& now = out.try_emplace(key, value).first->second;
    if (auto wrong = compare(key, now, value))
      return wrong;
    now = value;
  }
  return out;
}

caf::error agree_in_file(disk& io, const std::filesystem::path& path,
                         facts_claim claim) {
  store_facts known;
  if (const auto text = read_file(path))
    known = decode(*text);
  else if (text.error() != ec::not_found)
    return text.error();
  const auto agreed = agree(known, claim);
  if (!agreed)
    return agreed.error();
  return *agreed == known ? caf::error{}
                          : replace_file(io, path, encode(*agreed));
}

} // namespace depositd
