#pragma once

// What every projection store must do with records of sources.

#include "tests/contract/projection_store_fixture.hpp"

#include <algorithm>

namespace depositd {

class projection_records_suite : public projection_store_suite {
protected:
  void put_records(const std::vector<record_row>& rows) {
    auto x = next_slice();
    x.records_put = rows;
    apply(x);
  }

  void end_record(const record_row& of, const record_row& as) {
    auto x = next_slice();
    x.records_changed = {ending_of(of, as)};
    apply(x);
  }

  void forget(const records_removed& what) {
    auto x = next_slice();
    x.records_gone = {what};
    apply(x);
  }

  /// In the order in which they are loaded.
  std::vector<record_row> loaded() {
    std::vector<record_row> out;
    const auto failed =
      store->load_records([&](const record_row& x) { out.push_back(x); });
    EXPECT_FALSE(failed) << render(failed);
    return out;
  }

  /// Their keys, sorted.
  std::vector<std::string> keys() {
    std::vector<std::string> out;
    for (const auto& x : loaded())
      out.push_back(x.key);
    std::sort(out.begin(), out.end());
    return out;
  }

  std::vector<record_row> failed(failed_query query = {}) {
    if (query.source.empty()) {
      query.source = "a";
      query.made_us = 7;
    }
    auto found = store->failed_records(query);
    EXPECT_TRUE(found) << render(found.error());
    return found ? std::move(*found) : std::vector<record_row>{};
  }

  std::vector<record_totals> totals() {
    std::vector<record_totals> out;
    const auto failed = store->load_record_totals(
      [&](const record_totals& x) { out.push_back(x); });
    EXPECT_FALSE(failed) << render(failed);
    return out;
  }

  void count(const std::vector<record_totals>& more) {
    auto x = next_slice();
    x.records_ended = more;
    apply(x);
  }

  static record_row bare(record_row x) {
    x.body.clear();
    return x;
  }

