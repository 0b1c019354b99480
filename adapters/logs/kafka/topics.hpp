#pragma once

// The actor that makes the topics which the settings name.

#include "adapters/logs/kafka/kafka_topics.hpp"
#include "messages/actors.hpp"
#include "messages/records.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <vector>

namespace depositd {

struct topics_options {
  kafka_options kafka;
  std::vector<topic_wish> wishes;
};

/// What an engine with these topics needs: deposits and outcomes are kept for 7
/// days, dead letters for 30 and with room for what is said about them.
std::vector<topic_wish> wished_topics(const std::string& ingress,
                                      const std::string& egress,
                                      const std::string& dead_letters,
                                      std::int32_t partitions);

/// Waits for brokers: must be detached.
topics_actor::behavior_type topics(topics_actor::pointer self,
                                   topics_options options);

} // namespace depositd
