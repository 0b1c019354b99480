#pragma once

// Makes topics, as an operator would; depositd never makes one by itself.

#include "adapters/logs/kafka/kafka_options.hpp"
#include "messages/actors.hpp"
#include "messages/records.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace depositd {

/// A topic as it should be if there is none of its name.
struct topic_wish {
  std::string name;
  std::int32_t partitions = 8;
  std::int16_t replicas = -1;         ///< -1: as many as the brokers' default
  std::chrono::hours kept{168};       ///< records are deleted after that
  std::uint32_t record_bytes_max = 0; ///< 0: the brokers' default
};

struct topics_options {
  kafka_options kafka;
  std::vector<topic_wish> wishes;
};

/// What an engine with these topics needs: deposits and outcomes are kept for 7
/// days, dead letters for 30 and with room for what is said about them. `jobs`,
/// where jobs and batches end, may be empty: there is none.
std::vector<topic_wish> wished_topics(const std::string& ingress,
                                      const std::string& egress,
                                      const std::string& dead_letters,
                                      std::int32_t partitions,
                                      const std::string& jobs = {});

/// One entry for each wish, by position. `ec::store_failed` if a broker refuses
/// or none answers in time; some may have been made then.
caf::expected<topics_created>
make_kafka_topics(const kafka_options& options,
                  const std::vector<topic_wish>& wishes);

/// Which brokers these are.
struct kafka_cluster {
  std::string id;
  std::int32_t partitions = 0; ///< of the topic; 0: there is none
};

/// `ec::store_failed` if no broker answers before then, `ec::bad_setting` for
/// an option that is wrong.
caf::expected<kafka_cluster>
look_at_kafka(const kafka_options& options, const std::string& topic,
              std::chrono::steady_clock::time_point end);

/// Of these topics those that are compacted: of records with one key, which is
/// a user's name, all but the last go then, read or not. Who is not there, or
/// may not be asked about, is left out. Errors as above.
caf::expected<std::vector<std::string>>
compacted_topics(const kafka_options& options,
                 const std::vector<std::string>& topics,
                 std::chrono::steady_clock::time_point end);

/// Makes those that the settings name. Waits for brokers: must be detached.
topics_actor::behavior_type topics(topics_actor::pointer self,
                                   topics_options options);

} // namespace depositd
