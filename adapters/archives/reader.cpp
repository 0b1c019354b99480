#include "adapters/archives/reader.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>

namespace depositd {

namespace {

constexpr std::size_t block_bytes = 128 * 1024;
constexpr std::size_t zip_end_bytes = 22;
constexpr std::size_t zip_comment_bytes_max = 65'535;

std::string lower(std::string_view text) {
  std::string out{text};
  for (auto& c : out)
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

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

} // namespace

archive_reader::archive_reader()
  : names_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)),
    before_(::uselocale(names_)),
    from_(archive_read_new(), &archive_read_free) {
  // nop
}

archive_reader::~archive_reader() {
  from_.reset();
  ::uselocale(before_);
  if (names_ != nullptr)
    ::freelocale(names_);
}

caf::error archive_reader::failed(const char* doing) const {
  const auto* reason = archive_error_string(from_.get());
  std::string text = "the archive cannot be ";
  text += doing;
  text += ": ";
  text += reason ? reason : "no reason is known";
  return caf::make_error(ec::malformed, std::move(text));
}

caf::error archive_reader::open(const archive_source& from) {
  const auto name = lower(std::filesystem::path{from.name}.filename().string());
  zip_ = name.ends_with(".zip");
  const bool tar = ends_with_one_of(
    name, {".tar", ".tar.gz", ".tgz", ".tarz", ".tar.bz2", ".tbz2", ".tar.z"});
  const bool single = !tar && ends_with_one_of(name, {".gz", ".bz2"});
  if (!zip_ && !tar && !single)
    return caf::make_error(ec::malformed, "\"" + from.name.substr(0, 200)
                                            + "\" is not the name of an "
                                              "archive");
  auto* to = from_.get();
  if (zip_) {
    archive_read_support_format_zip_seekable(to);
  } else {
    archive_read_support_filter_gzip(to);
    archive_read_support_filter_bzip2(to);
    archive_read_support_filter_compress(to);
    archive_read_support_format_tar(to);
  }
  if (single) {
    archive_read_support_format_raw(to);
    single_name_ = std::filesystem::path{from.name}.stem().string();
  }
  auto file = open_file(from.file, O_RDONLY);
  if (!file)
    return std::move(file.error());
  file_ = std::move(*file);
  path_ = from.file;
  struct stat facts {};
  if (::fstat(file_.value(), &facts) != 0)
    return file_failed("read", path_, errno);
  bytes_ = static_cast<std::uint64_t>(facts.st_size);
  if (archive_read_open_fd(to, file_.value(), block_bytes) != ARCHIVE_OK)
    return failed("read");
  return {};
}

caf::expected<archive_entry*> archive_reader::next() {
  archive_entry* entry = nullptr;
  const auto code = archive_read_next_header(from_.get(), &entry);
  if (code == ARCHIVE_EOF)
    return static_cast<archive_entry*>(nullptr);
  // A warning is a name that cannot be read, or a header that is damaged.
  if (code != ARCHIVE_OK)
    return failed("read");
  return entry;
}

std::string archive_reader::name_of(archive_entry* entry) const {
  if (!single_name_.empty()
      && archive_format(from_.get()) == ARCHIVE_FORMAT_RAW)
    return single_name_;
  const auto* name = archive_entry_pathname(entry);
  return name ? name : "";
}

caf::expected<archive_block> archive_reader::read() {
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

caf::error archive_reader::check_end() const {
  if (!zip_)
    return {};
  std::string tail(
    std::min<std::uint64_t>(bytes_, zip_end_bytes + zip_comment_bytes_max),
    '\0');
  auto count = read_file_at(file_, path_, tail, bytes_ - tail.size());
  if (!count)
    return std::move(count.error());
  if (!ends_as_zip(tail))
    return caf::make_error(ec::malformed,
                           "something follows the end of the archive");
  return {};
}

} // namespace depositd
