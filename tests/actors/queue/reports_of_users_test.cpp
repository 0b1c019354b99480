// A queue alone, and users' actors that say what they like: what it makes of
// reports, also of those that seldom come.

#include "actors/queue/queue.hpp"
#include "tests/support/actor_fixture.hpp"

#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace depositd {

namespace {

using hand_overs = std::vector<hand_over>;

/// A user's actor that keeps what it is handed and does nothing.
caf::behavior silent_user(caf::event_based_actor*,
                          std::shared_ptr<hand_overs> to) {
  return {
    [=](const hand_over& x) { to->push_back(x); },
    [](const admit_items&) {},
    [](const collapse_items&) {},
  };
}

class queue_alone : public testing::actor_fixture {
protected:
  void SetUp() override {
    queue::queue_options options;
    options.name = "q";
    options.fair = by_bytes;
    queue = spawn(queue::queue, std::move(options));
    tell(begin{});
  }

  template <class Message>
  void tell(Message x) {
    caf::anon_send(caf::actor_cast<caf::actor>(queue), std::move(x));
    settle();
  }

  introduce introduction_of(member_number member, const std::string& name,
                            std::uint64_t items) {
    introduce out;
    out.member = member;
    out.user = name;
    out.actor = caf::actor_cast<caf::strong_actor_ptr>(
      spawn(silent_user, handed_over));
    out.items = items;
    return out;
  }

  void poll() {
    tell(receive_items{"q", "worker", 1, 30'000, no_cap});
  }

  /// How many reports of costs the queue has counted when it picks next.
  std::uint64_t costs_heard() {
    const auto before = handed_over->size();
    poll();
    if (handed_over->size() != before + 1) {
      ADD_FAILURE() << "nobody was picked";
      return 0;
    }
    return handed_over->back().costs_heard;
  }

  counts_changed cost_of(std::uint64_t what) const {
    counts_changed out;
    out.charged = what;
    out.cost = what;
    out.fair_since = terms_since;
    return out;
  }

  void set_terms(fair_by by, std::uint64_t since) {
    configure_queue what;
    what.fair = {by, terms_since = since};
    tell(what);
  }

  std::uint64_t items() {
    const auto out = ask<queue_counted>(queue, count_queue{"q"});
    EXPECT_TRUE(out);
    return out ? out->items : 0;
  }

  const fair_terms by_bytes{fair_by::bytes, 1};
  std::uint64_t terms_since = 1;
  std::shared_ptr<hand_overs> handed_over = std::make_shared<hand_overs>();
  queue::queue_self queue;
};

TEST_F(queue_alone, counts_reports_that_tell_of_costs) {
  auto ann = introduction_of(0, "ann", 9);
  ann.ready = {{0, 0, 9}};
  tell(std::move(ann));
  EXPECT_EQ(costs_heard(), 0u);
  counts_changed nothing;
  nothing.fair_since = terms_since;
  tell(nothing);
  EXPECT_EQ(costs_heard(), 0u) << "there were none in it";
  tell(cost_of(10));
  tell(cost_of(10));
  EXPECT_EQ(costs_heard(), 2u);
  auto older = cost_of(10);
  older.fair_since = 0;
  tell(older);
  EXPECT_EQ(costs_heard(), 2u) << "it is of other terms";
  set_terms(fair_by::seconds, 2);
  EXPECT_EQ(costs_heard(), 0u) << "of these terms";
}

TEST_F(queue_alone, forgets_costs_when_what_is_shared_out_went_to_and_fro) {
  auto ann = introduction_of(0, "ann", 9);
  ann.ready = {{0, 0, 9}};
  ann.paid.spent = 5'000;
  tell(std::move(ann));
  // The change to something else in between was never told.
  set_terms(fair_by::bytes, 3);
  const auto left = ask<member_forgotten>(queue, forget_member{0});
  ASSERT_TRUE(left);
  EXPECT_EQ(left->paid.spent, 0u);
}

TEST_F(queue_alone, counts_no_copies_of_who_has_left) {
  auto ann = introduction_of(0, "ann", 2);
  ann.arrived = {{1, 77, 1, 0}, {2, 77, 1, 0}};
  tell(std::move(ann));
  tell(introduction_of(1, "bob", 3));
  ASSERT_EQ(items(), 5u);
  counts_changed handed_out;
  handed_out.deliver = {{1, 77}};
  tell(handed_out);
  EXPECT_EQ(items(), 4u) << "the copy is as good as gone";
  // Its actor leaves before it says that it has dealt with that.
  ASSERT_TRUE(ask<member_forgotten>(queue, forget_member{0}));
  EXPECT_EQ(items(), 3u);
}

} // namespace

} // namespace depositd
