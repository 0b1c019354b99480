#include "adapters/logs/kafka/topics.hpp"

#include "messages/records.hpp"

namespace depositd {

namespace {

constexpr auto week = std::chrono::hours{7 * 24};
constexpr auto month = std::chrono::hours{30 * 24};

/// What a broker takes by default, and half as much again.
constexpr std::uint32_t dead_letter_bytes_max = 1'600'000;

caf::expected<topics_created> create(const topics_options& options) {
  const auto made = make_kafka_topics(options.kafka, options.wishes);
  if (!made)
    return made.error();
  topics_created out;
  for (const auto& x : *made)
    out.topics.push_back(
      {x.name, static_cast<std::uint32_t>(x.partitions), x.existed});
  return out;
}

} // namespace

std::vector<topic_wish> wished_topics(const std::string& ingress,
                                      const std::string& egress,
                                      const std::string& dead_letters,
                                      std::int32_t partitions) {
  return {{.name = ingress, .partitions = partitions, .kept = week},
          {.name = egress, .partitions = partitions, .kept = week},
          {.name = dead_letters,
           .partitions = partitions,
           .kept = month,
           .record_bytes_max = dead_letter_bytes_max}};
}

topics_actor::behavior_type topics(topics_actor::pointer,
                                   topics_options options) {
  return {
    [options = std::move(options)](
      create_topics) -> caf::result<topics_created> {
      auto out = create(options);
      if (!out)
        return std::move(out.error());
      return std::move(*out);
    },
  };
}

} // namespace depositd
