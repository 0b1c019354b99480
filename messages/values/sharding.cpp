#include "messages/values/sharding.hpp"

#include <xxhash.h>

namespace depositd {

shard_number shard_of(std::string_view name, shard_number count) noexcept {
  if (count <= 1)
    return 0;
  return static_cast<shard_number>(XXH3_64bits(name.data(), name.size())
                                   % count);
}

} // namespace depositd
