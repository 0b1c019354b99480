// Files on their way into a bucket and out of it.

#include "adapters/digests/digester.hpp"
#include "adapters/stores/files/file.hpp"
#include "adapters/stores/s3/client.hpp"
#include "messages/values/uuid.hpp"

#include <algorithm>

#include <fcntl.h>
#include <sys/stat.h>

namespace depositd::s3 {

namespace {

constexpr std::size_t piece_bytes = 1024 * 1024;
constexpr std::uint64_t mib = 1u << 20;

} // namespace

std::uint64_t part_bytes_for(std::uint64_t size, std::uint64_t wanted) {
  return size <= wanted * parts_max ? wanted
                                    : ((size - 1) / parts_max / mib + 1) * mib;
}

/// One file.
class upload {
public:
  upload(client& to, const std::string& key, const std::filesystem::path& file,
         const std::function<void(std::string_view)>& seen)
    : to_(to), key_(key), path_(file), seen_(seen) {
    // nop
  }

  caf::error run() {
    auto file = open_file(path_, O_RDONLY | O_NOFOLLOW);
    if (!file)
      return std::move(file.error());
    file_ = std::move(*file);
    struct stat facts {};
    if (::fstat(file_.value(), &facts) != 0)
      return file_failed("read", path_, errno);
    size_ = static_cast<std::uint64_t>(facts.st_size);
    if (size_ > object_bytes_max)
      return caf::make_error(ec::too_large, path_.string()
                                              + " has more than 5 TiB, which "
                                                "is all that S3 takes");
    auto failure =
      size_ <= to_.options_.part_bytes ? send_whole() : send_parts();
    to_.tell_put(size_, failure, full_);
    if (failure && !id_.empty())
      abort();
    return failure;
  }

private:
  caf::error send_whole() {
    auto body = outgoing_of(0, size_);
    if (!body)
      return std::move(body.error());
    request x;
    x.method = "PUT";
    x.key = to_.full(key_);
    x.body = std::move(*body);
    const auto said = to_.ask(x, &full_);
    return said ? caf::error{} : said.error();
  }

  caf::error send_parts() {
    if (auto failure = begin())
      return failure;
    const auto bytes = part_bytes_for(size_, to_.options_.part_bytes);
    std::vector<std::string> tags;
    for (std::uint64_t from = 0; from < size_; from += bytes) {
      auto tag =
        send_part(tags.size() + 1, from, std::min(bytes, size_ - from));
      if (!tag)
        return std::move(tag.error());
      tags.push_back(std::move(*tag));
    }
    return complete(tags);
  }

  caf::error begin() {
    request x;
    x.method = "POST";
    x.key = to_.full(key_);
    x.query = "uploads=";
    x.headers = {std::string{mark_header} + ": " + mark_};
    const auto said = to_.ask(x, &full_);
    if (!said)
      return said.error();
    auto id = read_upload_id(said->body);
    if (!id)
      return std::move(id.error());
    id_ = std::move(*id);
    return {};
  }

  caf::expected<std::string> send_part(std::size_t number, std::uint64_t from,
                                       std::uint64_t bytes) {
    auto body = outgoing_of(from, bytes);
    if (!body)
      return std::move(body.error());
    request x;
    x.method = "PUT";
    x.key = to_.full(key_);
    x.query = "partNumber=" + std::to_string(number)
              + "&uploadId=" + encoded(id_, false);
    x.body = std::move(*body);
    auto said = to_.ask(x, &full_);
    if (!said)
      return std::move(said.error());
    if (said->etag.empty())
      return caf::make_error(ec::store_failed,
                             to_.title(key_) + ": a part got no tag");
    return std::move(said->etag);
  }

  caf::error complete(const std::vector<std::string>& tags) {
    const auto text = write_completion(tags);
    digester sum{digest_algorithm::sha256};
    sum.add(text);
    request x;
    x.method = "POST";
    x.key = to_.full(key_);
    x.query = "uploadId=" + encoded(id_, false);
    x.headers = {"Content-Type: application/xml"};
    x.slow_answer = true;
    x.body =
      outgoing{text.size(), sum.finish().value,
               [&](std::span<char> into, std::uint64_t offset) {
                 std::copy_n(text.data() + offset, into.size(), into.data());
                 return caf::error{};
               }};
    const auto said = to_.ask(x, &full_);
    if (said)
      return {};
    if (said.error() != ec::not_found)
      return said.error();
    // It is over: if it is done, an answer was lost.
    return is_done() ? caf::error{}
                     : caf::make_error(ec::store_failed, render(said.error()));
  }

  bool is_done() {
    request x;
    x.method = "HEAD";
    x.key = to_.full(key_);
    const auto said = to_.ask(x);
    return said && said->mark == mark_;
  }

  /// What cannot be taken back now is for the bucket's own rules.
  void abort() {
    request x;
    x.method = "DELETE";
    x.key = to_.full(key_);
    x.query = "uploadId=" + encoded(id_, false);
    static_cast<void>(to_.ask(x));
  }

  /// A stretch of the file. It is read once for its digest, and again for each
  /// try: what is sent is what the digest says, or the server refuses it.
  caf::expected<outgoing> outgoing_of(std::uint64_t from, std::uint64_t bytes) {
    digester sum{digest_algorithm::sha256};
    std::vector<char> piece(std::min<std::uint64_t>(piece_bytes, bytes));
    for (std::uint64_t done = 0; done < bytes; done += piece.size()) {
      piece.resize(std::min<std::uint64_t>(piece_bytes, bytes - done));
      if (auto failure = fill(piece, from + done))
        return failure;
      sum.add({piece.data(), piece.size()});
      if (seen_)
        seen_({piece.data(), piece.size()});
    }
    return outgoing{bytes, sum.finish().value,
                    [this, from](std::span<char> into, std::uint64_t offset) {
                      return fill(into, from + offset);
                    }};
  }

  caf::error fill(std::span<char> into, std::uint64_t offset) const {
    const auto count = read_file_at(file_, path_, into, offset);
    if (!count)
      return count.error();
    return *count == into.size()
             ? caf::error{}
             : caf::make_error(ec::store_failed,
                               path_.string() + " was cut while it was read");
  }

  client& to_;
  const std::string& key_;
  const std::filesystem::path& path_;
  const std::function<void(std::string_view)>& seen_;
  unique_fd file_;
  std::uint64_t size_ = 0;
  const std::string mark_ = random_uuid();
  std::string id_; ///< what the server calls it; empty: not begun
  bool full_ = false; ///< the bucket has no room for it
};

caf::error client::get_file(const std::string& key,
                            const std::filesystem::path& file,
                            const std::function<void(std::string_view)>& seen) {
  auto to = open_file(file, O_WRONLY | O_CREAT | O_EXCL);
  if (!to)
    return std::move(to.error());
  auto& io = system_disk();
  std::uint64_t at = 0;
  auto failure = read(key, [&](std::string_view bytes) -> caf::error {
    if (seen)
      seen(bytes);
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    if (const auto code = io.write(to->value(), {&part, 1}, at))
      return file_failed("write", file, code);
    at += bytes.size();
    return {};
  });
  if (!failure)
    if (const auto code = io.sync(to->value()))
      failure = file_failed("sync", file, code);
  std::error_code ignored;
  if (failure)
    std::filesystem::remove(file, ignored);
  return failure;
}

caf::error client::put_file(const std::string& key,
                            const std::filesystem::path& file,
                            const std::function<void(std::string_view)>& seen) {
  return upload{*this, key, file, seen}.run();
}

} // namespace depositd::s3
