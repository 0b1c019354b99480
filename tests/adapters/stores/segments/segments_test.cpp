#include "adapters/stores/segments/recovery.hpp"
#include "tests/adapters/stores/segments/segments_fixture.hpp"

#include <thread>

namespace depositd {

namespace {

class segment_journal : public segments_fixture {};

} // namespace

TEST(crc32c, is_the_castagnoli_one) {
  EXPECT_EQ(segments::crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(segments::crc32c("6789", segments::crc32c("12345")), 0xe3069283u);
  EXPECT_EQ(segments::crc32c(""), 0u);
}

TEST(segment_state, knows_where_each_of_the_newest_groups_begins) {
  segments::segment_state state;
  std::vector<std::uint64_t> places;
  for (sequence x = 1; x <= 2'000; x += 2) {
    segments::group_header header;
    header.events = 2;
    header.first = x;
    header.offset = state.used;
    places.push_back(state.used);
    state.add(header);
  }
  // Who follows the log reads nothing twice.
  for (sequence x = 1'900; x <= 2'000; ++x)
    EXPECT_EQ(state.begin_of(x), places[(x - 1) / 2]) << x;
  for (sequence x = 1; x < 1'900; ++x) {
    EXPECT_LE(state.begin_of(x), places[(x - 1) / 2]) << x;
    EXPECT_GE(state.begin_of(x) + 256 * 1024, places[(x - 1) / 2]) << x;
  }
  EXPECT_LE(state.newest.size(), 65u);
}

TEST_F(segment_journal, belongs_to_one_engine_at_a_time) {
  auto store = must_open();
  expect_refused(ec::store_failed, {"in use by another engine"});
  store.reset();
  must_open();
}

TEST_F(segment_journal, refuses_segment_sizes_that_make_no_sense) {
  for (const auto bytes : {0ULL, 4096ULL, 4ULL << 30}) {
    options.segment_bytes = bytes;
    expect_refused(ec::bad_setting, {"segment_bytes"});
  }
}

TEST_F(segment_journal, refuses_a_folder_that_cannot_be_made) {
  write(home.path() / "file", "");
  options.folder = home.path() / "file" / "journal";
  expect_refused(ec::store_failed, {"file"});
}

TEST_F(segment_journal, opens_with_another_segment_size) {
  append(*must_open(), 8);
  options.segment_bytes = 2 * small_segment_bytes;
  append(*must_open(), 20);
  options.segment_bytes = small_segment_bytes / 2;
  const auto store = must_open();
  append(*store, 10);
  EXPECT_EQ(check(*store), 38u);
}

TEST_F(segment_journal, reuses_the_file_of_a_dropped_segment) {
  const auto store = must_open();
  append(*store, 7);
  EXPECT_FALSE(store->drop(1));
  EXPECT_TRUE(std::filesystem::exists(file(segments::spare_name(1))));
  append(*store, 10);
  EXPECT_FALSE(std::filesystem::exists(file(segments::spare_name(1))));
}

TEST_F(segment_journal, reuses_it_also_when_it_has_been_opened_again) {
  auto store = must_open();
  append(*store, 7);
  EXPECT_FALSE(store->drop(1));
  EXPECT_TRUE(std::filesystem::exists(file(segments::spare_name(1))));
  store.reset();
  store = must_open();
  append(*store, 10);
  EXPECT_FALSE(std::filesystem::exists(file(segments::spare_name(1))));
}

TEST_F(segment_journal, deletes_more_spares_than_it_may_keep) {
  const auto store = must_open();
  append(*store, 20);
  while (store->segments().size() > 1)
    EXPECT_FALSE(store->drop(store->segments().front().number));
  // What is written to, what comes next, and one spare; which of them depends
  // on whether the next was made before or after.
  EXPECT_LE(store->disk_bytes(), 3 * small_segment_bytes);
}

TEST_F(segment_journal, never_shows_what_a_recycled_file_held_before) {
  for (auto round = 0; round < 12; ++round) {
    const auto store = must_open();
    const auto last = store->last();
    append(*store, 4);
    while (store->segments().size() > 1)
      EXPECT_FALSE(store->drop(store->segments().front().number));
    EXPECT_EQ(store->last(), last + 4);
    check(*store);
  }
}

TEST_F(segment_journal, does_not_reuse_a_file_that_is_being_read) {
  // Larger than what is read at once.
  options.segment_bytes = 4ULL * 1024 * 1024;
  const auto store = must_open();
  const auto bytes = [](sequence number) {
    return std::string(700'000, static_cast<char>('a' + number % 26));
  };
  const auto append_large = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_TRUE(store->append(bytes(store->last() + 1), 1, {}));
  };
  append_large(9);
  sequence next = 1;
  const auto failed = store->read(1, [&](const stored_group& x) {
    EXPECT_EQ(x.first, next++);
    EXPECT_EQ(x.bytes, bytes(x.first));
    if (x.first == 1) {
      EXPECT_FALSE(store->drop(1));
      append_large(20);
    }
    return true;
  });
  EXPECT_FALSE(failed) << render(failed);
  EXPECT_EQ(next, 10u);
}

TEST_F(segment_journal, does_not_mistake_what_is_in_a_body_for_a_group) {
  // Somebody hands in a copy of a journal, placed so that a group of it is
  // where one of ours might be.
  auto theirs = options;
  theirs.folder = home.path() / "theirs";
  append(**open_segments(theirs), 3);
  const auto foreign = *read_file(theirs.folder / segments::segment_name(1));
  const auto own = 4096 - sizeof(segments::group_header);
  {
    const auto store = must_open();
    const auto body = std::string(own, '.') + foreign.substr(8192, 4096);
    ASSERT_TRUE(store->append(body, 1, {}));
  }
  ASSERT_EQ(files().at(segments::segment_name(1)).substr(8192, 4096),
            foreign.substr(8192, 4096));
  overwrite(segment(1), 4096, "torn");
  const auto store = must_open();
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(store->last(), 0u);
}

TEST_F(segment_journal, clears_what_a_crash_left_half_made) {
  append(*must_open(), 8);
  const auto before = files();
  {
    const auto store = must_open();
    EXPECT_FALSE(store->drop(1));
  }
  // As if it had died before the dropped file was renamed, and while a new
  // segment and a new manifest were on their way.
  std::filesystem::remove(file(segments::spare_name(1)));
  write(segment(1), before.at(segments::segment_name(1)));
  write(file("fresh.tmp"), "half");
  write(file("journal.meta.tmp"), "half");
  const auto store = must_open();
  EXPECT_EQ(store->segments().front().number, 2u);
  EXPECT_EQ(check(*store), 5u);
  EXPECT_FALSE(std::filesystem::exists(file("fresh.tmp")));
  EXPECT_TRUE(std::filesystem::exists(file(segments::spare_name(1))));
}

TEST_F(segment_journal, takes_up_a_segment_that_the_manifest_does_not_name) {
  append(*must_open(), 3);
  segments::manifest names;
  {
    const auto text = read_file(file(segments::manifest_name));
    names = *segments::decode_manifest(*text);
  }
  // It died between the rename of the segment and the new manifest.
  const segments::segment_header header{
    .number = names.newest + 1, .capacity = small_segment_bytes, .nonce = 1};
  auto bytes = segments::encode(header);
  bytes.resize(small_segment_bytes);
  write(segment(header.number), bytes);
  append(*must_open(), 10);
  EXPECT_EQ(check(*must_open()), 13u);
}

TEST_F(segment_journal, refuses_a_group_that_is_too_large) {
  const auto store = must_open();
  const std::string one(1024, 'x');
  const std::string_view huge{one.data(), (1ULL << 30) + 1}; // never read
  EXPECT_EQ(store->append(huge, 1, {}).error(), ec::too_large);
  append(*store, 1);
}

TEST_F(segment_journal, makes_room_for_watermarks_of_many_partitions) {
  const auto store = must_open();
  std::vector<watermark> watermarks;
  for (auto i = 0; i < 2000; ++i)
    watermarks.push_back({"topic/" + std::to_string(1000 + i), i});
  // Every segment begins with all of them, so each is larger than it would be.
  ASSERT_TRUE(store->append(body(1), 1, watermarks));
  append(*store, 40);
  EXPECT_EQ(check(*store), 41u);
  while (store->segments().size() > 1)
    EXPECT_FALSE(store->drop(store->segments().front().number));
  EXPECT_EQ(store->watermarks().size(), 2001u);
}

TEST_F(segment_journal, is_copied_while_it_goes_on) {
  const auto store = must_open();
  append(*store, 10);
  EXPECT_FALSE(store->drop(2));
  const auto last = store->last();
  const auto copy = home.path() / "copy";
  std::thread writer{[&] { append(*store, 50); }};
  const auto failed = store->backup(copy);
  writer.join();
  EXPECT_FALSE(failed) << render(failed);
  EXPECT_EQ(store->backup(copy), ec::already_exists);
  auto other = options;
  other.folder = copy;
  const auto copied = open_segments(other);
  ASSERT_TRUE(copied) << render(copied.error());
  EXPECT_GE((*copied)->last(), last);
  EXPECT_LE((*copied)->last(), store->last());
  EXPECT_GT((*copied)->epoch(), store->epoch());
  append(**copied, 10);
  const auto show = [](const stored_group& x) {
    EXPECT_EQ(x.bytes, body(x.first));
    return true;
  };
  EXPECT_FALSE((*copied)->read((*copied)->segments()[1].first, show));
}

TEST_F(segment_journal, gives_no_epoch_in_a_copy_that_came_after_it) {
  const auto copy = home.path() / "copy";
  EXPECT_FALSE(must_open()->backup(copy));
  for (auto i = 0; i < 3; ++i)
    must_open();
  const auto last = must_open()->epoch();
  options.folder = copy;
  EXPECT_GT(must_open()->epoch(), last);
}

TEST_F(segment_journal, is_copied_when_it_is_empty) {
  const auto store = must_open();
  EXPECT_FALSE(store->backup(home.path() / "copy"));
  options.folder = home.path() / "copy";
  append(*must_open(), 3);
}

} // namespace depositd
