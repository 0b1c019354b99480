#include "adapters/processing/aptrust/ingest/interim.hpp"

#include "adapters/bagit/reading.hpp"
#include "adapters/stores/files/file.hpp"

#include <cerrno>
#include <exception>
#include <system_error>

#include <fcntl.h>

namespace depositd::aptrust {

namespace {

namespace fs = std::filesystem;
using json = nlohmann::json;

caf::error not_ours(const fs::path& list, const std::string& why) {
  return caf::make_error(ec::malformed, list.string() + ": " + why);
}

caf::expected<listed_file> file_of(const fs::path& list, const json& x) {
  try {
    listed_file out;
    x.at("path").get_to(out.path);
    x.at("bytes").get_to(out.bytes);
    x.at("sha256").get_to(out.sha256);
    x.at("sha512").get_to(out.sha512);
    return out;
  } catch (const std::exception& why) {
    return not_ours(list, why.what());
  }
}

caf::expected<listed_bag> bag_of(const fs::path& list, const json& x) {
  try {
    listed_bag out;
    x.at("bag").get_to(out.name);
    x.at("etag").get_to(out.etag);
    return out;
  } catch (const std::exception& why) {
    return not_ours(list, why.what());
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
  out_ << line.dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
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
  std::error_code code;
  fs::rename(part(), list_, code);
  if (code)
    return file_failed("rename", part(), code.value());
  return sync_folder(io, list_.parent_path());
}

caf::error each_line(const fs::path& list,
                     const std::function<caf::error(const json&)>& use) {
  std::ifstream in{list, std::ios::binary};
  if (!in)
    return caf::make_error(ec::not_found,
                           "there is no " + list.string()
                             + ": an earlier stage has to be done again");
  for (std::string line; std::getline(in, line);) {
    const auto read = json::parse(line, nullptr, false);
    if (read.is_discarded())
      return not_ours(list, "is no list of ours");
    if (auto failure = use(read))
      return failure;
  }
  return in.bad() ? file_failed("read", list, errno) : caf::error{};
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

caf::error each_file(const interim_folder& folder,
                     const std::function<caf::error(const listed_file&)>& use) {
  auto list = list_reader::open(folder);
  if (!list)
    return std::move(list.error());
  while (true) {
    const auto file = list->next();
    if (!file)
      return file.error() == ec::not_found ? caf::error{} : file.error();
    if (auto failure = use(*file))
      return failure;
  }
}

caf::expected<list_reader> list_reader::open(const interim_folder& folder) {
  list_reader out;
  out.in_.open(folder.files(), std::ios::binary);
  std::string line;
  if (!out.in_ || !std::getline(out.in_, line))
    return caf::make_error(ec::not_found,
                           "there is no " + folder.files().string()
                             + ": the prefetch has to be done again");
  auto bag = bag_of(folder.files(), json::parse(line, nullptr, false));
  if (!bag)
    return std::move(bag.error());
  out.bag_ = std::move(*bag);
  return out;
}

caf::expected<listed_file> list_reader::next() {
  std::string line;
  if (!std::getline(in_, line))
    return caf::make_error(in_.bad() ? ec::store_failed : ec::not_found,
                           std::string{"the list of files ends"});
  return file_of("files.jsonl", json::parse(line, nullptr, false));
}

} // namespace depositd::aptrust