  using rows = std::vector<record_row>;
  using texts = std::vector<std::string>;
};

TEST_P(projection_records_suite, gives_records_back_as_they_were_put) {
  const std::string odd{"\0'%_\\\n\xe4", 7};
  const auto live = a_record(odd, 3);
  const auto over = an_ended_record("over", 12);
  const auto failed_one = an_ended_record("failed", 11, record_state::failed);
  const auto bad =
    an_ended_record("", 10, record_state::failed, 0xf000'0000'0000'0001);
  put_records({over, bad, live, failed_one});
  EXPECT_EQ(loaded(), (rows{live, bare(bad), bare(failed_one), over}))
    << "those that live first, the others by their place, without bodies";
  EXPECT_EQ(failed(), (rows{bad, failed_one}));
}

TEST_P(projection_records_suite, keeps_keys_that_are_as_long_as_may_be) {
  std::string longest(record_key_bytes_max, 'x');
  for (std::size_t i = 0; i < longest.size(); ++i)
    longest[i] = static_cast<char>('a' + (i * i + i / 7) % 26);
  auto other = longest;
  other.back() = '!';
  put_records({a_record(longest, 1), a_record(other, 2)});
  EXPECT_EQ(keys().size(), 2u);
  end_record(a_record(other, 2), an_ended_record(other, 5));
  const auto now = loaded();
  ASSERT_EQ(now.size(), 2u);
  EXPECT_EQ(now[0], a_record(longest, 1));
  EXPECT_EQ(now[1].key, other);
}

TEST_P(projection_records_suite, ends_the_record_of_the_item_alone) {
  const auto first = a_record("one", 1);
  const auto second = a_record("two", 2);
  put_records({first, second});
  auto x = next_slice();
  auto failed_second = an_ended_record("two", 21, record_state::failed);
  failed_second.id = 2;
  x.records_changed = {
    ending_of(a_record("one", 9), an_ended_record("one", 20)), // taken again
    ending_of(second, failed_second),
    ending_of(a_record("never", 4), an_ended_record("never", 22)),
    ending_of(a_record("one", 1, "b"), an_ended_record("one", 23))};
  apply(x);
  EXPECT_EQ(loaded(), (rows{first, bare(failed_second)}));
  EXPECT_EQ(failed(), rows{failed_second});
}

TEST_P(projection_records_suite, replaces_the_row_of_a_key) {
  put_records(
    {an_ended_record("one", 20, record_state::failed), a_record("two", 2)});
  put_records({a_record("one", 30), a_record("two", 31)});
  EXPECT_EQ(keys(), (texts{"one", "two"}));
  for (const auto& x : loaded()) {
    EXPECT_EQ(x.state, record_state::queued);
    EXPECT_GE(x.id, 30u);
  }
  EXPECT_TRUE(failed().empty());
}

TEST_P(projection_records_suite, ends_then_forgets_then_puts_in_one_slice) {
  put_records({a_record("a", 1), a_record("b", 2), a_record("c", 3)});
  auto x = next_slice();
  x.records_put = {a_record("c", 30)};
  x.records_gone = {{"a", 7, false, {"a", "c"}, {}}};
  x.records_changed = {
    ending_of(a_record("a", 1), an_ended_record("a", 20)),
    ending_of(a_record("b", 2), an_ended_record("b", 21)),
    ending_of(a_record("c", 3), an_ended_record("c", 22)),
  };
  apply(x);
  const auto now = loaded();
  ASSERT_EQ(now.size(), 2u);
  EXPECT_EQ(now[0], a_record("c", 30));
  EXPECT_EQ(now[1].key, "b");
  EXPECT_EQ(now[1].place, 21u);
}

TEST_P(projection_records_suite, forgets_keys_that_are_over) {
  put_records({a_record("lives", 1), an_ended_record("x", 20),
               an_ended_record("y", 21, record_state::failed),
               an_ended_record("z", 22)});
  forget({"a", 7, false, {"x", "y", "never"}, {}});
  EXPECT_EQ(keys(), (texts{"lives", "z"}));
  forget({"b", 7, false, {"z"}, {}});
  forget({"a", 8, false, {"z"}, {}});
  EXPECT_EQ(keys(), (texts{"lives", "z"}));
}

TEST_P(projection_records_suite, forgets_bad_ones_by_their_digests) {
  constexpr auto bad = record_state::failed;
  put_records({an_ended_record("k", 20, bad, 5),
               an_ended_record("k", 21, bad, 0xffff'ffff'ffff'fff0),
               an_ended_record("k", 22, bad, 6), an_ended_record("k", 23)});
  forget({"a", 7, false, {}, {5, 0xffff'ffff'ffff'fff0, 99}});
  const auto left = loaded();
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left[0].refused, 6u);
  EXPECT_EQ(left[1].state, record_state::finished);
}

TEST_P(projection_records_suite, forgets_a_source_with_all_earlier_ones) {
  put_records({a_record("k", 1, "a", 6), a_record("k", 2, "a", 7),
               a_record("k", 3, "a", 8), a_record("k", 4, "b", 7)});
  count({{.source = "a", .made_us = 6, .begins = true},
         {.source = "a", .made_us = 8, .begins = true},
         {.source = "b", .made_us = 7, .begins = true}});
  forget({"a", 7, true, {}, {}});
  std::vector<item_id> left;
  for (const auto& x : loaded())
    left.push_back(x.id);
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (ids_list{3, 4}));
  ASSERT_EQ(totals().size(), 2u);
  EXPECT_EQ(totals()[0].made_us, 8);
}

TEST_P(projection_records_suite, adds_up_what_has_ended) {
  count({{"a", 7, 3, 1, true}, {"b", 9, 0, 0, true}});
  count({{"a", 7, 2, 4}, {"b", 9, 5, 0}, {"c", 1, 7, 7}});
  const auto now = totals();
  ASSERT_EQ(now.size(), 2u) << "nothing of c was ever taken";
  EXPECT_EQ(now[0], (record_totals{"a", 7, 5, 5}));
  EXPECT_EQ(now[1], (record_totals{"b", 9, 5, 0}));
}

TEST_P(projection_records_suite, shows_failed_ones_page_by_page) {
  rows all;
  for (std::uint64_t i = 1; i <= 9; ++i)
    all.push_back(an_ended_record("k" + std::to_string(i), 100 - i,
                                  record_state::failed, i % 3 == 0 ? i : 0));
  put_records(all);
  put_records({an_ended_record("fine", 50), a_record("lives", 1)});
  std::reverse(all.begin(), all.end());
  failed_query query;
  query.source = "a";
  query.made_us = 7;
  query.count_max = 4;
  rows found;
  for (auto page = failed(query); !page.empty(); page = failed(query)) {
    EXPECT_LE(page.size(), 4u);
    query.after = page.back().place;
    found.insert(found.end(), page.begin(), page.end());
  }
  EXPECT_EQ(found, all);
  query.after = 0;
  query.bytes_max = 1;
  EXPECT_EQ(failed(query), rows{all[0]}) << "one there always is";
  query.made_us = 6;
  EXPECT_TRUE(failed(query).empty());
}

TEST_P(projection_records_suite, takes_very_many_at_once) {
  rows all;
  records_removed gone{"a", 7, false, {}, {}};
  for (std::uint64_t i = 0; i < 3'000; ++i) {
    all.push_back(an_ended_record("k" + std::to_string(i * 7'919 % 3'000), i));
    if (i % 2 == 0)
      gone.keys.push_back(all.back().key);
  }
  put_records(all);
  forget(gone);
  const auto left = loaded();
  ASSERT_EQ(left.size(), 1'500u);
  for (std::size_t i = 0; i < left.size(); ++i)
    EXPECT_EQ(left[i].place, 2 * i + 1);
}

} // namespace depositd
