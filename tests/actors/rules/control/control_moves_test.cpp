// Moves between queues in the control state, and how shards learn of them.

#include "actors/rules/control/control.hpp"
#include "messages/values/errors.hpp"

#include <gtest/gtest.h>

namespace depositd::rules {

namespace {

move_changed a_move(move_status status = move_status::in_progress) {
  move_changed out;
  out.reference = "0a";
  out.from = "q";
  out.to = "r";
  out.status = status;
  out.begun_us = 90;
  out.id_last = 7;
  return out;
}

control_state with(const move_changed& x) {
  control_state out;
  apply(out, x);
  return out;
}

/// What a shard with `from` becomes when it learns of `to`.
control_state after(control_state from, const control_state& to) {
  for (const auto& x : differences(from, to))
    apply(from, x);
  return from;
}

TEST(control_moves, are_learnt_ended_and_forgotten) {
  const control_state none;
  const auto begun = with(a_move());
  const auto ended = with(a_move(move_status::complete));
  EXPECT_EQ(after(none, begun), begun);
  EXPECT_EQ(after(begun, ended), ended);
  EXPECT_EQ(after(ended, none), none);
  EXPECT_TRUE(differences(ended, ended).empty());
}

TEST(control_moves, may_be_proposed) {
  EXPECT_FALSE(check({}, a_move()));
  EXPECT_FALSE(check(with(a_move()), a_move())) << "a repeat does no harm";
  EXPECT_FALSE(check(with(a_move()), a_move(move_status::complete)));
  EXPECT_FALSE(check(with(a_move()), a_move(move_status::error)));
  auto old = a_move();
  old.forgotten = true;
  EXPECT_FALSE(check({}, old));
}

TEST(control_moves, never_begin_again) {
  for (const auto end : {move_status::complete, move_status::error})
    EXPECT_EQ(check(with(a_move(end)), a_move()), ec::invalid_argument);
}

TEST(control_moves, are_between_two_queues) {
  auto same = a_move();
  same.to = same.from;
  EXPECT_EQ(check({}, same), ec::invalid_argument);
  auto outbox = a_move();
  outbox.from = "move/r";
  EXPECT_EQ(check({}, outbox), ec::invalid_argument);
  auto nameless = a_move();
  nameless.reference.clear();
  EXPECT_EQ(check({}, nameless), ec::invalid_argument);
}

} // namespace

} // namespace depositd::rules
