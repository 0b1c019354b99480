#include "adapters/stores/segments/recovery.hpp"

#include <algorithm>
#include <set>

namespace depositd::segments {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t index_step = 256 * 1024;

struct folder_list {
  std::set<std::uint64_t> segments;
  std::set<std::uint64_t> spares;
};

caf::error damaged(const fs::path& path, const std::string& why) {
  return caf::make_error(ec::store_damaged, path.string() + ": " + why);
}

caf::error damaged_at(const segment_state& segment, const std::string& why) {
  return damaged(segment.file->path, "damaged at byte "
                                       + std::to_string(segment.used) + ": "
                                       + why);
}

caf::expected<folder_list> list(const fs::path& folder, bool for_looking) {
  folder_list out;
  std::error_code code;
  for (fs::directory_iterator at{folder, code}, end; !code && at != end;
       at.increment(code)) {
    const auto name = at->path().filename().string();
    if (const auto number = number_in(name, "journal-"))
      out.segments.insert(*number);
    else if (const auto spare = number_in(name, "spare-"))
      out.spares.insert(*spare);
    else if (name.ends_with(".tmp") && !for_looking) {
      std::error_code ignored; // in the way of nothing
      fs::remove(at->path(), ignored);
    }
  }
  if (code)
    return file_failed("list", folder, code.value());
  return out;
}

/// The manifest of a folder; a new one if there is nothing at all. `io` is null
/// for those who only look.
caf::expected<manifest> load_manifest(disk* io, const pool_options& options,
                                      const folder_list& files) {
  const auto path = options.folder / manifest_name;
  auto text = read_file(path);
  if (!text && text.error() == ec::not_found) {
    if (!files.segments.empty())
      return damaged(path, "it is missing although there are segments");
    if (io == nullptr)
      return std::move(text.error());
    const manifest fresh{.shard = options.shard};
    if (auto failed = replace_file(*io, path, encode(fresh)))
      return failed;
    return fresh;
  }
  if (!text)
    return std::move(text.error());
  auto out = decode_manifest(*text);
  if (!out)
    return caf::make_error(static_cast<ec>(out.error().code()),
                           path.string() + ": " + render(out.error()));
  if (out->shard != options.shard)
    return caf::make_error(ec::store_failed,
                           path.string() + ": it belongs to shard "
                             + std::to_string(out->shard) + ", not to shard "
                             + std::to_string(options.shard));
  return out;
}

/// Numbers of the log's segments. Others are left over from a drop or a
/// preparation that a crash cut short.
caf::expected<std::vector<std::uint64_t>>
numbers_of(const pool_options& options, manifest& names,
           const folder_list& files) {
  if (files.segments.count(names.newest + 1) > 0)
    ++names.newest;
  std::vector<std::uint64_t> out;
  auto gap = names.gaps.begin();
  for (auto number = names.oldest; number <= names.newest; ++number) {
    if (gap != names.gaps.end() && gap->number == number) {
      ++gap;
      continue;
    }
    if (files.segments.count(number) == 0)
      return damaged(options.folder / segment_name(number), "it is missing");
    out.push_back(number);
  }
  if (!files.segments.empty() && *files.segments.rbegin() > names.newest)
    return damaged(options.folder / segment_name(*files.segments.rbegin()),
                   "it is not part of the log");
  return out;
}

/// Files that may be used again.
std::vector<spare_file> spares_of(const pool_options& options,
                                  const manifest& names, folder_list files,
                                  const std::vector<std::uint64_t>& log) {
  std::vector<spare_file> out;
  std::error_code code;
  for (const auto number : files.segments) {
    if (std::binary_search(log.begin(), log.end(), number)
        || number > names.newest)
      continue;
    fs::rename(options.folder / segment_name(number),
               options.folder / spare_name(number), code);
    if (!code)
      files.spares.insert(number);
  }
  for (const auto number : files.spares) {
    auto path = options.folder / spare_name(number);
    if (out.size() < options.spares_max
        && fs::file_size(path, code) == options.segment_bytes)
      out.push_back({std::move(path), nullptr});
    else
      fs::remove(path, code);
  }
  return out;
}

/// Shows a group to whoever wants to see it.
caf::error show_group(const group_viewer& show, const found_group& found) {
  if (!show)
    return {};
  const auto& header = found.header;
  return show({header.first, header.last(), header.epoch,
               group_number(header.segment, header.payload_at()), found.payload,
               decode_watermarks(found.own)});
}

/// Follows the groups of a segment until something is not one. `before` is the
/// segment that `next` follows; null for the first one.
caf::error scan(segment_state& segment, const segment_state* before,
                sequence next, watermark_map& watermarks,
                const group_viewer& show) {
  window in{*segment.file, segment.file->header.capacity};
  found_group found;
  for (;;) {
    auto holds = in.at(segment.used, look::all, found);
    if (!holds)
      return std::move(holds.error());
    if (*holds != place_holds::group)
      return {};
    if (found.header.first != next) {
      // What is missing was at the end of the segment before.
      const auto& where =
        segment.first == 0 && before != nullptr ? *before : segment;
      return damaged_at(where, "sequence " + std::to_string(next)
                                 + " should follow, not "
                                 + std::to_string(found.header.first));
    }
    for (const auto part : {found.base, found.own})
      for (auto& x : decode_watermarks(part))
        watermarks[std::move(x.partition)] = x.offset;
    if (auto refused = show_group(show, found))
      return refused;
    segment.add(found.header);
    next = segment.last + 1;
  }
}

/// A group behind something that is not one: not the trace of a crash, since
/// a group is begun only when all before it are durable.
caf::error search_behind(const segment_state& segment) {
  window in{*segment.file, segment.file->header.capacity};
  auto found = in.search(segment.used + page_bytes);
  if (!found)
    return std::move(found.error());
  if (!*found)
    return {};
  return damaged_at(segment, "sequence " + std::to_string((*found)->first)
                               + " is whole at byte "
                               + std::to_string((*found)->offset));
}

/// Sequence that follows the segment, which ends just before `next`, and the
/// dropped ones behind it.
caf::expected<sequence>
next_after(const manifest& names, const segment_state& segment, sequence next) {
  auto number = segment.file->header.number;
  for (const auto& gap : names.gaps) {
    if (gap.number != number + 1)
      continue;
    if (gap.first != next)
      return damaged_at(segment, "sequence " + std::to_string(next)
                                   + " should be there");
    ++number;
    next = gap.last + 1;
  }
  return next;
}

/// Moves what holds nothing from the log to `ready`, and looks behind the end.
caf::error find_end(recovered& out, std::vector<segment_state>& segments) {
  auto end = segments.size();
  while (end > 0 && segments[end - 1].first == 0)
    --end;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    auto& segment = segments[i];
    if (i < end && segment.first == 0)
      return damaged_at(segment, "no group there, but later ones");
    if (i + 1 >= end)
      if (auto failed = search_behind(segment))
        return failed;
    if (i < end)
      out.log.emplace(segment.file->header.number, std::move(segment));
    else
      out.ready.push_back(std::move(segment.file));
  }
  return {};
}

