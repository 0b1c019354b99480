#include "messages/values/sharding.hpp"

#include "messages/values/topic_names.hpp"

#include <xxhash.h>

namespace depositd {

shard_number shard_of(std::string_view name, shard_number count) noexcept {
  if (count <= 1)
    return 0;
  return static_cast<shard_number>(XXH3_64bits(name.data(), name.size())
                                   % count);
}

shard_number shard_of_queue(std::string_view queue,
                            shard_number count) noexcept {
  const auto place = topic_of_queue(queue);
  return shard_of(place.topic.empty() ? queue : place.topic, count);
}

} // namespace depositd
