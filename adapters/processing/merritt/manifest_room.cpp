#include "adapters/processing/merritt/manifest_room.hpp"

#include "adapters/stores/files/file.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fcntl.h>

namespace depositd::merritt {

namespace {

/// 0 for a file that cannot be read: whoever reads it will say so.
std::uint64_t lines_of(const std::filesystem::path& path) {
  std::uint64_t out = 0;
  const auto file = open_file(path, O_RDONLY);
  if (!file)
    return out;
  std::array<char, 64 * 1024> part;
  std::uint64_t at = 0;
  for (;;) {
    const auto count = read_file_at(*file, path, part, at);
    if (!count || *count == 0)
      return out;
    out += static_cast<std::uint64_t>(
      std::count(part.begin(), part.begin() + *count, '\n'));
    at += *count;
  }
}

} // namespace

manifest_room::place::place(manifest_room* of, std::string user,
                            std::uint64_t bytes)
  : of_(of), user_(std::move(user)), bytes_(bytes) {
  // nop
}

manifest_room::place::place(place&& other) noexcept
  : of_(std::exchange(other.of_, nullptr)), user_(std::move(other.user_)),
    bytes_(other.bytes_) {
  // nop
}

manifest_room::place::~place() {
  if (of_ != nullptr && bytes_ > 0)
    of_->leave(user_, bytes_);
}

bool manifest_room::is_small(std::uint64_t cost) const {
  return cost <= bytes_max_ / 32;
}

bool manifest_room::has_room(const std::string& user,
                             std::uint64_t cost) const {
  const auto more = counted(cost);
  const auto own = of_users_.find(user);
  return bytes_ + more <= bytes_max_
         && (own == of_users_.end() || own->second + more <= bytes_max_ / 2);
}

std::optional<manifest_room::place>
manifest_room::enter(const std::string& user, std::uint64_t cost) {
  if (is_small(cost))
    return place{this, user, 0};
  const std::lock_guard guard{mutex_};
  if (!has_room(user, cost))
    return std::nullopt;
  bytes_ += counted(cost);
  of_users_[user] += counted(cost);
  return place{this, user, counted(cost)};
}

std::optional<manifest_room::place>
manifest_room::enter_with(const std::string& user,
                          const std::filesystem::path& manifest) {
  std::error_code code;
  const auto bytes = std::filesystem::file_size(manifest, code);
  if (code)
    return enter(user, 0);
  // Who waits comes again and again, and is not to read it each time.
  if (const auto least = manifest_cost(bytes, 0); !is_small(least)) {
    const std::lock_guard guard{mutex_};
    if (!has_room(user, least))
      return std::nullopt;
  }
  return enter(user, manifest_cost(bytes, lines_of(manifest)));
}

void manifest_room::leave(const std::string& user,
                          std::uint64_t bytes) noexcept {
  const std::lock_guard guard{mutex_};
  bytes_ -= bytes;
  const auto own = of_users_.find(user);
  own->second -= bytes;
  if (own->second == 0)
    of_users_.erase(own);
}

} // namespace depositd::merritt
