#include "actors/rules/routing/destinations.hpp"

#include <numeric>

namespace depositd::rules::routing {

bool is_known(const shard_map& map, const std::string& queue) {
  return map.control != nullptr && map.control->queues.count(queue) > 0;
}

bool is_spread(const shard_map& map, const std::string& queue) {
  return is_known(map, queue)
         && map.control->queues.at(queue).kind != queue_kind::message;
}

std::vector<shard_number> all_shards(const shard_map& map) {
  std::vector<shard_number> out(map.count);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

} // namespace depositd::rules::routing
