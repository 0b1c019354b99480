#include "adapters/archives/reader.hpp"

#include "adapters/archives/single_file.hpp"
#include "messages/values/lower_case.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace depositd {

namespace {

constexpr std::size_t block_bytes = 128 * 1024;
constexpr std::size_t zip_end_bytes = 22;
constexpr std::size_t zip_comment_bytes_max = 65'535;

bool ends_with_one_of(const std::string& name,
                      std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](auto x) { return name.ends_with(x); });
}

/// Whether the last bytes are the end of a zip with nothing behind it.
bool ends_as_zip(std::string_view tail) {
  for (auto at = tail.size() < zip_end_bytes ? tail.npos
                                             : tail.size() - zip_end_bytes;
       at != tail.npos; at = at == 0 ? tail.npos : at - 1) {
    const auto byte = [&](std::size_t i) {
      return static_cast<unsigned char>(tail[at + i]);
    };
    const std::size_t comment = byte(20) | byte(21) << 8;
    if (tail.substr(at, 4) == "PK\5\6"
        && at + zip_end_bytes + comment == tail.size())
      return true;
  }
  return false;
}

/// Whether this is all of a zip that has no entry.
bool is_empty_zip(std::string_view whole) {
  constexpr std::string_view no_entries{"PK\5\6\0\0\0\0\0\0\0\0", 12};
  return whole.starts_with(no_entries) && ends_as_zip(whole);
}

} // namespace

archive_reader::archive_reader()
  : from_(archive_read_new(), &archive_read_free),
    nothing_(nullptr, &archive_entry_free) {
  // nop
}

archive_reader::~archive_reader() {
  from_.reset(); // what it calls is there for so long
}

std::int64_t archive_reader::give(archive* to, void* self,
                                  const void** bytes) {
  auto& x = *static_cast<archive_reader*>(self);
  const auto count = read_file_at(x.file_, x.path_, x.block_, x.at_);
  if (!count) {
    x.disk_failure_ = count.error();
    archive_set_error(to, EIO, "its file cannot be read");
    return ARCHIVE_FATAL;
  }
  x.at_ += *count;
  *bytes = x.block_.data();
  return static_cast<std::int64_t>(*count);
}

/// What is not there is not passed over: then it is looked for.
std::int64_t archive_reader::skip(archive*, void* self, std::int64_t bytes) {
  auto& x = *static_cast<archive_reader*>(self);
  const auto there = x.bytes_ - std::min(x.bytes_, x.at_);
  const auto passed = std::min(there, static_cast<std::uint64_t>(bytes));
  x.at_ += passed;
  return static_cast<std::int64_t>(passed);
}

std::int64_t archive_reader::seek(archive* to, void* self, std::int64_t offset,
                                  int from) {
  auto& x = *static_cast<archive_reader*>(self);
  const auto base = from == SEEK_SET   ? std::uint64_t{0}
                    : from == SEEK_CUR ? x.at_
                                       : x.bytes_;
  const auto at = static_cast<std::int64_t>(base) + offset;
  if (at < 0) {
    archive_set_error(to, EINVAL, "something before the archive");
    return ARCHIVE_FATAL;
  }
  x.at_ = static_cast<std::uint64_t>(at);
  return at;
}

caf::error archive_reader::failed(const char* doing) const {
  if (disk_failure_)
    return disk_failure_;
  const auto* reason = archive_error_string(from_.get());
  std::string text = "the archive cannot be ";
  text += doing;
  text += ": ";
  text += reason ? reason : "it is damaged or ends too early";
  return caf::make_error(ec::malformed, std::move(text));
}

caf::error archive_reader::open(const archive_source& from) {
  const auto name =
    lower_case(std::filesystem::path{from.name}.filename().string());
  zip_ = name.ends_with(".zip");
  const bool tar = ends_with_one_of(
    name, {".tar", ".tar.gz", ".tgz", ".tarz", ".tar.bz2", ".tbz2", ".tar.z"});
  const bool single = !tar && ends_with_one_of(name, {".gz", ".bz2"});
  if (!zip_ && !tar && !single)
    return caf::make_error(ec::malformed, "\"" + from.name.substr(0, 200)
                                            + "\" is not the name of an "
                                              "archive");
  auto* to = from_.get();
  auto file = open_file(from.file, O_RDONLY);
  if (!file)
    return std::move(file.error());
  file_ = std::move(*file);
  path_ = from.file;
  struct stat facts {};
  if (::fstat(file_.value(), &facts) != 0)
    return file_failed("read", path_, errno);
  bytes_ = static_cast<std::uint64_t>(facts.st_size);
  block_.resize(block_bytes);
  if (tar) {
    archive_read_support_filter_gzip(to);
    archive_read_support_filter_bzip2(to);
    archive_read_support_filter_compress(to);
  } else if (auto failure = zip_ ? prepare_zip() : prepare_single(from.name)) {
    return failure;
  }
  if (empty_)
    return {};
  if (zip_)
    archive_read_support_format_zip_seekable(to);
  else
    archive_read_support_format_tar(to);
  return begin();
}

