#include "adapters/stores/segments/segment_file.hpp"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <random>

#include <fcntl.h>
#include <sys/stat.h>

namespace depositd::segments {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view suffix = ".segment";

std::string numbered(const char* prefix, std::uint64_t number) {
  char text[64];
  std::snprintf(text, sizeof(text), "%s%012llu.segment", prefix,
                static_cast<unsigned long long>(number));
  return text;
}

caf::error refused(const fs::path& path, ec code, const std::string& why) {
  return caf::make_error(code, path.string() + ": " + why);
}

} // namespace

std::string segment_name(std::uint64_t number) {
  return numbered("journal-", number);
}

std::string spare_name(std::uint64_t number) {
  return numbered("spare-", number);
}

std::optional<std::uint64_t> number_in(std::string_view name,
                                       std::string_view prefix) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix))
    return std::nullopt;
  name.remove_prefix(prefix.size());
  name.remove_suffix(suffix.size());
  std::uint64_t number = 0;
  const auto* end = name.data() + name.size();
  const auto result = std::from_chars(name.data(), end, number);
  if (result.ec != std::errc{} || result.ptr != end)
    return std::nullopt;
  return number;
}

caf::expected<segment_ptr> open_segment(const fs::path& folder,
                                        std::uint64_t number,
                                        std::uint32_t shard, bool for_looking) {
  auto path = folder / segment_name(number);
  auto file = open_file(path, for_looking ? O_RDONLY : O_RDWR);
  if (!file)
    return std::move(file.error());
  std::string page(page_bytes, '\0');
  auto count = read_file_at(*file, path, page, 0);
  if (!count)
    return std::move(count.error());
  page.resize(*count);
  auto header = decode_segment_header(page);
  if (!header)
    return refused(path, static_cast<ec>(header.error().code()),
                   render(header.error()));
  if (header->shard != shard)
    return refused(path, ec::store_failed,
                   "it belongs to shard " + std::to_string(header->shard)
                     + ", not to shard " + std::to_string(shard));
  if (header->number != number)
    return refused(path, ec::store_damaged,
                   "it is segment " + std::to_string(header->number));
  struct stat facts {};
  if (::fstat(file->value(), &facts) != 0)
    return file_failed("read", path, errno);
  if (static_cast<std::uint64_t>(facts.st_size) < header->capacity)
    return refused(path, ec::store_damaged,
                   "it ends at byte " + std::to_string(facts.st_size)
                     + " instead of " + std::to_string(header->capacity));
  return std::make_shared<const segment_file>(
    segment_file{std::move(*file), std::move(path), *header});
}

caf::error begin_segment(disk& io, const unique_fd& file, const fs::path& path,
                         const segment_header& header) {
  auto page = encode(header);
  iovec part{page.data(), page.size()};
  if (const auto code = io.write(file.value(), {&part, 1}, 0))
    return file_failed("write", path, code);
  if (const auto code = io.sync(file.value()))
    return file_failed("sync", path, code);
  return {};
}

std::uint64_t random_nonce() {
  std::random_device source;
  return std::uint64_t{source()} << 32 | source();
}

} // namespace depositd::segments
