#include "config/kafka_checks.hpp"

#include "messages/values/endpoint.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace depositd {

namespace {

/// As brokers take them.
bool legal_topic_of_kafka(const std::string& x) {
  const auto legal = [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '_' || c == '-';
  };
  return !x.empty() && x.size() <= 249 && x != "." && x != ".."
         && std::all_of(x.begin(), x.end(), legal);
}

/// One topic for two things would have the engine read what it writes.
caf::error check_topics(const kafka_settings& x, const origins& from) {
  std::vector<std::pair<std::string, std::string>> topics{
    {"kafka.ingress_topic", x.ingress_topic},
    {"kafka.egress_topic", x.egress_topic},
    {"kafka.dead_letter_topic", x.dead_letter_topic}};
  if (!x.jobs_topic.empty())
    topics.emplace_back("kafka.jobs_topic", x.jobs_topic);
  std::set<std::string> seen;
  for (const auto& [key, topic] : topics) {
    if (!legal_topic_of_kafka(topic))
      return from.refuse(key, "must be a topic's name: 1 to 249 of A-Z a-z 0-9 "
                              ". _ -");
    if (!seen.insert(topic).second)
      return from.refuse(key, "\"" + topic + "\" is another topic's name");
  }
  return caf::none;
}

/// librdkafka takes 99999 for the port 34463. A broker without a port has 9092.
caf::error check_brokers(const kafka_settings& x, const origins& from) {
  std::istringstream all{x.brokers};
  std::string broker;
  while (std::getline(all >> std::ws, broker, ',')) {
    if (broker.empty())
      continue;
    const auto scheme = broker.find("://");
    auto at = scheme == broker.npos ? broker : broker.substr(scheme + 3);
    if (at.rfind(':') == at.npos || at.ends_with(']'))
      at += ":9092";
    const auto parsed = parse_endpoint(at);
    if (!parsed || parsed->port == 0
        || at.find_first_of(" /") != std::string::npos)
      return from.refuse("kafka.brokers",
                         "must be HOST:PORT,HOST:PORT, \""
                           + broker.substr(0, 100) + "\" is no broker");
  }
  return caf::none;
}

caf::error check_sasl(const sasl_settings& x, const origins& from) {
  if (x.mechanism.empty() && !x.user.empty())
    return from.refuse("kafka.sasl.user",
                       "needs kafka.sasl.mechanism: nobody logs in without");
  const bool by_name =
    x.mechanism == "PLAIN" || x.mechanism.starts_with("SCRAM-");
  if (by_name && x.user.empty())
    return from.refuse("kafka.sasl.user",
                       "is needed to log in by " + x.mechanism);
  return caf::none;
}

} // namespace

/// A client needs no certificate of its own.
caf::error check_kafka(const kafka_settings& x, const origins& from) {
  if (auto failure = check_topics(x, from))
    return failure;
  if (auto failure = check_brokers(x, from))
    return failure;
  if (!x.brokers.empty())
    if (auto failure = check_sasl(x.sasl, from))
      return failure;
  if (!x.tls.ca.empty())
    if (auto failure = check_files(from, {{"kafka.tls.ca", x.tls.ca}}))
      return failure;
  if (auto failure =
        check_files(from, {{"kafka.tls.certificate", x.tls.certificate},
                           {"kafka.tls.key", x.tls.key}}))
    return failure;
  if (!x.sasl.password_file.empty() && !readable(x.sasl.password_file))
    return from.refuse("kafka.sasl.password_file",
                       "cannot read \"" + x.sasl.password_file + "\"");
  return caf::none;
}

std::string kafka_setting_in(std::string_view reason) {
  // Of two that are in it the first counts.
  constexpr std::array<std::pair<std::string_view, const char*>, 9> words{
    {{"ssl.ca.", "kafka.tls.ca"},
     {"ssl.certificate.", "kafka.tls.certificate"},
     {"ssl.key.", "kafka.tls.key"},
     {"sasl.password", "kafka.sasl.password_file"},
     {"sasl.username", "kafka.sasl.user"},
     {"sasl.mechanism", "kafka.sasl.mechanism"},
     {"SASL mechanism", "kafka.sasl.mechanism"},
     {"bootstrap.servers", "kafka.brokers"},
     {"kafka option", "kafka.options"}}};
  for (const auto& [word, setting] : words)
    if (reason.find(word) != reason.npos)
      return setting;
  return "kafka";
}

} // namespace depositd