caf::error archive_reader::begin() {
  auto* to = from_.get();
  archive_read_set_read_callback(to, &give);
  archive_read_set_skip_callback(to, &skip);
  archive_read_set_seek_callback(to, &seek);
  archive_read_set_callback_data(to, this);
  if (archive_read_open1(to) != ARCHIVE_OK)
    return failed("read");
  return {};
}

/// This once: what is in it may be compressed, too, and is called so.
void archive_reader::take_single() {
  archive_read_append_filter(from_.get(), single_filter_);
  archive_read_support_format_raw(from_.get());
}

/// From its beginning, whatever it looks like.
caf::error archive_reader::begin_raw() {
  from_.reset(archive_read_new());
  at_ = 0;
  take_single();
  return begin();
}

caf::error archive_reader::prepare_zip() {
  const auto tail = end_of_file();
  if (!tail)
    return tail.error();
  empty_ = bytes_ == tail->size() && is_empty_zip(*tail);
  auto names = read_decomposed_names(file_, path_, *tail, bytes_);
  if (!names)
    return std::move(names.error());
  decomposed_ = std::move(*names);
  return {};
}

caf::error archive_reader::prepare_single(const std::string& name) {
  single_name_ = std::filesystem::path{name}.stem().string();
  std::string begin(
    std::min<std::uint64_t>(bytes_, compressed_nothing_bytes_max), '\0');
  const auto count = read_file_at(file_, path_, begin, 0);
  if (!count)
    return count.error();
  const auto filter = filter_of_single(begin);
  if (filter == ARCHIVE_FILTER_NONE)
    return caf::make_error(ec::malformed, "the archive is not compressed");
  if (bytes_ == begin.size() && is_compressed_nothing(begin)) {
    empty_ = true;
    nothing_.reset(archive_entry_new());
    archive_entry_set_pathname(nothing_.get(), single_name_.c_str());
    archive_entry_set_filetype(nothing_.get(), AE_IFREG);
    archive_entry_set_size(nothing_.get(), 0);
    return {};
  }
  single_filter_ = filter;
  take_single();
  return {};
}

caf::expected<archive_entry*> archive_reader::next() {
  if (empty_)
    return std::exchange(begun_, true) ? nullptr : nothing_.get();
  archive_entry* entry = nullptr;
  auto code = archive_read_next_header(from_.get(), &entry);
  // To the library, a file that begins with zeros is a tar without entries.
  if (code == ARCHIVE_EOF && !begun_ && !single_name_.empty()) {
    if (auto failure = begin_raw())
      return failure;
    code = archive_read_next_header(from_.get(), &entry);
  }
  begun_ = true;
  if (code == ARCHIVE_EOF)
    return static_cast<archive_entry*>(nullptr);
  // A warning is a name that cannot be read, or a header that is damaged.
  if (code != ARCHIVE_OK)
    return failed("read");
  return entry;
}

std::string archive_reader::name_of(archive_entry* entry) const {
  if (!single_name_.empty()
      && (empty_ || archive_format(from_.get()) == ARCHIVE_FORMAT_RAW))
    return single_name_;
  const auto* name = archive_entry_pathname(entry);
  if (name == nullptr)
    return {};
  const auto as_sent = decomposed_.find(name);
  return as_sent == decomposed_.end() ? name : as_sent->second;
}

caf::expected<archive_block> archive_reader::read() {
  if (empty_)
    return archive_block{.end = true};
  const void* data = nullptr;
  std::size_t size = 0;
  la_int64_t offset = 0;
  const auto code = archive_read_data_block(from_.get(), &data, &size, &offset);
  if (code == ARCHIVE_EOF)
    return archive_block{.end = true};
  if (code != ARCHIVE_OK || offset < 0)
    return failed("unpacked");
  return archive_block{{static_cast<const char*>(data), size},
                       static_cast<std::uint64_t>(offset)};
}

/// As much as the end of a zip may take.
caf::expected<std::string> archive_reader::end_of_file() const {
  std::string tail(
    std::min<std::uint64_t>(bytes_, zip_end_bytes + zip_comment_bytes_max),
    '\0');
  auto count = read_file_at(file_, path_, tail, bytes_ - tail.size());
  if (!count)
    return std::move(count.error());
  return tail;
}

caf::error archive_reader::check_end() const {
  if (!zip_)
    return {};
  const auto tail = end_of_file();
  if (!tail)
    return tail.error();
  if (!ends_as_zip(*tail))
    return caf::make_error(ec::malformed,
                           "something follows the end of the archive");
  return {};
}

} // namespace depositd
