#include "actors/rules/pages/pages.hpp"

#include "messages/values/base64.hpp"

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
         + x.reason.size() + x.document.size() + x.contents.size();
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
  auto out =
    merge(std::move(x), std::move(y), what.newest_first, what.count_max);
  cut(out, what.bytes_max);
  return out;
}

std::string cursor_after(const std::vector<item_id>& before,
                         const std::vector<item_id>& seen) {
  std::map<shard_number, item_id> last;
  for (const auto id : before)
    last[shard_of_item(id)] = id;
  for (const auto id : seen)
    last[shard_of_item(id)] = id;
  std::string out;
  for (const auto& [shard, id] : last)
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

std::string cursor_after(const checked_file& x) {
  // Names of objects and files may have any character.
  return encode_base64(std::to_string(x.checked_us) + " "
                       + std::to_string(x.object.size()) + " " + x.object
                       + x.path);
}

std::optional<checked_file> read_file_cursor(const std::string& text) {
  checked_file out;
  if (text.empty())
    return out;
  const auto plain = decode_base64(text);
  if (!plain)
    return std::nullopt;
  const char* const end = plain->data() + plain->size();
  const auto time = std::from_chars(plain->data(), end, out.checked_us);
  if (time.ec != std::errc{} || time.ptr == end || *time.ptr != ' ')
    return std::nullopt;
  std::size_t size = 0;
  const auto length = std::from_chars(time.ptr + 1, end, size);
  if (length.ec != std::errc{} || length.ptr == end || *length.ptr != ' '
      || size > static_cast<std::size_t>(end - length.ptr - 1))
    return std::nullopt;
  out.object.assign(length.ptr + 1, size);
  out.path.assign(length.ptr + 1 + size, end);
  return out;
}

std::vector<item_id> of_shard(std::vector<item_id> ids, shard_number shard) {
  std::erase_if(ids, [=](item_id id) { return shard_of_item(id) != shard; });
  return ids;
}

} // namespace depositd::rules::pages
