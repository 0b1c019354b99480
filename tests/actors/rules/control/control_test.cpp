#include "actors/rules/control/control.hpp"

#include "messages/values/codec.hpp"
#include "tests/messages/values/arbitrary_events.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace depositd {
namespace {

using rules::check;
using rules::control_key;
using rules::limits_of;

/// The queue `metadata`, the account ALICE, the operator root-of-all, the
/// processor sp-1.
control_state some_state() {
  control_state out;
  rules::apply(out, queue_changed{"metadata", deposit_queue_defaults()});
  rules::apply(out, account_changed{"ALICE", "$argon2id$x", {}});
  rules::apply(out, operator_changed{"root-of-all", operator_role::administer});
  rules::apply(out, processor_changed{{"sp-1", {"metadata"}, 1, {}}, false});
  return out;
}

queue_settings with(void (*change)(queue_settings&)) {
  auto out = deposit_queue_defaults();
  change(out);
  return out;
}

processor_spec a_processor(void (*change)(processor_spec&)) {
  processor_spec out{"sp-2", {"metadata"}, 1, {}};
  change(out);
  return out;
}

// -- terms --------------------------------------------------------------------

TEST(limits, are_the_defaults_of_the_queue) {
  const auto state = some_state();
  EXPECT_EQ(limits_of(state, "metadata", "ALICE"),
            (member_limits{1, 4, false, false}));
}

TEST(limits, of_an_unknown_queue_are_those_of_any_queue) {
  EXPECT_EQ(limits_of({}, "q", "ALICE"), member_limits{});
}

TEST(limits, take_each_limit_of_the_user_by_itself) {
  auto state = some_state();
  rules::apply(state,
               user_limits_changed{"metadata", "ALICE", true, 7, false, 99});
  EXPECT_EQ(limits_of(state, "metadata", "ALICE"),
            (member_limits{7, 4, false, false}));
  rules::apply(state,
               user_limits_changed{"metadata", "ALICE", false, 7, true, 0});
  EXPECT_EQ(limits_of(state, "metadata", "ALICE"),
            (member_limits{1, 0, false, false}));
  EXPECT_EQ(limits_of(state, "metadata", "BOB"),
            (member_limits{1, 4, false, false}));
}

TEST(limits, take_the_standing_of_the_user_in_every_queue) {
  auto state = some_state();
  rules::apply(state, user_eligibility_changed{"ALICE", true, false});
  rules::apply(state, user_eligibility_changed{"BOB", false, true});
  EXPECT_TRUE(limits_of(state, "metadata", "ALICE").held);
  EXPECT_FALSE(limits_of(state, "metadata", "ALICE").prohibited);
  EXPECT_TRUE(limits_of(state, "other", "BOB").prohibited);
}

// -- checking -----------------------------------------------------------------

struct proposal {
  const char* name;
  event change;
  ec refusal = ec{}; ///< none: accepted
};

void PrintTo(const proposal& x, std::ostream* out) {
  *out << x.name;
}

class checking : public ::testing::TestWithParam<proposal> {};

TEST_P(checking, answers_as_the_table_says) {
  const auto& x = GetParam();
  const auto error = check(some_state(), x.change);
  if (x.refusal == ec{}) {
    EXPECT_FALSE(error) << render(error);
    return;
  }
  ASSERT_TRUE(error);
  EXPECT_EQ(error, x.refusal) << render(error);
  EXPECT_FALSE(render(error).empty());
}

std::string name_of(const ::testing::TestParamInfo<proposal>& x) {
  return x.param.name;
}

constexpr auto bad = ec::invalid_argument;
const std::string hash = "$argon2id$v=19$...";

const proposal about_queues[] = {
  proposal{"a_queue", queue_changed{"a.b:c@d", {}}},
  proposal{"upper_case", queue_changed{"Metadata", {}}, bad},
  proposal{"path", queue_changed{"../x", {}}, bad},
  proposal{"limits_of_a_queue", queue_changed{"metadata", with([](auto& x) {
                                                x.concurrency = 9;
                                                x.suspended = true;
                                              })}},
  proposal{"another_kind", queue_changed{"metadata", with([](auto& x) {
                                           x.kind = queue_kind::message;
                                         })},
           bad},
  proposal{"another_priority_mode", queue_changed{"metadata", with([](auto& x) {
                                      x.priority = priority_mode::across_users;
                                    })},
           bad},
  proposal{"another_dedup_mode", queue_changed{"metadata", with([](auto& x) {
                                   x.dedup = dedup_mode::between_polls;
                                 })},
           bad},
  proposal{"another_rhythm_of_bands",
           queue_changed{"metadata",
                         with([](auto& x) { x.oldest_band_every = 3; })},
           bad},
  proposal{"no_cap",
           queue_changed{"q", with([](auto& x) { x.concurrency = no_cap; })}},
  proposal{"largest_numbers", queue_changed{"q", with([](auto& x) {
                                              x.allocation = 1'000'000;
                                              x.concurrency = 1'000'000;
                                            })}},
  proposal{"zeros", queue_changed{"q", with([](auto& x) {
                                    x.allocation = 0;
                                    x.concurrency = 0;
                                    x.pending_limit = 0;
                                    x.retry_delay_ms = 0;
                                    x.retry_delay_ms_max = 0;
                                  })}},
  proposal{"large_allocation",
           queue_changed{"q", with([](auto& x) { x.allocation = 1'000'001; })},
           bad},
  proposal{
    "large_concurrency",
    queue_changed{"q", with([](auto& x) { x.concurrency = no_cap - 1; })}, bad},
};

const proposal about_retries_and_modes[] = {
  proposal{"no_attempts",
           queue_changed{"q", with([](auto& x) { x.attempts_max = 0; })}, bad},
  proposal{
    "first_delay_above_the_last",
    queue_changed{"q", with([](auto& x) { x.retry_delay_ms_max = 999; })}, bad},
  proposal{"no_oldest_band",
           queue_changed{"q", with([](auto& x) { x.oldest_band_every = 0; })},
           bad},
  proposal{"unknown_priority", queue_changed{"q", with([](auto& x) {
                                               x.priority = priority_mode{2};
                                             })},
           bad},
  proposal{"unknown_dedup",
           queue_changed{"q", with([](auto& x) { x.dedup = dedup_mode{3}; })},
           bad},
  proposal{"unknown_kind",
           queue_changed{"q", with([](auto& x) { x.kind = queue_kind{4}; })},
           bad},
};

const proposal about_users[] = {
  proposal{"limits", user_limits_changed{"metadata", "BOB", true, 1'000'000,
                                         true, no_cap}},
  proposal{"limits_back_to_default",
           user_limits_changed{"metadata", "BOB", false, 0, false, 0}},
  proposal{
    "limits_out_of_range_that_are_not_set",
    user_limits_changed{"metadata", "BOB", false, no_cap, false, no_cap - 1}},
  proposal{"limits_in_an_unknown_queue",
           user_limits_changed{"query", "BOB", true, 1, true, 1},
           ec::not_found},
  proposal{"limits_of_nobody", user_limits_changed{"metadata", "", true, 1},
           bad},
  proposal{"limits_in_no_queue", user_limits_changed{"", "BOB", true, 1}, bad},
  proposal{"large_allocation",
           user_limits_changed{"metadata", "BOB", true, 1'000'001}, bad},
  proposal{"large_concurrency",
           user_limits_changed{"metadata", "BOB", false, 0, true, 1'000'001},
           bad},
  proposal{"standing", user_eligibility_changed{"BOB", true, true}},
  proposal{"standing_of_a_path", user_eligibility_changed{"a/b", true, true},
           bad},
  proposal{"account", account_changed{"BOB", hash, {"10.5555", "10.1.2"}}},
  proposal{"account_with_a_bad_name", account_changed{"B B", hash, {}}, bad},
  proposal{"account_with_a_doi", account_changed{"BOB", hash, {"10.1/x"}}, bad},
  proposal{"account_with_half_a_prefix", account_changed{"BOB", hash, {"10."}},
           bad},
  proposal{"account_with_any_text", account_changed{"BOB", hash, {"x"}}, bad},
  proposal{"account_with_a_huge_hash",
           account_changed{"BOB", std::string(1025, 'x'), {}}, bad},
  proposal{"account_removed", account_changed{"ALICE", "", {}}},
  proposal{"unknown_account_removed", account_changed{"BOB", "", {}},
           ec::not_found},
};

operator_changed an_operator(void (*how)(operator_changed&)) {
  operator_changed out{"anna", operator_role::operate, hash, {"A"}, {"c"}};
  how(out);
  return out;
}

const proposal about_operators[] = {
  proposal{"an_operator", an_operator([](auto&) {})},
  proposal{"known_by_certificate_only",
           an_operator([](auto& x) { x.password_hash.clear(); })},
  proposal{"with_a_bad_name", an_operator([](auto& x) { x.name = "a b"; }),
           bad},
  proposal{"with_a_role_of_a_later_version",
           an_operator([](auto& x) { x.role = static_cast<operator_role>(4); }),
           bad},
  proposal{"with_a_huge_hash", an_operator([](auto& x) {
             x.password_hash = std::string(1025, 'x');
           }),
           bad},
  proposal{"limited_to_no_user", an_operator([](auto& x) { x.users = {""}; }),
           bad},
  proposal{"limited_to_no_collection",
           an_operator([](auto& x) { x.collections = {"a/b"}; }), bad},
  proposal{"limited_to_too_many", an_operator([](auto& x) {
             x.users = std::vector<std::string>(1'000, "A");
           }),
           bad},
  proposal{"operator_removed", an_operator([](auto& x) {
             x = {"root-of-all", {}, {}, {}, {}, true};
           })},
  proposal{"unknown_operator_removed",
           an_operator([](auto& x) { x.removed = true; }), ec::not_found},
};

processor_spec with_users(std::vector<std::string> required,
                          std::vector<std::string> preferred,
                          std::vector<std::string> excluded) {
  processor_spec out{
    "sp-2",
    {"metadata"},
    1,
    {},
  };
  out.wants.required = std::move(required);
  out.wants.preferred = std::move(preferred);
  out.wants.excluded = std::move(excluded);
  return out;
}

const proposal about_processors[] = {
  proposal{"a_processor", processor_changed{a_processor([](auto&) {})}},
  proposal{"for_a_queue_to_come", processor_changed{a_processor([](auto& x) {
             x.types = {"metadata", "query", "later"};
             x.slots = 1000;
           })}},
  proposal{"bad_name",
           processor_changed{a_processor([](auto& x) { x.name = "sp 2"; })},
           bad},
  proposal{"no_slots",
           processor_changed{a_processor([](auto& x) { x.slots = 0; })}, bad},
  proposal{"many_slots",
           processor_changed{a_processor([](auto& x) { x.slots = 1001; })},
           bad},
  proposal{"no_types",
           processor_changed{a_processor([](auto& x) { x.types = {}; })}, bad},
  proposal{"many_types", processor_changed{a_processor([](auto& x) {
             x.types = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
           })},
           bad},
  proposal{"a_type_twice", processor_changed{a_processor([](auto& x) {
             x.types = {"a", "a"};
           })},
           bad},
  proposal{"a_type_that_no_queue_can_have",
           processor_changed{a_processor([](auto& x) { x.types = {"A"}; })},
           bad},
  proposal{
    "no_size",
    processor_changed{a_processor([](auto& x) { x.wants.size_max = 0; })}, bad},
};

const proposal about_their_users[] = {
  proposal{"users", processor_changed{with_users({"A", "B"}, {"A"}, {"C"})}},
  proposal{"required_and_excluded",
           processor_changed{with_users({"A", "B"}, {}, {"C", "B"})}, bad},
  proposal{"preferred_and_excluded",
           processor_changed{with_users({}, {"B"}, {"B"})}, bad},
  proposal{"bad_user", processor_changed{with_users({}, {"B/C"}, {})}, bad},
  proposal{
    "as_many_users_as_there_may_be",
    processor_changed{with_users(std::vector<std::string>(1000, "A"),
                                 std::vector<std::string>(24, "B"), {})}},
  proposal{
    "too_many_users",
    processor_changed{with_users(std::vector<std::string>(1000, "A"),
                                 std::vector<std::string>(24, "B"), {"C"})},
    bad},
  proposal{"removed", processor_changed{{"sp-1", {}, 0, {}}, true}},
  proposal{"unknown_removed", processor_changed{{"sp-9", {}, 0, {}}, true},
           ec::not_found},
  proposal{"bad_name_removed", processor_changed{{"", {}, 0, {}}, true}, bad},
};

const proposal about_other[] = {
  proposal{"server", server_changed{true, false}},
  proposal{"configuration", configuration_seen{}},
  proposal{"an_item", item_finished{1, "metadata"}, bad},
};

INSTANTIATE_TEST_SUITE_P(queues, checking, ::testing::ValuesIn(about_queues),
                         name_of);

INSTANTIATE_TEST_SUITE_P(retries_and_modes, checking,
                         ::testing::ValuesIn(about_retries_and_modes), name_of);

INSTANTIATE_TEST_SUITE_P(their_users, checking,
                         ::testing::ValuesIn(about_their_users), name_of);

INSTANTIATE_TEST_SUITE_P(users, checking, ::testing::ValuesIn(about_users),
                         name_of);

INSTANTIATE_TEST_SUITE_P(operators, checking,
                         ::testing::ValuesIn(about_operators), name_of);

INSTANTIATE_TEST_SUITE_P(processors, checking,
                         ::testing::ValuesIn(about_processors), name_of);

INSTANTIATE_TEST_SUITE_P(other, checking, ::testing::ValuesIn(about_other),
                         name_of);

// -- applying -----------------------------------------------------------------

TEST(applying, says_whether_anything_changed) {
  control_state state;
  const std::vector<event> events{
    queue_changed{"q", deposit_queue_defaults()},
    user_limits_changed{"q", "A", true, 2, false, 0},
    user_eligibility_changed{"A", true, false},
    account_changed{"A", hash, {"10.1"}},
    contact_changed{"A", "a@example.org", ""},
    operator_changed{"a", operator_role::look, hash, {"A"}, {}},
    processor_changed{{"sp", {"q"}, 1, {}}, false},
    processor_placed{"sp", {"node-1"}},
    server_changed{true, true},
    configuration_seen{{}, 3, {}}};
  for (const auto& x : events) {
    EXPECT_TRUE(rules::apply(state, x)) << x.index();
    EXPECT_FALSE(rules::apply(state, x)) << x.index();
  }
}

TEST(applying, the_default_again_leaves_nothing_behind) {
  auto state = some_state();
  const auto before = state;
  rules::apply(state, user_limits_changed{"metadata", "A", true, 2, true, 3});
  rules::apply(state, user_eligibility_changed{"A", true, true});
  rules::apply(state, account_changed{"A", hash, {}});
  rules::apply(state, processor_changed{{"sp", {"q"}, 1, {}}, false});
  rules::apply(state, operator_changed{"a", operator_role::node, hash});
  EXPECT_NE(state, before);
  EXPECT_TRUE(rules::apply(state, user_limits_changed{"metadata", "A"}));
  EXPECT_TRUE(rules::apply(state, user_eligibility_changed{"A", false, false}));
  EXPECT_TRUE(rules::apply(state, account_changed{"A", "", {}}));
  EXPECT_TRUE(rules::apply(state, operator_changed{"a", {}, {}, {}, {}, true}));
  EXPECT_TRUE(rules::apply(state, processor_changed{{"sp", {}, 0, {}}, true}));
  EXPECT_EQ(state, before);
}

TEST(applying, numbers_that_are_not_set_make_no_difference) {
  control_state state;
  rules::apply(state, user_limits_changed{"q", "A", true, 2, false, 5});
  EXPECT_FALSE(
    rules::apply(state, user_limits_changed{"q", "A", true, 2, false, 6}));
}

TEST(applying, ignores_what_happens_to_items) {
  control_state state;
  EXPECT_FALSE(rules::apply(state, item_enqueued{1, "q"}));
  EXPECT_EQ(state, control_state{});
}

// -- for nodes ----------------------------------------------------------------

TEST(for_nodes, leaves_what_work_needs_and_nothing_secret) {
  control_state state;
  rules::apply(state, queue_changed{"q", deposit_queue_defaults()});
  rules::apply(state, processor_changed{{"sp", {"q"}, 2, {}}, false});
  rules::apply(state, configuration_seen{{}, 3, {"EVE"}});
  rules::apply(state, server_changed{true, false});
  auto wanted = state;
  rules::apply(wanted, account_changed{"A", "x", {"10.5555"}});
  wanted.accounts["A"].password_hash.clear();
  rules::apply(state, account_changed{"A", hash, {"10.5555"}});
  rules::apply(state, user_limits_changed{"q", "A", true, 2, true, 3});
  rules::apply(state, user_eligibility_changed{"A", true, true});
  rules::apply(
    state, key_changed{"k", std::string(64, '0'), {{queue_right::any, "*"}}});
  rules::apply(state, move_changed{"0a", "q", "r"});
  rules::apply(state, operator_changed{"o", operator_role::look, hash});
  rules::apply(state, operator_token_changed{"o", "t", std::string(64, '0')});
  EXPECT_EQ(rules::for_nodes(state), wanted);
}

// -- keys ---------------------------------------------------------------------

TEST(checking, permits_may_be_for_topics_and_channels) {
  const auto checked = [](const char* pattern) {
    return rules::check(
      {},
      key_changed{"k", std::string(64, '0'), {{queue_right::any, pattern}}});
  };
  for (const auto* pattern :
       {"nsq/t", "nsq/t/c", "nsq/t*", "nsq/t/*", "nsq/*", "nsq/t#ephemeral"})
    EXPECT_FALSE(checked(pattern)) << pattern;
  for (const auto* pattern : {"nsq/", "nsq/a b", "nsq/t/c/d", "nsq//c"})
    EXPECT_TRUE(checked(pattern)) << pattern;
}

TEST(keys, name_what_an_event_is_the_newest_value_of) {
  using key = std::pair<std::uint8_t, std::string>;
  EXPECT_EQ(control_key(queue_changed{"q", {}}), (key{9, "q"}));
  EXPECT_EQ(control_key(move_changed{"0a"}), (key{17, "0a"}));
  EXPECT_EQ(control_key(item_moved{1, "q", "r", 2}), std::nullopt);
  EXPECT_EQ(control_key(user_limits_changed{"q", "A"}), (key{10, "q\nA"}));
  EXPECT_EQ(control_key(user_eligibility_changed{"A"}), (key{11, "A"}));
  EXPECT_EQ(control_key(account_changed{"A"}), (key{12, "A"}));
  EXPECT_EQ(control_key(processor_changed{{"sp"}}), (key{13, "sp"}));
  EXPECT_EQ(control_key(server_changed{}), (key{14, ""}));
  EXPECT_EQ(control_key(configuration_seen{}), (key{15, ""}));
  EXPECT_EQ(control_key(operator_changed{"a"}), (key{20, "a"}));
  EXPECT_EQ(control_key(operator_token_changed{"a", "t"}), (key{53, "a\nt"}));
  EXPECT_FALSE(control_key(item_enqueued{1, "q"}));
  EXPECT_FALSE(control_key(submission_recorded{}));
}

RC_GTEST_PROP(control, is_the_same_from_the_newest_event_of_each_key, ()) {
  const auto count = *rc::gen::inRange(0, 30);
  control_state live;
  std::map<std::pair<std::uint8_t, std::string>, std::string> table;
  for (int i = 0; i < count; ++i) {
    auto x = testing::draw_event(*rc::gen::inRange<std::size_t>(9, 16));
    // Few names, so that they meet.
    if (auto* y = std::get_if<user_limits_changed>(&x))
      y->queue = y->user = "a";
    if (auto* y = std::get_if<user_eligibility_changed>(&x))
      y->user = "a";
    if (auto* y = std::get_if<account_changed>(&x))
      y->user = "a";
    if (auto* y = std::get_if<processor_changed>(&x))
      y->spec.name = "a";
    rules::apply(live, x);
    auto& value = table[control_key(x).value()];
    value.clear();
    encode(x, value);
  }
  control_state recovered;
  for (const auto& [key, value] : table) {
    const auto x = decode_event(value);
    RC_ASSERT(static_cast<bool>(x));
    RC_ASSERT(x->index() == key.first);
    rules::apply(recovered, *x);
  }
  RC_ASSERT(recovered == live);
}

} // namespace
} // namespace depositd
