#include "adapters/fetching/partial_file.hpp"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

namespace depositd {

namespace {

namespace fs = std::filesystem;

fs::path part_of(fs::path path) {
  path += ".part";
  return path;
}

caf::error differs(const std::string& text) {
  return caf::make_error(ec::store_damaged, text);
}

} // namespace

partial_file::partial_file(const download_request& x, disk_floor& floor)
  : x_(x), floor_(floor), path_(part_of(x.to)) {
  reset_digests();
}

void partial_file::reset_digests() {
  digests_.clear();
  for (const auto algorithm : x_.wanted)
    digests_.emplace_back(algorithm);
  if (x_.expected)
    digests_.emplace_back(x_.expected->algorithm);
  bytes_ = 0;
}

caf::error partial_file::open() {
  auto file = open_file(path_, O_RDWR | O_CREAT | O_NOFOLLOW);
  if (!file)
    return std::move(file.error());
  file_ = std::move(*file);
  if (!x_.expected)
    return restart();
  std::vector<char> buffer(1024 * 1024);
  for (;;) {
    auto count = read_file_at(file_, path_, buffer, bytes_);
    if (!count)
      return std::move(count.error());
    if (*count == 0)
      return {};
    for (auto& each : digests_)
      each.add({buffer.data(), *count});
    bytes_ += *count;
  }
}

caf::error partial_file::admit(std::uint64_t total) const {
  if (total <= x_.bytes_max)
    return {};
  return caf::make_error(ec::too_large, "the file has more than "
                                          + std::to_string(x_.bytes_max)
                                          + " bytes");
}

caf::error partial_file::append(std::string_view bytes) {
  const auto total = bytes_ + bytes.size();
  if (is_known_by_size() && total > *x_.size)
    return differs("the file has more than " + std::to_string(*x_.size)
                   + " bytes");
  if (auto wrong = admit(total))
    return wrong;
  if (auto full = floor_.take(path_.parent_path(), bytes.size())) {
    has_filled_disk_ = true;
    return full;
  }
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  if (const auto code =
        system_disk().write(file_.value(), {&part, 1}, bytes_)) {
    has_filled_disk_ = code == ENOSPC || code == EDQUOT;
    return file_failed("write", path_, code);
  }
  for (auto& each : digests_)
    each.add(bytes);
  bytes_ += bytes.size();
  return {};
}

caf::error partial_file::restart() {
  reset_digests();
  return ::ftruncate(file_.value(), 0) == 0
           ? caf::error{}
           : file_failed("write", path_, errno);
}

caf::expected<download_result> partial_file::complete() {
  download_result out;
  out.bytes = bytes_;
  for (auto& each : digests_)
    out.digests.push_back(each.finish());
  if (x_.expected) {
    const auto found = std::move(out.digests.back());
    out.digests.pop_back();
    if (found != *x_.expected)
      return differs("the " + std::string{digest_name(found.algorithm)} + " is "
                     + found.value + ", not " + x_.expected->value);
  } else if (x_.size && *x_.size != bytes_) {
    return differs("the file has " + std::to_string(bytes_) + " bytes, not "
                   + std::to_string(*x_.size));
  }
  if (const auto code = system_disk().sync(file_.value()))
    return file_failed("sync", path_, code);
  if (std::rename(path_.c_str(), x_.to.c_str()) != 0)
    return file_failed("rename to", x_.to, errno);
  if (auto failure = sync_folder(system_disk(), x_.to.parent_path()))
    return failure;
  return out;
}

} // namespace depositd
