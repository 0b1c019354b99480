#include "actors/operators/object_copier.hpp"

#include "messages/projection.hpp"

namespace depositd::operators {

object_copier_actor::behavior_type object_copier(object_copier_actor::pointer,
                                                 object_copier_options) {
  return {
    [](const copy_objects& x) -> caf::result<done> {
      if (auto failure = x.work->copy_objects())
        return failure;
      return done{};
    },
  };
}

} // namespace depositd::operators
