#include "actors/cluster/scatter.hpp"

#include "messages/values/test_points.hpp"

namespace depositd::cluster {

repeats permitted(repeats by_row) {
  return seeded_bug("lost_answer_sent_again") ? repeats::harmless : by_row;
}

} // namespace depositd::cluster
