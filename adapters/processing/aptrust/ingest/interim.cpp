#include "adapters/processing/aptrust/ingest/interim.hpp"

#include "adapters/bagit/reading.hpp"
#include "adapters/stores/files/file.hpp"
#include "messages/values/json_text.hpp"
#include "messages/values/test_points.hpp"

#include <cerrno>
#include <exception>
#include <system_error>

#include <fcntl.h>

namespace depositd::aptrust {

namespace {

namespace fs = std::filesystem;
using json = nlohmann::json;

/// Calls with the value, whose members may be missing or of another kind.
template <class Take>
caf::error read_line(const line_reader& from, const json& x, const Take& take) {
  try {
    take(x);
    return {};
  } catch (const std::exception& why) {
    return from.damaged(why.what());
  }
}

/// How many bytes of the file are whole lines, and how many these are.
struct whole_lines {
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
};

whole_lines count_lines(const fs::path& file) {
  whole_lines out;
  std::ifstream in{file, std::ios::binary};
  for (std::string line; std::getline(in, line) && !in.eof();) {
    out.bytes += line.size() + 1;
    ++out.count;
  }
  return out;
}

} // namespace

bool is_kept(std::string_view path) {
  switch (bagit::kind_of_file(path)) {
    case bagit::file_kind::bagit_txt:
    case bagit::file_kind::manifest:
    case bagit::file_kind::tag_manifest:
    case bagit::file_kind::fetch:
      return false;
    default:
      return true;
  }
}

fs::path list_writer::part() const {
  return list_.string() + ".part";
}

caf::expected<list_writer> list_writer::open(const fs::path& list, bool go_on) {
  list_writer out{list};
  std::error_code code;
  if (go_on && fs::exists(out.part(), code)) {
    const auto whole = count_lines(out.part());
    fs::resize_file(out.part(), whole.bytes, code);
    if (code)
      return file_failed("shorten", out.part(), code.value());
    out.count_ = whole.count;
  } else {
    go_on = false;
  }
  out.out_.open(out.part(),
                std::ios::binary | (go_on ? std::ios::app : std::ios::trunc));
  if (!out.out_)
    return file_failed("write", out.part(), errno);
  return out;
}

caf::error list_writer::add(const json& line) {
  out_ << json_text(line) << '\n';
  ++count_;
  return out_ ? caf::error{} : file_failed("write", part(), errno);
}

caf::error list_writer::finish() {
  out_.close();
  if (!out_)
    return file_failed("write", part(), errno);
  auto& io = system_disk();
  {
    const auto file = open_file(part(), O_WRONLY);
    if (!file)
      return file.error();
    if (const auto code = io.sync(file->value()))
      return file_failed("sync", part(), code);
  }
  crash_point("list_unnamed");
  std::error_code code;
  fs::rename(part(), list_, code);
  if (code)
    return file_failed("rename", part(), code.value());
  return sync_folder(io, list_.parent_path());
}

json to_json(const listed_file& x) {
  return {{"path", x.path},
          {"bytes", x.bytes},
          {"sha256", x.sha256},
          {"sha512", x.sha512}};
}

json to_json(const listed_bag& x) {
  return {{"bag", x.name}, {"etag", x.etag}};
}

json to_json(const listed_format& x) {
  return {
    {"path", x.path}, {"mime", x.mime}, {"puid", x.puid}, {"method", x.method}};
}

caf::expected<line_reader> line_reader::open(const fs::path& list) {
  line_reader out{list};
  out.in_.open(list, std::ios::binary);
  std::error_code code;
  if (out.in_)
    return out;
  const auto reason = errno;
  if (!fs::exists(list, code) && !code)
    return caf::make_error(ec::not_found, "there is no " + list.string());
  return file_failed("read", list, reason);
}

caf::expected<bool> line_reader::next(json& to) {
  std::string line;
  if (!std::getline(in_, line)) {
    if (in_.bad())
      return file_failed("read", list_, errno);
    return false;
  }
  to = json_of(line);
  if (to.is_discarded())
    return damaged("is no list of ours");
  return true;
}

caf::error line_reader::damaged(const std::string& why) const {
  return caf::make_error(ec::store_damaged, list_.string() + ": " + why);
}

caf::error each_file(const interim_folder& folder,
                     const std::function<caf::error(const listed_file&)>& use) {
  auto list = list_reader::open(folder);
  if (!list)
    return std::move(list.error());
  listed_file file;
  while (true) {
    const auto is_there = list->next(file);
    if (!is_there)
      return is_there.error();
    if (!*is_there)
      return {};
    if (auto failure = use(file))
      return failure;
  }
}

caf::expected<list_reader> list_reader::open(const interim_folder& folder) {
  auto lines = line_reader::open(folder.files());
  if (!lines)
    return std::move(lines.error());
  list_reader out{std::move(*lines)};
  json line;
  const auto is_there = out.lines_.next(line);
  if (!is_there)
    return is_there.error();
  if (!*is_there)
    return out.lines_.damaged("is empty");
  if (auto failure = read_line(out.lines_, line, [&](const json& x) {
        x.at("bag").get_to(out.bag_.name);
        x.at("etag").get_to(out.bag_.etag);
      }))
    return failure;
  return out;
}

caf::expected<bool> list_reader::next(listed_file& to) {
  json line;
  auto is_there = lines_.next(line);
  if (!is_there || !*is_there)
    return is_there;
  if (auto failure = read_line(lines_, line, [&](const json& x) {
        x.at("path").get_to(to.path);
        x.at("bytes").get_to(to.bytes);
        x.at("sha256").get_to(to.sha256);
        x.at("sha512").get_to(to.sha512);
      }))
    return failure;
  return true;
}

caf::expected<findings_reader>
findings_reader::open(const interim_folder& folder) {
  auto unchanged = line_reader::open(folder.unchanged());
  if (!unchanged)
    return std::move(unchanged.error());
  auto formats = line_reader::open(folder.formats());
  if (!formats)
    return std::move(formats.error());
  findings_reader out{std::move(*unchanged), std::move(*formats)};
  if (auto failure = out.go_on())
    return failure;
  return out;
}

caf::error findings_reader::go_on() {
  json line;
  next_unchanged_.clear();
  const auto is_there = unchanged_.next(line);
  if (!is_there)
    return is_there.error();
  if (!*is_there)
    return {};
  return read_line(unchanged_, line,
                   [this](const json& x) { x.get_to(next_unchanged_); });
}

caf::error findings_reader::next(const std::string& path) {
  json line;
  const auto is_there = formats_.next(line);
  if (!is_there)
    return is_there.error();
  if (!*is_there)
    return formats_.damaged("does not have all files");
  if (auto failure = read_line(formats_, line, [this](const json& x) {
        x.at("path").get_to(format_.path);
        x.at("mime").get_to(format_.mime);
        x.at("puid").get_to(format_.puid);
        x.at("method").get_to(format_.method);
      }))
    return failure;
  if (format_.path != path)
    return formats_.damaged("has other files than the list of the bag");
  is_unchanged_ = next_unchanged_ == path;
  return is_unchanged_ ? go_on() : caf::error{};
}

} // namespace depositd::aptrust
