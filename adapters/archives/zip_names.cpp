#include "adapters/archives/zip_names.hpp"

#include "adapters/archives/composed.hpp"

#include <algorithm>
#include <span>
#include <string_view>

namespace depositd {

namespace {

constexpr std::size_t names_max = 100'000;
constexpr std::size_t end_bytes = 22;
constexpr std::size_t head_bytes = 46; ///< of an entry in the directory
constexpr std::size_t end_64_bytes = 56;
constexpr std::size_t locator_bytes = 20;
constexpr std::uint32_t in_zip_64 = 0xffffffff;
constexpr std::uint64_t utf8_flag = 0x800; ///< of those that are composed
constexpr std::size_t piece_bytes = 256 * 1024;

std::uint64_t number_at(std::string_view text, std::size_t at,
                        std::size_t bytes) {
  std::uint64_t out = 0;
  for (auto i = bytes; i > 0; --i)
    out = out << 8 | static_cast<unsigned char>(text[at + i - 1]);
  return out;
}

/// Reads entry after entry; what does not fit ends it.
class directory_reader {
public:
  directory_reader(const unique_fd& file, const std::filesystem::path& path,
                   std::uint64_t begin, std::uint64_t end)
    : file_(file), path_(path), at_(begin), end_(end) {
    // nop
  }

  caf::expected<decomposed_names> run() {
    while (out_.size() < names_max) {
      const auto head = take(head_bytes);
      if (!head)
        return head.error();
      if (head->size() < head_bytes || !head->starts_with("PK\1\2"))
        break;
      const auto name_bytes = number_at(*head, 28, 2);
      const auto more_bytes = number_at(*head, 30, 2);
      const auto rest_bytes = more_bytes + number_at(*head, 32, 2);
      const auto rest = take(name_bytes + rest_bytes);
      if (!rest)
        return rest.error();
      if (rest->size() < name_bytes + rest_bytes)
        break;
      if ((number_at(*head, 8, 2) & utf8_flag) != 0)
        keep(rest->substr(0, name_bytes));
      keep_more(std::string_view{*rest}.substr(name_bytes, more_bytes));
    }
    return std::move(out_);
  }

private:
  /// Fewer at the end.
  caf::expected<std::string> take(std::size_t bytes) {
    if (piece_.size() - used_ < bytes && at_ < end_) {
      piece_.erase(0, used_);
      used_ = 0;
      const auto before = piece_.size();
      piece_.resize(before
                    + std::min<std::uint64_t>(piece_bytes, end_ - at_));
      const auto count =
        read_file_at(file_, path_, std::span{piece_}.subspan(before), at_);
      if (!count)
        return count.error();
      piece_.resize(before + *count);
      at_ = *count == 0 ? end_ : at_ + *count;
    }
    auto out = piece_.substr(used_, bytes);
    used_ += out.size();
    return out;
  }

  void keep(std::string_view name) {
    if (auto one = composed(name); one != name)
      out_.try_emplace(std::move(one), name);
  }

  /// The name in UTF-8 beside the one for old programs.
  void keep_more(std::string_view fields) {
    constexpr std::size_t head = 4;
    constexpr std::size_t version_and_checksum = 5;
    while (fields.size() >= head) {
      const auto bytes = number_at(fields, 2, 2);
      const auto value = fields.substr(head, bytes);
      if (number_at(fields, 0, 2) == 0x7075
          && value.size() > version_and_checksum)
        keep(value.substr(version_and_checksum));
      fields.remove_prefix(std::min<std::size_t>(head + bytes, fields.size()));
    }
  }

  const unique_fd& file_;
  const std::filesystem::path& path_;
  std::uint64_t at_; ///< what is read next
  const std::uint64_t end_;
  std::string piece_;
  std::size_t used_ = 0; ///< of the piece
  decomposed_names out_;
};

} // namespace

caf::expected<decomposed_names>
read_decomposed_names(const unique_fd& file, const std::filesystem::path& path,
                      std::string_view tail, std::uint64_t bytes) {
  const auto at = tail.rfind("PK\5\6");
  if (at == tail.npos || tail.size() - at < end_bytes)
    return decomposed_names{};
  auto end = bytes - tail.size() + at;
  auto size = number_at(tail, at + 12, 4);
  if (size == in_zip_64 && end >= end_64_bytes + locator_bytes) {
    std::string more(end_64_bytes, '\0');
    end -= end_64_bytes + locator_bytes;
    const auto count = read_file_at(file, path, more, end);
    if (!count)
      return count.error();
    if (*count < more.size() || !more.starts_with("PK\6\6"))
      return decomposed_names{};
    size = number_at(more, 40, 8);
  }
  // Whatever is before the archive, the directory is right before its end.
  if (size > end)
    return decomposed_names{};
  return directory_reader{file, path, end - size, end}.run();
}

} // namespace depositd
