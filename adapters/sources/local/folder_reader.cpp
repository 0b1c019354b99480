#include "adapters/sources/local/folder_reader.hpp"

#include "adapters/sources/local/folder_walk.hpp"
#include "adapters/sources/records/interruptible_reader.hpp"
#include "messages/values/json_text.hpp"
#include "messages/values/time_text.hpp"
#include "messages/values/utf8.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

namespace depositd::sources {

namespace {

using folder_clock = std::chrono::steady_clock;

constexpr std::string_view upper_digits = "0123456789ABCDEF";

/// A path as a cursor, which is UTF-8 whatever the path is.
std::string cursor_of(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const auto next = first_character(path);
    const auto byte = static_cast<unsigned char>(path.front());
    if (next.bytes == 0 || byte == '%' || byte < 0x20) {
      out += '%';
      out += upper_digits[byte / 16];
      out += upper_digits[byte % 16];
      path.remove_prefix(1);
    } else {
      out += path.substr(0, next.bytes);
      path.remove_prefix(next.bytes);
    }
  }
  return out;
}

caf::expected<std::string> path_of(std::string_view cursor) {
  std::string out;
  for (std::size_t i = 0; i < cursor.size(); ++i) {
    if (cursor[i] != '%') {
      out += cursor[i];
      continue;
    }
    const auto digits = cursor.substr(i + 1, 2);
    const auto high =
      digits.size() == 2 ? upper_digits.find(digits[0]) : std::string::npos;
    const auto low =
      digits.size() == 2 ? upper_digits.find(digits[1]) : std::string::npos;
    if (high == std::string::npos || low == std::string::npos)
      return caf::make_error(ec::malformed, "the cursor is none of a folder");
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

std::string time_of(micros modified_us) {
  // The first moment of 1970 is a time like any other here.
  return format_utc(modified_us == never ? 1 : modified_us);
}

std::string body_of(const std::string& root, const met_entry& x) {
  const auto name = x.path.rfind('/');
  const auto first = x.path.find('/');
  nlohmann::ordered_json out;
  out["path"] = (root == "/" ? root : root + "/") + x.path;
  out["name"] = name == std::string::npos ? x.path : x.path.substr(name + 1);
  out["directory"] = first == std::string::npos ? "" : x.path.substr(0, first);
  out["size"] = x.size;
  out["modified_at"] = time_of(x.modified_us);
  return json_text(out);
}

class folder_reader final : public interruptible_reader {
public:
  folder_reader(std::string root, record_rules rules)
    : root_(std::move(root)), rules_(std::move(rules)) {
    // nop
  }

  caf::expected<pulled_batch> next_batch(const batch_request& x) override;

private:
  caf::error read(const batch_request& x, pulled_batch& out);
  void take(const met_entry& x, pulled_batch& out);
  void begin_walk(const std::string& cursor, const std::string& behind) {
    walk_.emplace(root_, behind);
    walk_from_ = cursor;
  }

  std::string root_;
  record_rules rules_;
  std::optional<folder_walk> walk_;
  std::string walk_from_; ///< the cursor of where it began
  std::string walk_at_;   ///< and of where it stands
};

caf::expected<pulled_batch> folder_reader::next_batch(const batch_request& x) {
  const interruption::call call{interruption_};
  const auto behind = path_of(x.cursor);
  if (!behind)
    return behind.error();
  const bool goes_on = walk_ && walk_at_ == x.cursor;
  if (!goes_on)
    begin_walk(x.cursor, *behind);
  pulled_batch out;
  out.cursor = x.cursor;
  out.has_cursor = true;
  auto error = read(x, out);
  // Names that were read with an earlier batch may not be all any more.
  if (!error && goes_on && out.ended && out.cursor == x.cursor
      && walk_from_ != x.cursor) {
    begin_walk(x.cursor, *behind);
    out.ended = false;
    error = read(x, out);
  }
  if (error || out.ended)
    walk_.reset();
  if (error)
    return error;
  if (out.ended)
    out.cursor.clear();
  walk_at_ = out.cursor;
  return out;
}

caf::error folder_reader::read(const batch_request& x, pulled_batch& out) {
  const auto pause_at = folder_clock::now() + x.timeout / 2;
  const auto until = folder_clock::now() + x.timeout;
  const folder_walk::checkpoint check = [&]() -> caf::error {
    if (interruption_.cancelled())
      return was_cancelled();
    if (folder_clock::now() >= until)
      return took_too_long(x.timeout);
    return {};
  };
  for (bool moved = false; out.records.size() + out.bad.size() < x.limit;
       moved = true) {
    // The rest comes with the next batch: what takes too long begins anew.
    if (moved && folder_clock::now() >= pause_at)
      return {};
    const auto met = walk_->step(check);
    if (!met)
      return met.error();
    switch (met->is) {
      case met_entry::kind::nothing:
        break;
      case met_entry::kind::end:
        out.ended = true;
        return {};
      case met_entry::kind::too_long:
        out.cursor = cursor_of(met->path);
        add_bad(out, std::string_view{met->path}.substr(0, 256),
                "the path is too long");
        break;
      case met_entry::kind::file:
        take(*met, out);
        break;
    }
  }
  return {};
}

void folder_reader::take(const met_entry& x, pulled_batch& out) {
  out.cursor = cursor_of(x.path);
  if (find_invalid_utf8(x.path) != std::string::npos)
    add_bad(out, x.path, "the name is not UTF-8");
  else
    add_record(out, rules_, x.path, body_of(root_, x), out.cursor);
}

} // namespace

caf::expected<std::unique_ptr<source_reader>>
make_folder_reader(const std::string& name, const source_settings& x,
                   const reader_context& in) {
  const auto& path = x.from.path;
  if (path.empty() || path.find('\0') != std::string::npos
      || find_invalid_utf8(path) != std::string::npos)
    return caf::make_error(ec::bad_setting, "path: names no folder");
  std::error_code failed;
  auto root = std::filesystem::absolute(path, failed).lexically_normal();
  if (failed)
    return caf::make_error(ec::bad_setting, "path: " + failed.message());
  if (!root.has_filename() && root.has_relative_path())
    root = root.parent_path(); // a slash at its end
  return std::unique_ptr<source_reader>{std::make_unique<folder_reader>(
    root.string(), rules_of(name, x, in.body_bytes_max))};
}

} // namespace depositd::sources