/// A segment is only dropped when a later one holds a group. If none does, it
/// was there and was acknowledged: not a torn one.
caf::error check_end(const recovered& out, const fs::path& folder) {
  const auto newest = out.log.empty() ? 0 : out.log.rbegin()->first;
  auto dropped = out.names.oldest - 1;
  if (!out.names.gaps.empty())
    dropped = std::max(dropped, out.names.gaps.back().number);
  if (newest > dropped || dropped == 0)
    return {};
  return damaged(folder / segment_name(dropped + 1),
                 "damaged at byte " + std::to_string(page_bytes)
                   + ": the first group should be there");
}

/// What was recovered may only be in the machine's memory, or the disk may
/// have refused it while memory kept it: make sure before building on it.
caf::error rewrite_last(disk& io, const segment_state& segment) {
  const auto& file = *segment.file;
  window in{file, segment.used};
  found_group found;
  auto at = segment.begin_of(segment.last);
  for (;;) {
    auto holds = in.at(at, look::header, found);
    if (!holds)
      return std::move(holds.error());
    if (*holds != place_holds::group)
      return damaged(file.path, "changed while it was read, at byte "
                                  + std::to_string(at));
    if (found.header.last() == segment.last)
      break;
    at = found.header.end();
  }
  std::string bytes(segment.used - at, '\0');
  auto count = read_file_at(file.file, file.path, bytes, at);
  if (!count)
    return std::move(count.error());
  iovec part{bytes.data(), *count};
  if (const auto code = io.write(file.file.value(), {&part, 1}, at))
    return file_failed("write", file.path, code);
  if (const auto code = io.sync(file.file.value()))
    return file_failed("sync", file.path, code);
  return {};
}

} // namespace

