#pragma once

// A bucket, with what it takes to get an answer.

#include "adapters/stores/s3/documents.hpp"
#include "adapters/stores/s3/wire.hpp"
#include "messages/ports/storage_target.hpp"

#include <filesystem>

namespace depositd::s3 {

/// S3 has no more parts of an upload, and no larger objects.
inline constexpr std::uint64_t parts_max = 10'000;
inline constexpr std::uint64_t object_bytes_max = 5ull << 40;

/// Nor longer keys, in bytes.
inline constexpr std::size_t key_bytes_max = 1'024;

/// How large the parts of a file are: as wanted, or as few bytes more, in MiB,
/// as there are parts for.
std::uint64_t part_bytes_for(std::uint64_t size, std::uint64_t wanted);

struct client_options {
  s3_place place;
  time_limits limits;
  std::uint32_t tries = 5; ///< of one request, while nothing comes through
  std::chrono::milliseconds retry_delay{200}; ///< doubles
  std::chrono::milliseconds retry_delay_max{5'000};
  std::uint64_t part_bytes = 16u << 20; ///< larger files go in parts
  /// Is told of what was put how many bytes it has, and why the bucket has no
  /// room for them; none: they are there. What fails otherwise is not told.
  /// From any thread; null: nobody is.
  std::function<void(std::uint64_t bytes, const caf::error& no_room)> put_ended;
  /// Is told why a request was given up of which the server says that it is
  /// busy, though it may answer others. As `put_ended`.
  std::function<void(const caf::error& why)> was_busy;
  /// Asked about once a second; true breaks off what is under way. From any
  /// thread; null: nothing does.
  std::function<bool()> stopped;
};

/// Keys are below the place's prefix. For several threads; every function
/// blocks. Errors: `ec::not_found` where it is said; else `ec::store_failed`,
/// with bucket, key and the server's reason.
class client {
public:
  explicit client(client_options options);

  /// Whether the bucket is there, and ours to list.
  caf::error check();

  caf::error put(const std::string& key, std::string_view bytes);

  /// Streams it; in parts if it is large. `seen` is given the file's bytes
  /// once and in order: what the server has taken is what it was given.
  /// `ec::too_large` above S3's bound.
  caf::error put_file(const std::string& key, const std::filesystem::path& file,
                      const std::function<void(std::string_view)>& seen);

  /// `ec::not_found`; `ec::too_large` if it has more bytes.
  caf::expected<std::string> get(const std::string& key, std::size_t bytes_max);

  /// Gives all bytes once and in order, over as many connections as it takes.
  /// `ec::not_found`; an error of `sink` ends it.
  caf::error read(const std::string& key,
                  const std::function<caf::error(std::string_view)>& sink);

  /// Into a new file, durably; no file if it fails. `seen` is given all bytes
  /// once and in order. `ec::not_found`; `ec::store_failed` if the file exists.
  caf::error get_file(const std::string& key, const std::filesystem::path& file,
                      const std::function<void(std::string_view)>& seen);

  /// `ec::not_found`.
  caf::expected<std::uint64_t> size_of(const std::string& key);

  /// How large it is and its tag, not its time. `ec::not_found`.
  caf::expected<listed> facts_of(const std::string& key);

  /// What begins so, in the order of keys; none that ends in '/', which stands
  /// for a folder. `ec::too_large` if there are more.
  caf::expected<std::vector<listed>> list(const std::string& prefix,
                                          std::size_t entries_max);

  /// The same, a page at a time and without a bound; an error of `take` ends
  /// it.
  caf::error each(const std::string& prefix,
                  const std::function<caf::error(const listed&)>& take);

  /// The first of what begins so, as many as there are up to a thousand.
  caf::expected<std::vector<listed>> first(const std::string& prefix,
                                           std::size_t count);

  /// Has what is archived brought back for so many days. `ec::not_found`.
  caf::expected<recall> recall_key(const std::string& key, std::uint32_t days);

  /// Nothing to remove is done.
  caf::error remove(const std::string& key);

  /// Removes it only while it has this tag (as `facts_of` tells it): false, it
  /// has another. Servers that know no such condition, and those that pass over
  /// it, remove whatever is there.
  caf::expected<bool> remove_if(const std::string& key,
                                const std::string& etag);

  /// How long keys may be, which are below the place's prefix.
  std::size_t key_bytes_left() const;

  /// What to call a key in a message.
  std::string title(const std::string& key) const;

private:
  friend class upload;

  struct list_page {
    std::string token;       ///< of the page before; empty: the first
    std::size_t entries = 0; ///< at most; 0: as many as the server likes
  };

  /// Keys without the place's prefix.
  caf::expected<listing> ask_list(const std::string& prefix,
                                  const list_page& page);

  /// With tries. A status of 2xx, or an error; `full` is made true, if it is
  /// there, where the bucket has no room.
  caf::expected<answer> ask(const request& x, bool* full = nullptr);

  void tell_put(std::uint64_t bytes, const caf::error& failure,
                bool full) const;

  /// After a failure, which it counts; false: there were enough in a row.
  bool wait(const ending& last, std::uint32_t& failures) const;

  /// Whether the answer is no good, and may be better later.
  void judge(const request& x, ending& out) const;

  /// The error for an answer that is none of 2xx.
  caf::error refused(const request& x, const answer& said,
                     const refusal& why) const;

  std::string full(const std::string& key) const;

  const client_options options_;
  wire wire_;
};

} // namespace depositd::s3
