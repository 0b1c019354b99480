#pragma once

// Memory for the rows of object manifests, which a depositor makes as many as
// they like: a job has them all in memory while it asks for their sizes or
// fetches them, which may take hours.

#include "messages/values/errors.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace depositd::merritt {

/// What a manifest takes at most while it is read and worked on, bytes.
/// Measured: its text and its names once more, and a row of 200 bytes 560.
constexpr std::uint64_t manifest_cost(std::uint64_t bytes,
                                      std::uint64_t lines) {
  return 2 * bytes + 640 * lines;
}

/// Any thread. Who finds no room comes again later: nobody waits here, as rooms
/// are taken for hours.
class manifest_room {
public:
  explicit manifest_room(std::uint64_t bytes_max) : bytes_max_(bytes_max) {
    // nop
  }

  manifest_room(const manifest_room&) = delete;
  manifest_room& operator=(const manifest_room&) = delete;

  /// Room for one manifest, until it is destroyed. Not longer than the room.
  class place {
  public:
    ~place();
    place(place&& other) noexcept;
    place& operator=(place&&) = delete;

  private:
    friend manifest_room;
    place(manifest_room* of, std::string user, std::uint64_t bytes);

    manifest_room* of_;
    std::string user_;
    std::uint64_t bytes_; ///< that are counted
  };

  /// Small ones get in, as workers bound their number. Of the others those of
  /// one depositor take half of the room, and all together the whole; one that
  /// is larger than half counts as half, so that it gets in at all.
  std::optional<place> enter(const std::string& user, std::uint64_t cost);

  /// The same, if the manifest that is there costs no more than that.
  std::optional<place> enter_with(const std::string& user,
                                  const std::filesystem::path& manifest);

private:
  bool is_small(std::uint64_t cost) const;
  bool has_room(const std::string& user, std::uint64_t cost) const;
  void leave(const std::string& user, std::uint64_t bytes) noexcept;

  std::uint64_t counted(std::uint64_t cost) const {
    return cost < bytes_max_ / 2 ? cost : bytes_max_ / 2;
  }

  const std::uint64_t bytes_max_;
  mutable std::mutex mutex_;
  std::uint64_t bytes_ = 0;
  std::map<std::string, std::uint64_t> of_users_; ///< who have any
};

} // namespace depositd::merritt
