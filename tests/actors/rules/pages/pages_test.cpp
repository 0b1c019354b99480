#include "actors/rules/pages/pages.hpp"

#include "messages/values/base64.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

namespace depositd::rules::pages {
namespace {

using ids = std::vector<item_id>;

submission_row row(shard_number shard, item_id number, micros at) {
  submission_row out;
  out.id = ids_begin(shard) + number;
  out.received_us = at;
  return out;
}

ids ids_of(const page& x) {
  ids out;
  for (const auto& y : x.rows)
    out.push_back(y.id);
  return out;
}

TEST(pages, of_two_shards_are_joined_by_time) {
  const page a{{row(0, 2, 30), row(0, 1, 10)}};
  const page b{{row(1, 7, 20)}};
  const ids all{2, ids_begin(1) + 7, 1};
  EXPECT_EQ(ids_of(join(a, b, {})), all);
  EXPECT_EQ(ids_of(join(b, a, {})), all);
  EXPECT_EQ(ids_of(join(a, b, {.count_max = 2})), (ids{2, ids_begin(1) + 7}));
  EXPECT_FALSE(join(a, b, {}).more);
}

TEST(pages, keep_the_order_of_a_shard_whose_clock_was_set_back) {
  const page a{{row(0, 3, 5), row(0, 2, 40)}};
  const page b{{row(1, 1, 20)}};
  EXPECT_EQ(ids_of(join(a, b, {})), (ids{ids_begin(1) + 1, 3, 2}));
}

TEST(pages, end_where_one_that_was_cut_ends) {
  const page a{{row(0, 9, 50)}, true};
  const page b{{row(1, 9, 60), row(1, 8, 10)}};
  const auto both = join(a, b, {});
  EXPECT_EQ(ids_of(both), (ids{ids_begin(1) + 9, 9}));
  EXPECT_TRUE(both.more);
}

TEST(pages, are_cut_to_a_size_but_never_to_nothing) {
  page x{{row(0, 3, 3), row(0, 2, 2), row(0, 1, 1)}};
  cut(x, 0);
  EXPECT_EQ(x.rows.size(), 3u);
  EXPECT_FALSE(x.more);
  cut(x, 2 * sizeof(submission_row) + 10);
  EXPECT_EQ(ids_of(x), (ids{3, 2}));
  EXPECT_TRUE(x.more);
  cut(x, 1);
  EXPECT_EQ(ids_of(x), ids{3});
}

TEST(pages, go_on_after_the_last_id_of_each_shard) {
  const std::vector<submission_row> rows{row(1, 4, 9), row(0, 8, 7),
                                         row(0, 6, 5)};
  const auto cursor = cursor_after({ids_begin(2) + 1, 70}, rows);
  EXPECT_EQ(read_cursor(cursor), (ids{6, ids_begin(1) + 4, ids_begin(2) + 1}));
  EXPECT_EQ(of_shard(*read_cursor(cursor), 1), ids{ids_begin(1) + 4});
  EXPECT_EQ(read_cursor(""), ids{});
}

TEST(pages, refuse_what_is_no_cursor) {
  for (const auto text :
       {"a", "-", "1-", "-1", "1--2", "1 2", "1-a", "99999999999999999999999"})
    EXPECT_FALSE(read_cursor(text)) << text;
}

TEST(pages, of_files_go_on_behind_any_name) {
  for (const auto& [object, path] :
       {std::pair{"ark:/1/a b", "data/x y"}, std::pair{"", ""},
        std::pair{"12 3", " 4"}, std::pair{"a\nb", "\xff'\""}}) {
    const checked_file at{object, path, "", "", 77};
    const auto word = cursor_after(at);
    EXPECT_EQ(word.find_first_of(" \n'\""), word.npos) << word;
    EXPECT_EQ(read_file_cursor(word), at);
  }
  EXPECT_EQ(read_file_cursor(""), checked_file{});
}

TEST(pages, refuse_what_is_no_cursor_of_files) {
  for (const auto* plain : {"x", "7", "7 ", "7 x a", "7 -1 a", "7 3 ab",
                            "7 99999999999999999999 a", " 1 a"})
    EXPECT_FALSE(read_file_cursor(encode_base64(plain))) << plain;
  EXPECT_FALSE(read_file_cursor("no base64"));
}

/// Pages of any size, over any shards and times, show each row once.
RC_GTEST_PROP(pages_property, show_everything_once, ()) {
  const auto shard_count = *rc::gen::inRange(1u, 4u);
  std::vector<std::vector<submission_row>> shards(shard_count);
  for (const auto at :
       *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 20))) {
    auto& shard = shards[static_cast<std::size_t>(at) % shard_count];
    shard.insert(shard.begin(),
                 row(static_cast<shard_number>(&shard - shards.data()),
                     shard.size() + 1, at));
  }
  submission_query what;
  what.count_max = *rc::gen::inRange(1u, 5u);
  what.bytes_max = *rc::gen::element(std::size_t{0}, std::size_t{1},
                                     2 * sizeof(submission_row) + 1);
  ids seen;
  for (bool more = true; more;) {
    page all;
    for (shard_number shard = 0; shard < shard_count; ++shard) {
      page one;
      const auto mine = of_shard(what.after, shard);
      for (const auto& x : shards[shard])
        if (one.rows.size() < what.count_max
            && (mine.empty() || x.id < mine.front()))
          one.rows.push_back(x);
      cut(one, what.bytes_max);
      all = join(std::move(all), std::move(one), what);
    }
    more = all.more || all.rows.size() == what.count_max;
    for (const auto id : ids_of(all))
      seen.push_back(id);
    what.after = *read_cursor(cursor_after(what.after, all.rows));
  }
  auto once = seen;
  std::sort(once.begin(), once.end());
  once.erase(std::unique(once.begin(), once.end()), once.end());
  RC_ASSERT(once.size() == seen.size());
  std::size_t total = 0;
  for (const auto& shard : shards)
    total += shard.size();
  RC_ASSERT(seen.size() == total);
}

} // namespace
} // namespace depositd::rules::pages
