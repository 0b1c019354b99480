// Settings that are no more, of every kind there is.

#include "actors/rules/control/control.hpp"
#include "actors/rules/control/entries.hpp"
#include "actors/rules/fold/slice_fold.hpp"
#include "adapters/stores/sqlite/sqlite_projection_store.hpp"
#include "messages/values/codec.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace depositd {

namespace {

/// How the entries of one kind are set, and how they end.
struct ending_entry {
  std::string name;
  event set;
  event end;
};

std::vector<ending_entry> ending_entries() {
  std::vector<ending_entry> out;
  const auto add = [&](std::string name, event set, event end) {
    out.push_back({std::move(name), std::move(set), std::move(end)});
  };
  add("limits", user_limits_changed{"q", "u", true, 5, true, 5},
      user_limits_changed{"q", "u"});
  add("eligibility", user_eligibility_changed{"u", true, false},
      user_eligibility_changed{"u", false, false});
  add("account", account_changed{"u", "hash", {"10.1"}},
      account_changed{"u", "", {}});
  add("contact", contact_changed{"u", "u@example.org", ""},
      contact_changed{"u", "", ""});
  processor_changed processor;
  processor.spec.name = "p";
  add("processor", processor, processor_changed{processor.spec, true});
  add("placement", processor_placed{"p", {"node"}}, processor_placed{"p", {}});
  add("key", key_changed{"k", "digest", {}}, key_changed{"k", "", {}});
  add("key terms", key_terms_changed{"k", "u"}, key_terms_changed{"k", ""});
  add("key use", key_used{"k", 7}, key_used{"k"});
  move_changed move{"ref", "a", "b"};
  auto forgotten_move = move;
  forgotten_move.forgotten = true;
  add("move", move, forgotten_move);
  operator_changed who;
  who.name = "o";
  auto removed_operator = who;
  removed_operator.removed = true;
  add("operator", who, removed_operator);
  add("token", operator_token_changed{"o", "t", "digest"},
      operator_token_changed{"o", "t", "", never, true});
  add("quota", quota_changed{"q", "u", true, 5}, quota_changed{"q", "u"});
  collection_changed collection;
  collection.settings.name = "c";
  add("collection", collection, collection_changed{collection.settings, true});
  pipeline_changed pipeline;
  pipeline.what.name = "l";
  add("pipeline", pipeline, pipeline_changed{pipeline.what, true});
  topic_changed topic;
  topic.topic = "t";
  auto removed_topic = topic;
  removed_topic.removed = true;
  add("topic", topic, removed_topic);
  deletion_changed deletion;
  deletion.reference = "del-1";
  auto forgotten_deletion = deletion;
  forgotten_deletion.forgotten = true;
  add("deletion", deletion, forgotten_deletion);
  source_changed source;
  source.name = "s";
  auto removed_source = source;
  removed_source.removed = true;
  add("source", source, removed_source);
  scheduler_changed scheduler;
  scheduler.name = "s";
  auto removed_scheduler = scheduler;
  removed_scheduler.removed = true;
  add("scheduler", scheduler, removed_scheduler);
  const source_read position{"s", 7, true, "17"};
  auto forgotten_position = position;
  forgotten_position.forgotten = true;
  add("position", position, forgotten_position);
  add("fairness", fairness_changed{"q", fair_by::bytes},
      fairness_changed{"q", fair_by::turns});
  return out;
}

/// Of all events, those whose entries may end.
template <class... Events>
std::size_t kinds_that_end(const std::variant<Events...>*) {
  const auto one = []<class Event>(std::type_identity<Event>) {
    if constexpr (rules::has_entry<Event>)
      return !std::is_same_v<decltype(rules::entry<Event>.gone),
                             rules::no_entry>;
    else
      return false;
  };
  return (std::size_t{one(std::type_identity<Events>{})} + ...);
}

TEST(ended_entries, leave_no_row_of_any_kind) {
  const auto all = ending_entries();
  EXPECT_EQ(all.size(), kinds_that_end(static_cast<const event*>(nullptr)))
    << "a kind is not tried here";
  auto tables = std::move(*open_sqlite_projection(":memory:"));
  rules::slice_fold fold{0};
  const auto keep = [&](const event& x) {
    fold.add({"", {x}});
    ASSERT_TRUE(tables->apply(fold.take()));
  };
  const auto state_of_rows = [&](std::size_t& rows) {
    control_state out;
    rows = 0;
    EXPECT_FALSE(tables->load_controls([&](const control_row& row) {
      ++rows;
      rules::apply(out, *decode_event(row.value));
    }));
    return out;
  };
  for (const auto& x : all) {
    std::size_t rows = 0;
    control_state set;
    EXPECT_TRUE(rules::apply(set, x.set)) << x.name;
    keep(x.set);
    EXPECT_EQ(state_of_rows(rows), set) << x.name;
    EXPECT_EQ(rows, 1u) << x.name;
    EXPECT_TRUE(rules::apply(set, x.end)) << x.name;
    keep(x.end);
    EXPECT_EQ(state_of_rows(rows), set) << x.name;
    EXPECT_EQ(rows, 0u) << x.name;
    EXPECT_EQ(set, control_state{}) << x.name;
  }
}

} // namespace

} // namespace depositd
