#include "adapters/stores/objects/version_files.hpp"

#include "adapters/digests/digester.hpp"

#include <memory>
#include <span>

#include <fcntl.h>

namespace depositd::ocfl {

namespace {

constexpr std::size_t piece_bytes = 1024 * 1024;

/// A small file need not wait until so much is zero.
class piece {
public:
  std::span<char> all() {
    return {bytes_.get(), piece_bytes};
  }

  std::string_view first(std::size_t count) const {
    return {bytes_.get(), count};
  }

private:
  std::unique_ptr<char[]> bytes_ =
    std::make_unique_for_overwrite<char[]>(piece_bytes);
};

} // namespace

caf::expected<copied_file> read_all(disk& io, const std::filesystem::path& from,
                                    const std::filesystem::path& to,
                                    flushed how) {
  auto source = open_file(from, O_RDONLY | O_NOFOLLOW);
  if (!source)
    return std::move(source.error());
  unique_fd target;
  if (!to.empty()) {
    auto file = open_file(to, O_WRONLY | O_CREAT | O_EXCL);
    if (!file)
      return std::move(file.error());
    target = std::move(*file);
  }
  digester sum{digest_algorithm::sha512};
  piece buffer;
  copied_file out;
  for (;;) {
    auto count = read_file_at(*source, from, buffer.all(), out.bytes);
    if (!count)
      return std::move(count.error());
    if (*count == 0)
      break;
    sum.add(buffer.first(*count));
    iovec part{buffer.all().data(), *count};
    if (target)
      if (const auto code = io.write(target.value(), {&part, 1}, out.bytes))
        return file_failed("write", to, code);
    out.bytes += *count;
  }
  if (target && how == flushed::with_the_file)
    if (const auto code = io.sync(target.value()))
      return file_failed("sync", to, code);
  out.sha512 = sum.finish().value;
  return out;
}

caf::error give_all(const std::filesystem::path& from,
                    const std::function<caf::error(std::string_view)>& sink) {
  const auto source = open_file(from, O_RDONLY | O_NOFOLLOW);
  if (!source)
    return source.error();
  piece buffer;
  for (std::uint64_t at = 0;;) {
    const auto count = read_file_at(*source, from, buffer.all(), at);
    if (!count)
      return count.error();
    if (*count == 0)
      return {};
    if (auto failure = sink(buffer.first(*count)))
      return failure;
    at += *count;
  }
}

std::string sha512_hex(std::string_view bytes) {
  digester sum{digest_algorithm::sha512};
  sum.add(bytes);
  return sum.finish().value;
}

} // namespace depositd::ocfl
