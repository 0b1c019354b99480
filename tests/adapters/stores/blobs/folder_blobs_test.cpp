#include "adapters/stores/blobs/folder_blobs.hpp"
#include "adapters/stores/files/file.hpp"
#include "adapters/stores/files/sha256.hpp"
#include "tests/support/faulty_disk.hpp"
#include "tests/support/mounted_disk.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fstream>

#include <gtest/gtest.h>

namespace depositd {

namespace {

namespace fs = std::filesystem;

class folder_blobs : public ::testing::Test {
protected:
  std::unique_ptr<blob_store> open() {
    auto out = open_folder_blobs({.folder = folder(), .io = &io});
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

  fs::path folder() const {
    return home.path() / "blobs";
  }

  fs::path path_of(const std::string& name) const {
    return folder() / name.substr(0, 2) / name.substr(2, 2) / name;
  }

  std::size_t file_count() const {
    std::size_t out = 0;
    for (const auto& x : fs::recursive_directory_iterator{folder()})
      out += x.is_regular_file() ? 1 : 0;
    return out;
  }

  static void write(const fs::path& path, const std::string& bytes) {
    std::ofstream out{path, std::ios::binary | std::ios::trunc};
    out << bytes;
    ASSERT_TRUE(out.flush());
  }

  temporary_folder home;
  faulty_disk io;
};

} // namespace

TEST_F(folder_blobs, are_there_after_a_restart) {
  const auto name = *open()->put("abc");
  EXPECT_EQ(*open()->get(name), "abc");
  EXPECT_TRUE(fs::exists(path_of(name)));
}

TEST_F(folder_blobs, with_another_content_are_refused_by_name) {
  const auto store = open();
  const auto name = *store->put("abc");
  for (const auto* bytes : {"abd", "ab", "", "abcd"}) {
    write(path_of(name), bytes);
    const auto found = store->get(name);
    EXPECT_EQ(found.error(), ec::store_damaged);
    EXPECT_NE(render(found.error()).find(name), std::string::npos);
    EXPECT_TRUE(fs::exists(path_of(name))) << "damage is never cleaned away";
  }
}

TEST_F(folder_blobs, that_were_cut_off_are_mended_by_the_next_put) {
  const auto store = open();
  const auto name = *store->put("abc");
  write(path_of(name), "a");
  EXPECT_EQ(*store->put("abc"), name);
  EXPECT_EQ(*store->get(name), "abc");
}

TEST_F(folder_blobs, that_have_rotted_are_mended_by_the_next_put) {
  const auto store = open();
  auto bytes = std::string(150'000, 'x');
  const auto name = *store->put(bytes);
  for (const std::size_t at : {0, 70'000, 149'999}) {
    auto rotten = bytes;
    rotten[at] = 'y';
    write(path_of(name), rotten);
    EXPECT_EQ(*store->put(bytes), name);
    EXPECT_EQ(*store->get(name), bytes);
  }
}

TEST_F(folder_blobs, are_not_there_at_all_when_the_disk_fails) {
  const auto store = open();
  for (const auto which : {disk_call::write, disk_call::sync}) {
    io.set_fault([=](disk_call call) { return call == which ? ENOSPC : 0; });
    const auto refused = store->put("abc");
    EXPECT_EQ(refused.error(), ec::store_failed);
    EXPECT_NE(render(refused.error()).find("No space left"), std::string::npos);
    EXPECT_EQ(file_count(), 0u);
    io.set_fault({});
  }
  EXPECT_EQ(*store->get(*store->put("abc")), "abc");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(folder_blobs, are_not_gone_when_their_disk_is) {
  const mounted_disk disk{home.path()};
  if (!disk)
    GTEST_SKIP() << "nothing can be mounted here";
  const auto store = open();
  const auto name = *store->put("abc");
  disk.unmount();
  EXPECT_EQ(store->get(name).error(), ec::store_failed);
  EXPECT_EQ(store->put("other").error(), ec::store_failed);
  EXPECT_EQ(store->backup(home.path() / "copy"), ec::store_failed);
  EXPECT_TRUE(fs::is_empty(home.path())) << "the disk would hide it";
}

TEST_F(folder_blobs, are_not_begun_anew_while_their_disk_is_away) {
  const temporary_folder notes;
  const folder_blobs_options options{.folder = folder(),
                                     .note = notes.path() / "note"};
  {
    const mounted_disk disk{home.path()};
    if (!disk)
      GTEST_SKIP() << "nothing can be mounted here";
    EXPECT_TRUE(open_folder_blobs(options));
  }
  EXPECT_EQ(open_folder_blobs(options).error(), ec::store_failed);
  EXPECT_TRUE(fs::is_empty(home.path()));
}

TEST_F(folder_blobs, are_made_durable_again_when_they_are_put_again) {
  const auto first = open();
  ASSERT_TRUE(first->put("abc"));
  // The names may not have got to the disk before the other store died.
  const auto second = open();
  io.set_fault(
    [](disk_call call) { return call == disk_call::sync_names ? EIO : 0; });
  EXPECT_EQ(second->put("abc").error(), ec::store_failed);
}

TEST_F(folder_blobs, are_copied_and_the_copy_is_a_store) {
  const auto store = open();
  const auto first = *store->put("first");
  const auto second = *store->put(std::string(2'000'000, 's'));
  const auto copy = home.path() / "copy";
  ASSERT_FALSE(store->backup(copy));
  ASSERT_FALSE(store->backup(copy)) << "again into the same folder";
  EXPECT_EQ(file_count(), 2u);
  const auto other = open_folder_blobs({.folder = copy});
  ASSERT_TRUE(other);
  EXPECT_EQ(*(*other)->get(first), "first");
  EXPECT_EQ((*other)->get(second)->size(), 2'000'000u);
}

TEST_F(folder_blobs, are_copied_to_another_disk) {
  const temporary_folder memory{temporary_folder::fast_base()};
  const auto store = open();
  const auto name = *store->put("abc");
  const auto copy = memory.path() / "copy";
  ASSERT_FALSE(store->backup(copy));
  const auto other = open_folder_blobs({.folder = copy});
  ASSERT_TRUE(other);
  EXPECT_EQ(*(*other)->get(name), "abc");
}

TEST_F(folder_blobs, cannot_be_where_a_file_is) {
  write(home.path() / "file", "");
  const auto store = open_folder_blobs({.folder = home.path() / "file" / "x"});
  EXPECT_EQ(store.error(), ec::store_failed);
}

} // namespace depositd
