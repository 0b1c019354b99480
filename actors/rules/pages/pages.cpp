#include "actors/rules/pages/pages.hpp"

#include <charconv>
#include <map>
#include <utility>

namespace depositd::rules::pages {

namespace {

/// How much of an answer a row takes, about.
std::size_t bytes_of(const submission_row& x) {
  const auto& y = x.submission;
  return sizeof(x) + x.user.size() + x.queue.size() + y.file_name.size()
         + y.operation.size() + y.login.size() + y.source.size() + y.blob.size()
         + y.trace.size() + x.batch_id.size() + x.processor.size()
         + x.reason.size() + x.document.size();
}

bool comes_first(const submission_row& x, const submission_row& y,
                 bool newest_first) {
  const auto mine = std::pair{x.received_us, x.id};
  const auto theirs = std::pair{y.received_us, y.id};
  return newest_first ? theirs < mine : mine < theirs;
}

} // namespace

void cut(page& x, std::size_t bytes_max) {
  if (bytes_max == 0 || x.rows.empty())
    return;
  std::size_t count = 1;
  auto bytes = bytes_of(x.rows.front());
  while (count < x.rows.size()
         && (bytes += bytes_of(x.rows[count])) <= bytes_max)
    ++count;
  x.more = x.more || count < x.rows.size();
  x.rows.resize(count);
}

page join(page x, page y, const submission_query& what) {
  page out;
  auto a = x.rows.begin();
  auto b = y.rows.begin();
  while (out.rows.size() < what.count_max) {
    const bool no_a = a == x.rows.end();
    const bool no_b = b == y.rows.end();
    out.more = (no_a && x.more) || (no_b && y.more);
    if (out.more || (no_a && no_b))
      break;
    const bool from_a =
      no_b || (!no_a && comes_first(*a, *b, what.newest_first));
    out.rows.push_back(std::move(from_a ? *a++ : *b++));
  }
  cut(out, what.bytes_max);
  return out;
}

std::string cursor_after(const std::vector<item_id>& before,
                         const std::vector<submission_row>& rows) {
  std::map<shard_number, item_id> seen;
  for (const auto id : before)
    seen[shard_of_item(id)] = id;
  for (const auto& row : rows)
    seen[shard_of_item(row.id)] = row.id;
  std::string out;
  for (const auto& [shard, id] : seen)
    out += (out.empty() ? "" : "-") + std::to_string(id);
  return out;
}

std::optional<std::vector<item_id>> read_cursor(const std::string& text) {
  std::vector<item_id> out;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    const auto [stop, failure] = std::from_chars(at, end, out.emplace_back());
    const bool last = stop == end;
    if (failure != std::errc{} || (!last && (*stop != '-' || stop + 1 == end))
        || out.size() > shards_max)
      return std::nullopt;
    at = last ? end : stop + 1;
  }
  return out;
}

std::vector<item_id> of_shard(std::vector<item_id> ids, shard_number shard) {
  std::erase_if(ids, [=](item_id id) { return shard_of_item(id) != shard; });
  return ids;
}

} // namespace depositd::rules::pages
