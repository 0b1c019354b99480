// Who may have something deleted.

#include "actors/rules/control/control.hpp"
#include "actors/rules/orders/deletions.hpp"

#include <gtest/gtest.h>

namespace depositd::rules {
namespace {

using access::caller;

caller somebody(const std::string& who, std::vector<std::string> users,
                bool administers = false) {
  caller out;
  out.who = who;
  out.looks = out.operates = true;
  out.administers = administers;
  out.users = std::move(users);
  return out;
}

const caller ann = somebody("operator=ann password", {"INST"});
const caller bob = somebody("operator=bob certificate", {"INST", "OTHER"});
const caller stranger = somebody("operator=eve password", {"OTHER"});
const caller root = somebody("account root", {}, true);

deletion_changed a_request(std::size_t objects = 1) {
  deletion_changed out;
  out.reference = "del-1";
  out.user = "INST";
  for (std::size_t i = 0; i < objects; ++i)
    out.targets.push_back({"inst/bag" + std::to_string(i), "photos"});
  out.asked_by = "operator=ann";
  out.asked_us = 100;
  return out;
}

/// What is set once these were accepted, each after the other.
control_state state_with(const std::vector<deletion_changed>& all) {
  control_state out;
  for (const auto& x : all) {
    const auto wrong = check(out, event{x});
    EXPECT_FALSE(wrong) << render(wrong);
    apply(out, x);
  }
  return out;
}

TEST(deletions, are_approved_by_another_of_the_same_institution) {
  EXPECT_EQ(deletions::approved(a_request(), ann, 200).error(),
            ec::not_allowed);
  EXPECT_EQ(deletions::approved(a_request(), stranger, 200).error(),
            ec::not_allowed);
  EXPECT_EQ(deletions::approved(a_request(), root, 200).error(),
            ec::not_allowed)
    << "an administrator is of no institution";
  const auto done = deletions::approved(a_request(), bob, 200);
  ASSERT_TRUE(done) << render(done.error());
  EXPECT_EQ(done->inst_approver, "operator=bob");
  EXPECT_EQ(done->inst_approved_us, 200);
  EXPECT_TRUE(is_approved(*done));
}

TEST(deletions, a_person_is_the_same_however_they_come) {
  auto other_way = ann;
  other_way.who = "operator=ann certificate";
  EXPECT_EQ(deletions::approved(a_request(), other_way, 200).error(),
            ec::not_allowed);
}

TEST(deletions, look_alone_approves_nothing) {
  auto looks = bob;
  looks.operates = false;
  EXPECT_EQ(deletions::approved(a_request(), looks, 200).error(),
            ec::not_allowed);
}

TEST(deletions, of_many_need_an_administrator_too_in_any_order) {
  auto x = *deletions::approved(a_request(2), bob, 200);
  EXPECT_FALSE(is_approved(x));
  EXPECT_EQ(deletions::approved(x, bob, 300).error(), ec::not_allowed);
  x = *deletions::approved(x, root, 300);
  EXPECT_TRUE(is_approved(x));
  EXPECT_EQ(x.aptrust_approver, "account root");
  auto y = *deletions::approved(a_request(2), root, 200);
  EXPECT_FALSE(is_approved(y));
  EXPECT_TRUE(is_approved(*deletions::approved(y, bob, 300)));
  EXPECT_EQ(deletions::approved(a_request(1), root, 200).error(),
            ec::not_allowed);
}

TEST(deletions, are_rejected_by_whoever_asked_or_may_see_them) {
  for (const auto& who : {ann, bob, root}) {
    const auto done = deletions::rejected(a_request(), who, 200);
    ASSERT_TRUE(done) << render(done.error());
    EXPECT_EQ(deletions::state_of(*done), "rejected");
    EXPECT_FALSE(is_approved(*done));
    EXPECT_EQ(deletions::approved(*done, bob, 300).error(),
              ec::invalid_argument);
  }
  EXPECT_EQ(deletions::rejected(a_request(), stranger, 200).error(),
            ec::not_allowed);
}

TEST(deletions, are_seen_by_whoever_sees_all_of_their_objects) {
  auto of_maps = somebody("operator=mia password", {});
  of_maps.collections = {"maps"};
  auto of_photos = somebody("operator=pia password", {});
  of_photos.collections = {"photos"};
  auto x = a_request(2);
  EXPECT_TRUE(deletions::is_seen(x, of_photos));
  EXPECT_FALSE(deletions::is_seen(x, of_maps));
  EXPECT_TRUE(deletions::rejected(x, of_photos, 200));
  EXPECT_EQ(deletions::rejected(x, of_maps, 200).error(), ec::not_allowed);
  x.targets[1].collection = "maps";
  EXPECT_FALSE(deletions::is_seen(x, of_photos)) << "not all of it";
  EXPECT_EQ(deletions::rejected(x, of_photos, 200).error(), ec::not_allowed);
  of_photos.collections = {"maps", "photos"};
  EXPECT_TRUE(deletions::is_seen(x, of_photos));
  EXPECT_FALSE(deletions::is_seen(x, stranger));
  EXPECT_TRUE(deletions::is_seen(x, root));
}

TEST(deletions, of_one_user_do_not_fill_the_list_for_others) {
  control_state state;
  auto x = a_request();
  for (std::size_t i = 0; i < deletions::requests_of_user_max; ++i) {
    x.reference = "del-" + std::to_string(i);
    x.targets[0].object = "inst/bag" + std::to_string(i);
    state.deletions[x.reference] = x;
  }
  x.reference = "del-more";
  x.targets[0].object = "inst/more";
  const auto why = deletions::check(state, x);
  EXPECT_EQ(why, ec::quota_reached);
  EXPECT_NE(render(why).find("INST has 1000"), std::string::npos)
    << render(why);
  x.user = "OTHER";
  EXPECT_FALSE(deletions::check(state, x));
  auto rejected = state.deletions.at("del-0");
  rejected.rejected_by = "operator=bob";
  rejected.rejected_us = 200;
  EXPECT_FALSE(deletions::check(state, rejected))
    << "what is there can still be decided";
}

TEST(deletions, that_are_decided_stay_so) {
  const auto approved = *deletions::approved(a_request(), bob, 200);
  EXPECT_EQ(deletions::rejected(approved, root, 300).error(),
            ec::invalid_argument);
  auto state = state_with({a_request(), approved});
  auto rejected = approved;
  rejected.rejected_by = "operator=ann";
  rejected.rejected_us = 300;
  EXPECT_TRUE(check(state, event{rejected}));
  auto other = approved;
  other.inst_approver = "operator=eve";
  EXPECT_TRUE(check(state, event{other})) << "an approval is not replaced";
  other = approved;
  other.targets[0].object = "inst/another";
  EXPECT_TRUE(check(state, event{other})) << "nor is what it is for";
  const auto refused = *deletions::rejected(a_request(), ann, 200);
  state = state_with({a_request(), refused});
  EXPECT_FALSE(check(state, event{refused})) << "to say it again is no change";
  auto late = refused;
  late.inst_approver = "operator=bob";
  EXPECT_TRUE(check(state, event{late})) << "nor is a rejected one approved";
}

TEST(deletions, nobody_slips_one_in_that_was_not_asked_for) {
  control_state none;
  EXPECT_TRUE(check(none, event{*deletions::approved(a_request(), bob, 200)}));
  auto own = a_request();
  const auto state = state_with({own});
  own.inst_approver = own.asked_by;
  EXPECT_EQ(check(state, event{own}), ec::not_allowed);
  auto queued = a_request();
  queued.queued_us = 300;
  EXPECT_TRUE(check(state, event{queued})) << "without an approval";
  auto again = a_request();
  again.reference = "del-2";
  EXPECT_EQ(check(state, event{again}), ec::already_exists);
}

TEST(row_p23, an_order_needs_an_approved_request_for_that_very_object) {
  auto order = deletions::orders_of(a_request())[0];
  control_state state;
  EXPECT_NE(deletion_objection(state, "INST", order), "");
  state = state_with({a_request()});
  EXPECT_NE(deletion_objection(state, "INST", order), "");
  state = state_with({a_request(), *deletions::approved(a_request(), bob, 2)});
  EXPECT_EQ(deletion_objection(state, "INST", order), "");
  EXPECT_NE(deletion_objection(state, "OTHER", order), "");
  order.object = "inst/another";
  EXPECT_NE(deletion_objection(state, "INST", order), "");
  state = state_with({a_request(), *deletions::rejected(a_request(), ann, 2)});
  EXPECT_NE(
    deletion_objection(state, "INST", deletions::orders_of(a_request())[0]),
    "");
}

/// By the batch it is known that its target was queued.
TEST(deletions, need_their_orders_until_all_are_queued) {
  const auto order_of = [](const deletion_changed& x, std::size_t target) {
    return make_order(deletions::orders_of(x)[target],
                      {.uuid = deletion_order_uuid(x.reference, target),
                       .user = x.user,
                       .collection = x.targets[target].collection})
      .info;
  };
  auto x = a_request(2);
  EXPECT_FALSE(deletions::is_needed({}, order_of(x, 0)));
  EXPECT_FALSE(deletions::is_needed(state_with({x}), order_of(x, 0)));
  x = *deletions::approved(*deletions::approved(x, bob, 200), root, 300);
  const auto state = state_with({a_request(2), x});
  EXPECT_TRUE(deletions::is_needed(state, order_of(x, 0)));
  EXPECT_TRUE(deletions::is_needed(state, order_of(x, 1)));
  auto other = order_of(x, 1);
  other.uuid = "bid-of-another";
  EXPECT_FALSE(deletions::is_needed(state, other));
  other = order_of(x, 1);
  other.type = other.pipeline = "";
  EXPECT_FALSE(deletions::is_needed(state, other)) << "which is no order";
  auto queued = x;
  queued.queued_us = 400;
  EXPECT_FALSE(deletions::is_needed(state_with({a_request(2), x, queued}),
                                    order_of(x, 0)));
}

TEST(deletions, are_forgotten_some_time_after_their_end) {
  auto done = *deletions::rejected(a_request(), ann, 200);
  const auto state = state_with({a_request(), done});
  EXPECT_TRUE(
    deletions::outdated(state, 200 + deletions::remembered_us - 1).empty());
  const auto gone = deletions::outdated(state, 200 + deletions::remembered_us);
  ASSERT_EQ(gone.size(), 1u);
  auto after = state;
  EXPECT_FALSE(check(after, gone[0]));
  apply(after, gone[0]);
  EXPECT_TRUE(after.deletions.empty());
}

} // namespace
} // namespace depositd::rules
