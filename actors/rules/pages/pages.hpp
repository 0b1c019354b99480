#pragma once

// Lists of submissions in bounded pages, over one shard or several. A shard's
// rows are in the order of their numbers, by which the next page goes on;
// between shards the time counts.

#include "messages/values/rows.hpp"
#include "messages/values/sharding.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace depositd::rules::pages {

/// Part of a list. `more`: it was cut short, and nothing is known beyond it.
struct page {
  std::vector<submission_row> rows;
  bool more = false;
};

/// Keeps the rows that fit into so many bytes, and one at least; 0: all.
void cut(page& x, std::size_t bytes_max);

/// One page of two: as many rows as were asked for, up to where one of the two
/// was cut.
page join(page x, page y, const submission_query& what);

/// The last id seen of each shard, as one text: "12-34".
std::string cursor_after(const std::vector<item_id>& before,
                         const std::vector<submission_row>& rows);

/// Such a text, or nothing if it is none; empty is the beginning of a list.
std::optional<std::vector<item_id>> read_cursor(const std::string& text);

/// Of the ids of a cursor those of one shard.
std::vector<item_id> of_shard(std::vector<item_id> ids, shard_number shard);

} // namespace depositd::rules::pages
