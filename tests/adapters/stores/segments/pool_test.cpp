// The filler of fresh segments against the appending thread.

#include "adapters/stores/segments/segment_pool.hpp"
#include "adapters/stores/segments/segments.hpp"
#include "tests/support/temporary_folder.hpp"

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <map>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace depositd::segments {

namespace {

constexpr std::uint64_t segment_bytes = 64ULL * 1024 * 1024;
constexpr std::size_t piece_bytes_min = 64 * 1024; // all else is smaller

/// Counts the pieces that were filled, by file. Keeps no promise, and files
/// take no space before they are written to.
class counting_disk : public disk {
public:
  int write(int fd, std::span<iovec> parts, std::uint64_t offset) override {
    const auto size = parts.front().iov_len;
    const auto out = disk::write(fd, parts, offset);
    const std::lock_guard guard{mutex_};
    if (size >= piece_bytes_min)
      written_ = fd;
    return out;
  }

  int sync(int fd) override {
    const std::lock_guard guard{mutex_};
    if (std::exchange(written_, -1) == fd) {
      ++pieces_[fd];
      ++total_;
      changed_.notify_all();
    }
    return 0;
  }

  int sync_names(int) override {
    return 0;
  }

  int allocate(int fd, std::uint64_t bytes) override {
    if (bytes > room_left)
      return ENOSPC;
    return ::ftruncate(fd, static_cast<off_t>(bytes)) == 0 ? 0 : errno;
  }

  std::uint64_t room(int) override {
    return room_left;
  }

  /// Pieces of all files.
  std::uint64_t total() {
    const std::lock_guard guard{mutex_};
    return total_;
  }

  std::uint64_t pieces(int fd) {
    const std::lock_guard guard{mutex_};
    return pieces_[fd];
  }

  /// False if it takes more than 20 s.
  bool await_more_than(std::uint64_t total) {
    std::unique_lock held{mutex_};
    return changed_.wait_for(held, std::chrono::seconds{20},
                             [&] { return total_ > total; });
  }

  /// The next piece, or a moment without one.
  void await_piece() {
    std::unique_lock held{mutex_};
    changed_.wait_for(held, std::chrono::milliseconds{8},
                      [&, before = total_] { return total_ > before; });
  }

  std::atomic<std::uint64_t> room_left = ~std::uint64_t{0};

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int, std::uint64_t> pieces_;
  std::uint64_t total_ = 0;
  int written_ = -1; // and not yet synced
};

} // namespace

/// Between two pieces the filler pauses. The appending thread may take the
/// segment just then, and there is nothing left to fill.
TEST(segment_pool_test, a_segment_taken_while_its_filler_pauses_is_let_alone) {
  const temporary_folder home{temporary_folder::fast_base()};
  counting_disk io;
  manifest_file names{io, home.path() / manifest_name, {}};
  segment_pool pool{io, names, {home.path(), 0, segment_bytes, 0}, {}, {}};
  std::vector<std::pair<segment_ptr, std::uint64_t>> taken;
  for (auto round = 0; round < 20; ++round) {
    const auto before = io.total();
    pool.prepare();
    ASSERT_TRUE(io.await_more_than(before));
    // Whoever waits for the lock behind the filler finds it pausing.
    while (pool.disk_bytes() < segment_bytes)
      ;
    auto segment = pool.take(segment_bytes);
    ASSERT_TRUE(segment);
    const auto pieces = io.pieces((*segment)->file.value());
    taken.emplace_back(std::move(*segment), pieces);
  }
  for (const auto& [segment, pieces] : taken)
    EXPECT_EQ(io.pieces(segment->file.value()), pieces);
}

/// Whoever begins to work with a new log soon comes to segments that were
/// filled before: the first are small.
TEST(segment_pool_test, a_new_log_begins_with_small_segments) {
  const temporary_folder home{temporary_folder::fast_base()};
  counting_disk io;
  manifest_file names{io, home.path() / manifest_name, {}};
  constexpr std::uint64_t first = 16 * page_bytes;
  segment_pool pool{
    io, names, {home.path(), 0, 4 * first, 0, first}, {}, {}};
  for (const auto times : {1, 2, 4, 4, 4}) {
    const auto segment = pool.take(2 * page_bytes);
    ASSERT_TRUE(segment);
    EXPECT_EQ((*segment)->header.capacity, times * first);
  }
}

TEST(segment_pool_test, a_group_that_needs_more_gets_it_in_a_new_log_too) {
  const temporary_folder home{temporary_folder::fast_base()};
  counting_disk io;
  manifest_file names{io, home.path() / manifest_name, {}};
  constexpr std::uint64_t first = 16 * page_bytes;
  segment_pool pool{
    io, names, {home.path(), 0, 4 * first, 0, first}, {}, {}};
  const auto large = pool.take(9 * first);
  ASSERT_TRUE(large);
  EXPECT_EQ((*large)->header.capacity, 9 * first);
  const auto next = pool.take(2 * page_bytes);
  ASSERT_TRUE(next);
  EXPECT_EQ((*next)->header.capacity, 2 * first);
}

/// A disk that was full once and has less free than a segment takes: the open
/// segment is never dropped, so it would stay like that for ever.
TEST(segment_pool_test, segments_are_smaller_where_the_disk_has_less) {
  const temporary_folder home{temporary_folder::fast_base()};
  counting_disk io;
  manifest_file names{io, home.path() / manifest_name, {.newest = 9}};
  constexpr std::uint64_t first = 16 * page_bytes;
  constexpr std::uint64_t usual = 16 * first;
  segment_pool pool{io, names, {home.path(), 0, usual, 0, first}, {}, {}};
  io.room_left = usual;
  for (const auto& [room, taken] :
       {std::pair{usual, usual}, std::pair{usual - 1, usual / 4},
        std::pair{usual / 2, usual / 4}, std::pair{2 * first, first}}) {
    io.room_left = room;
    const auto segment = pool.take(2 * page_bytes);
    ASSERT_TRUE(segment) << room;
    EXPECT_EQ((*segment)->header.capacity, taken) << room;
  }
  io.room_left = 2 * first - 1;
  EXPECT_FALSE(pool.take(2 * page_bytes)) << "the rest is the tables'";
  io.room_left = 4 * first;
  const auto large = pool.take(2 * first - 1);
  ASSERT_TRUE(large);
  EXPECT_EQ((*large)->header.capacity, 2 * first);
  EXPECT_FALSE(pool.take(2 * first + 1));
}

/// An engine that is never idle would else write all of its first segments
/// where nothing has been written before, which costs twice the time.
TEST(segment_pool_test, the_next_segment_is_filled_while_groups_are_appended) {
  const temporary_folder home{temporary_folder::fast_base()};
  counting_disk io;
  constexpr std::uint64_t mib = 1024 * 1024;
  segments_options options;
  options.folder = home.path() / "journal";
  options.segment_bytes = 64 * mib; // the first is of 4 MiB
  options.io = &io;
  auto store = open_segments(options);
  ASSERT_TRUE(store);
  constexpr std::uint64_t next_pieces = 8 * mib / (256 * 1024);
  const std::string group(1'000, 'g');
  // The first is enough; nothing is appended to the next.
  for (auto i = 0; i < 900 && io.total() < next_pieces; ++i) {
    ASSERT_TRUE((*store)->append(group, 1, {}));
    io.await_piece();
  }
  EXPECT_EQ(io.total(), next_pieces);
}

/// What was taken has to be worked off, which takes room in the log too: small
/// segments are for that, until nothing is left that needs it.
TEST(segment_pool_test, small_segments_take_no_more_than_they_see_to_its_end) {
  const temporary_folder home{temporary_folder::fast_base()};
  counting_disk io;
  constexpr std::uint64_t mib = 1024 * 1024;
  segments_options options;
  options.folder = home.path() / "journal";
  options.segment_bytes = 64 * mib; // the first are of 4, 8 and 16 MiB
  options.io = &io;
  const auto store = open_segments(options);
  ASSERT_TRUE(store);
  const std::string group(mib / 2, 'g');
  const auto fill_segment = [&] {
    for (const auto before = (*store)->segments().size();
         (*store)->segments().size() == before;)
      ASSERT_TRUE((*store)->append(group, 1, {}));
  };
  fill_segment(); // begins the first
  fill_segment();
  io.room_left = 8 * mib;
  fill_segment();
  ASSERT_EQ((*store)->segments().size(), 3u);
  ASSERT_TRUE((*store)->append(group, 1, {})); // asks for the next
  while ((*store)->disk_bytes() < (4 + 8 + 4 + 4) * mib)
    ; // the next is made ready by another thread
  EXPECT_TRUE((*store)->nearly_full());
  io.room_left = 64 * mib;
  EXPECT_FALSE((*store)->nearly_full()) << "the next one is large";
  io.room_left = 8 * mib;
  EXPECT_TRUE((*store)->nearly_full());
  EXPECT_FALSE((*store)->drop(1));
  EXPECT_TRUE((*store)->nearly_full());
  EXPECT_FALSE((*store)->drop(2));
  EXPECT_FALSE((*store)->nearly_full()) << "all has been worked off";
}

} // namespace depositd::segments
