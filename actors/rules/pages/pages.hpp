#pragma once

// Lists of submissions, batches, jobs and checked files in bounded pages, over
// one shard or several. A shard's rows are in the order of their numbers, by
// which the next page goes on; between shards the time counts.

#include "messages/values/fixity.hpp"
#include "messages/values/rows.hpp"
#include "messages/values/sharding.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace depositd::rules::pages {

/// Part of a list. `more`: it was cut short, and nothing is known beyond it.
template <class Row>
struct page_of {
  std::vector<Row> rows;
  bool more = false;
};

using page = page_of<submission_row>;

inline micros time_of(const submission_row& x) {
  return x.received_us;
}

inline micros time_of(const batch_row& x) {
  return x.received_us;
}

inline micros time_of(const job_row& x) {
  return x.created_us;
}

/// One page of two, as long as it may be, up to where one of the two was cut.
template <class Row>
page_of<Row> merge(page_of<Row> x, page_of<Row> y, bool newest_first,
                   std::size_t count_max) {
  const auto comes_first = [=](const Row& a, const Row& b) {
    const auto mine = std::pair{time_of(a), a.id};
    const auto other = std::pair{time_of(b), b.id};
    return newest_first ? other < mine : mine < other;
  };
  page_of<Row> out;
  auto a = x.rows.begin();
  auto b = y.rows.begin();
  while (out.rows.size() < count_max) {
    const bool no_a = a == x.rows.end();
    const bool no_b = b == y.rows.end();
    out.more = (no_a && x.more) || (no_b && y.more);
    if (out.more || (no_a && no_b))
      break;
    const bool from_a = no_b || (!no_a && comes_first(*a, *b));
    out.rows.push_back(std::move(from_a ? *a++ : *b++));
  }
  return out;
}

/// Keeps the rows that fit into so many bytes, and one at least; 0: all.
void cut(page& x, std::size_t bytes_max);

/// One page of two: as many rows as were asked for, up to where one of the two
/// was cut.
page join(page x, page y, const submission_query& what);

/// The last id seen of each shard, as one text: "12-34".
std::string cursor_after(const std::vector<item_id>& before,
                         const std::vector<item_id>& seen);

template <class Row>
std::string cursor_after(const std::vector<item_id>& before,
                         const std::vector<Row>& rows) {
  std::vector<item_id> seen;
  seen.reserve(rows.size());
  for (const auto& row : rows)
    seen.push_back(row.id);
  return cursor_after(before, seen);
}

/// Such a text, or nothing if it is none; empty is the beginning of a list.
std::optional<std::vector<item_id>> read_cursor(const std::string& text);

/// Where a list of checked files goes on: behind this one, as one word.
std::string cursor_after(const checked_file& x);

/// Such a word, or nothing if it is none; empty is the beginning of a list.
std::optional<checked_file> read_file_cursor(const std::string& text);

/// Of the ids of a cursor those of one shard.
std::vector<item_id> of_shard(std::vector<item_id> ids, shard_number shard);

} // namespace depositd::rules::pages