void segment_state::add(const group_header& header) {
  if (first == 0)
    first = header.first;
  last = header.last();
  if (index.empty() || used - index.back().offset >= index_step)
    index.push_back({header.first, used});
  newest.push_back({header.first, used});
  used = header.end();
  std::erase_if(newest, [&](const index_entry& entry) {
    return entry.offset + index_step < used;
  });
}

std::uint64_t segment_state::begin_of(sequence from) const {
  const auto& known =
    !newest.empty() && newest.front().first <= from ? newest : index;
  const auto after = std::upper_bound(
    known.begin(), known.end(), from,
    [](sequence x, const index_entry& entry) { return x < entry.first; });
  return after == known.begin() ? page_bytes : std::prev(after)->offset;
}

namespace {

/// What reads a log needs beside its folder.
struct log_reading {
  disk* io = nullptr; ///< null: nothing is changed
  folder_list files;
  std::vector<std::uint64_t> numbers; ///< of the segments in the log
};

/// Opens the segments one after the other and follows their groups.
caf::expected<std::vector<segment_state>> scan_all(const pool_options& options,
                                                   const log_reading& what,
                                                   recovered& out,
                                                   const group_viewer& show) {
  std::vector<segment_state> segments;
  auto next = out.names.first;
  for (const auto number : what.numbers) {
    auto file =
      open_segment(options.folder, number, options.shard, what.io == nullptr);
    if (!file)
      return std::move(file.error());
    auto& segment = segments.emplace_back();
    segment.file = std::move(*file);
    const auto* before =
      segments.size() > 1 ? &segments[segments.size() - 2] : nullptr;
    if (before != nullptr) {
      auto follows = next_after(out.names, *before, next);
      if (!follows)
        return std::move(follows.error());
      next = *follows;
    }
    if (auto failed = scan(segment, before, next, out.watermarks, show))
      return failed;
    if (segment.first != 0)
      next = segment.last + 1;
  }
  return segments;
}

caf::expected<recovered> read_log(const pool_options& options,
                                  log_reading& what, const group_viewer& show) {
  auto files = list(options.folder, what.io == nullptr);
  if (!files)
    return std::move(files.error());
  what.files = std::move(*files);
  auto names = load_manifest(what.io, options, what.files);
  if (!names)
    return std::move(names.error());
  recovered out;
  out.names = std::move(*names);
  auto numbers = numbers_of(options, out.names, what.files);
  if (!numbers)
    return std::move(numbers.error());
  what.numbers = std::move(*numbers);
  auto segments = scan_all(options, what, out, show);
  if (!segments)
    return std::move(segments.error());
  if (auto failed = find_end(out, *segments))
    return failed;
  if (auto failed = check_end(out, options.folder))
    return failed;
  if (!out.log.empty())
    out.last = out.log.rbegin()->second.last;
  return out;
}

} // namespace

caf::expected<recovered> look_through(const fs::path& folder,
                                      std::uint32_t shard,
                                      const group_viewer& show) {
  log_reading what;
  return read_log({.folder = folder, .shard = shard}, what, show);
}

caf::expected<recovered> recover(disk& io, const pool_options& options) {
  log_reading what{.io = &io};
  auto out = read_log(options, what, nullptr);
  if (!out)
    return out;
  if (!out->log.empty())
    if (auto failed = rewrite_last(io, out->log.rbegin()->second))
      return failed;
  out->spares =
    spares_of(options, out->names, std::move(what.files), what.numbers);
  return out;
}

} // namespace depositd::segments
