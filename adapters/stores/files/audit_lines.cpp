#include "adapters/stores/files/audit_lines.hpp"

#include "adapters/stores/files/audit_folder.hpp"
#include "adapters/stores/files/file.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <system_error>

#include <fcntl.h>

namespace depositd {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t block_bytes = 64 * 1024;
constexpr char separator = '@';

/// A place in a file: everything before it has not been read.
struct place {
  std::string file;
  std::uint64_t end = 0;
};

caf::error no_place(const std::string& text) {
  return caf::make_error(ec::invalid_argument,
                         "no place in the audit log: " + text);
}

caf::expected<place> read_place(const std::string& text) {
  const auto at = text.find(separator);
  if (at == std::string::npos)
    return no_place(text);
  place out{text.substr(0, at), 0};
  const auto* last = text.data() + text.size();
  const auto read = std::from_chars(text.data() + at + 1, last, out.end);
  if (read.ec != std::errc{} || read.ptr != last || !is_audit_file(out.file))
    return no_place(text);
  return out;
}

std::string to_text(const place& x) {
  return x.file + separator + std::to_string(x.end);
}

/// The newest first; they are called by year and month.
std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> out;
  std::error_code code;
  for (fs::directory_iterator at{folder, code}, end; !code && at != end;
       at.increment(code))
    if (auto name = at->path().filename().string(); is_audit_file(name))
      out.push_back(std::move(name));
  std::sort(out.begin(), out.end(), std::greater<>{});
  return out;
}

/// Fills a page, block by block, each before the one that was read last.
class page_reader {
public:
  explicit page_reader(const audit_range& where) : where_(where) {
    // nop
  }

  bool is_full() const {
    return page.lines.size() >= where_.count_max
           || (took_some_ && bytes_ >= audit_page_bytes);
  }

  /// The file's lines that end at or before `end`. What is left of it when the
  /// page is full begins before what it returns; 0: nothing is.
  caf::expected<std::uint64_t> read(const unique_fd& file, const fs::path& path,
                                    std::uint64_t end) {
    std::string rest; // the beginning of a line is in the block before
    while (end > 0 && !is_full()) {
      const auto size = std::min<std::uint64_t>(end, block_bytes);
      std::string block(size, '\0');
      const auto count = read_file_at(file, path, block, end - size);
      if (!count)
        return std::move(count.error());
      if (*count != size)
        return caf::make_error(ec::store_failed, "the audit log has shrunk");
      bytes_ += size;
      rest.insert(0, block);
      end = take_lines(rest, end - size);
    }
    return end + rest.size();
  }

  audit_page page;

private:
  /// Takes whole lines off the end of `text`, which begins at `begin`, and
  /// returns where what is read next ends.
  std::uint64_t take_lines(std::string& text, std::uint64_t begin) {
    while (!text.empty() && page.lines.size() < where_.count_max) {
      const auto last = text.back() == '\n' ? text.size() - 1 : text.size();
      const auto before =
        last == 0 ? std::string::npos : text.rfind('\n', last - 1);
      if (before == std::string::npos && begin > 0)
        return begin;
      const auto from = before == std::string::npos ? 0 : before + 1;
      auto line = text.substr(from, last - from);
      text.resize(from);
      took_some_ = true;
      if (!line.empty() && line.find(where_.text) != std::string::npos)
        page.lines.push_back(std::move(line));
    }
    return begin;
  }

  const audit_range& where_;
  std::size_t bytes_ = 0;
  bool took_some_ = false; ///< a line is read to its end, however long it is
};

} // namespace

audit_lines::audit_lines(fs::path folder) : folder_(std::move(folder)) {
  // nop
}

caf::expected<audit_page> audit_lines::read(const audit_range& where) const {
  place from;
  if (!where.after.empty()) {
    auto begun = read_place(where.after);
    if (!begun)
      return std::move(begun.error());
    from = std::move(*begun);
  }
  page_reader out{where};
  for (const auto& name : files_in(folder_)) {
    if (!from.file.empty() && name > from.file)
      continue;
    if (out.is_full()) {
      out.page.next = to_text({name, UINT64_MAX});
      break;
    }
    const auto path = folder_ / name;
    auto file = open_file(path, O_RDONLY);
    if (!file)
      return std::move(file.error());
    std::error_code code;
    const std::uint64_t size = fs::file_size(path, code);
    if (code)
      return file_failed("stat", path, code.value());
    const auto left = out.read(
      *file, path, name == from.file ? std::min(from.end, size) : size);
    if (!left)
      return std::move(left.error());
    if (*left > 0) {
      out.page.next = to_text({name, *left});
      break;
    }
  }
  return std::move(out.page);
}

} // namespace depositd
