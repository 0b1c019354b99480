#include "actors/engine/native.hpp"

#include "messages/shard.hpp"

namespace depositd::engine {

native_actor::behavior_type native(native_actor::pointer self,
                                   shard_doors_actor shard) {
  return {
    [=](enqueue& x) { return self->delegate(shard, std::move(x)); },
    [=](open_queue& x) { return self->delegate(shard, std::move(x)); },
  };
}

} // namespace depositd::engine
