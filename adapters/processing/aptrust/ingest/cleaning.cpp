// ingest09_cleanup: nothing stays but what was stored and recorded.

#include "adapters/processing/aptrust/ingest/steps.hpp"
#include "adapters/processing/merritt/keeping_steps.hpp"
#include "messages/values/test_points.hpp"

namespace depositd::aptrust {

namespace {

namespace fs = std::filesystem;
using merritt::ended;

} // namespace

outcome clean_up_ingest(bag_in_hand& x) {
  auto* place = place_of(x);
  if (place == nullptr)
    return ended(verdict::retry,
                 "no receiving place " + x.item.bucket + " is set up here");
  // A newer bag under the name is not ours to remove.
  const auto removed = place->remove(x.item.name, x.item.etag);
  if (!removed)
    return ended_for_now(removed.error(), "the receiving place");
  crash_point("bag_taken_away");
  auto out = merritt::clean_up(x.work);
  if (out.says != verdict::done)
    return out;
  x.item.object = x.object();
  if (!*removed)
    out.reason = "a newer bag is in the receiving place";
  return out;
}

} // namespace depositd::aptrust
