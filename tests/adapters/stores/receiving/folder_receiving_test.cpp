#include "adapters/stores/receiving/folder_receiving.hpp"
#include "tests/support/mounted_disk.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include <dlfcn.h>

namespace {

bool only_links = false; ///< as on some file systems of networks

} // namespace

/// Stands before the system's.
extern "C" int renameat2(int from, const char* old_name, int to,
                         const char* new_name, unsigned how) noexcept {
  static const auto usual =
    reinterpret_cast<decltype(&renameat2)>(::dlsym(RTLD_NEXT, "renameat2"));
  if (!only_links)
    return usual(from, old_name, to, new_name, how);
  errno = EINVAL;
  return -1;
}

namespace depositd {
namespace {

namespace fs = std::filesystem;

class receiving_folder : public ::testing::Test {
protected:
  void write(const fs::path& path, const std::string& bytes) {
    fs::create_directories(path.parent_path());
    std::ofstream{path, std::ios::binary} << bytes;
    // Each at a time of its own.
    fs::last_write_time(path, fs::file_time_type::clock::now()
                                - std::chrono::hours{48}
                                + std::chrono::minutes{++count_});
  }

  std::string text_of(const fs::path& path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

  std::unique_ptr<receiving_place> open() {
    auto out = open_folder_receiving({.folder = home_.path()});
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

  /// As a removal leaves it that is cut off before its end.
  void cut_off_removal() {
    fs::create_directory(aside().parent_path());
    fs::rename(bag(), aside());
  }

  fs::path bag() const {
    return home_.path() / "photos.tar";
  }

  fs::path aside() const {
    return home_.path() / ".removed" / "photos.tar";
  }

  bool remove(receiving_place& from, const std::string& etag) {
    const auto done = from.remove("photos.tar", etag);
    EXPECT_TRUE(done) << render(done.error());
    return done && *done;
  }

  temporary_folder home_;
  int count_ = 0;
};

TEST_F(receiving_folder, a_removal_that_was_cut_off_takes_no_other_bag) {
  write(bag(), "old");
  auto place = open();
  const auto old = place->look("photos.tar");
  ASSERT_TRUE(old);
  cut_off_removal();
  write(bag(), "new");
  EXPECT_FALSE(remove(*place, old->etag)) << "there is another one";
  EXPECT_EQ(text_of(bag()), "new");
  EXPECT_FALSE(fs::exists(aside())) << "the old one is gone";
}

TEST_F(receiving_folder, what_was_set_aside_by_mistake_comes_back) {
  write(bag(), "old");
  auto place = open();
  const auto old = place->look("photos.tar");
  ASSERT_TRUE(old);
  // A new bag came between the look and the removal.
  fs::remove(bag());
  write(aside(), "new");
  EXPECT_FALSE(remove(*place, old->etag));
  EXPECT_EQ(text_of(bag()), "new");
  EXPECT_FALSE(fs::exists(aside()));
}

TEST_F(receiving_folder, the_next_start_puts_back_what_was_set_aside) {
  write(bag(), "old");
  auto place = open();
  const auto old = place->look("photos.tar");
  ASSERT_TRUE(old);
  cut_off_removal();
  place = open();
  const auto again = place->look("photos.tar");
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(*again, *old);
  EXPECT_TRUE(remove(*place, old->etag));
  EXPECT_TRUE(fs::is_empty(home_.path())) << "depositors find nothing of ours";
}

TEST_F(receiving_folder, the_next_start_keeps_the_bag_that_came_meanwhile) {
  write(bag(), "old");
  cut_off_removal();
  write(bag(), "new");
  const auto place = open();
  EXPECT_EQ(text_of(bag()), "new");
  EXPECT_FALSE(fs::exists(aside()));
}

class receiving_folder_afar : public receiving_folder {
protected:
  receiving_folder_afar() {
    only_links = true;
  }

  ~receiving_folder_afar() override {
    only_links = false;
  }
};

TEST_F(receiving_folder_afar, loses_a_bag_that_is_removed) {
  write(bag(), "old");
  const auto place = open();
  const auto old = place->look("photos.tar");
  ASSERT_TRUE(old);
  EXPECT_TRUE(remove(*place, old->etag));
  EXPECT_TRUE(fs::is_empty(home_.path()));
}

TEST_F(receiving_folder_afar, keeps_another_bag_of_its_name) {
  write(bag(), "old");
  const auto place = open();
  const auto old = place->look("photos.tar");
  ASSERT_TRUE(old);
  cut_off_removal();
  write(bag(), "new");
  EXPECT_FALSE(remove(*place, old->etag));
  EXPECT_EQ(text_of(bag()), "new");
  EXPECT_FALSE(fs::exists(aside()));
}

TEST_F(receiving_folder_afar, puts_back_what_was_set_aside) {
  write(bag(), "old");
  cut_off_removal();
  open();
  EXPECT_EQ(text_of(bag()), "old");
  EXPECT_FALSE(fs::exists(aside()));
}

TEST_F(receiving_folder, a_name_of_any_legal_length_can_be_removed) {
  const auto name = std::string(251, 'x') + ".tar";
  ASSERT_TRUE(legal_bag_name(name));
  write(home_.path() / name, "bytes");
  const auto place = open();
  const auto found = place->look(name);
  ASSERT_TRUE(found) << render(found.error());
  const auto done = place->remove(name, found->etag);
  ASSERT_TRUE(done) << render(done.error());
  EXPECT_TRUE(*done);
  EXPECT_EQ(place->look(name).error(), ec::not_found);
}

TEST_F(receiving_folder, a_bag_whose_time_is_yet_to_come_comes_once_it_rests) {
  const auto place = open_folder_receiving(
    {.folder = home_.path(), .settled_after = std::chrono::milliseconds{0}});
  ASSERT_TRUE(place);
  const auto found = [&] {
    std::size_t out = 0;
    EXPECT_FALSE((*place)->each([&](const received_bag&) {
      ++out;
      return caf::error{};
    }));
    return out;
  };
  const auto put = [&](const std::string& bytes) {
    write(bag(), bytes);
    fs::last_write_time(bag(), fs::file_time_type::clock::now()
                                 + std::chrono::hours{24});
  };
  put("half");
  EXPECT_EQ(found(), 0u);
  put("half, and whole");
  EXPECT_EQ(found(), 0u) << "it was still being written";
  EXPECT_EQ(found(), 1u);
  EXPECT_EQ(found(), 1u);
}

TEST_F(receiving_folder, bags_are_not_gone_when_their_disk_is) {
  const mounted_disk disk{home_.path()};
  if (!disk)
    GTEST_SKIP() << "nothing can be mounted here";
  const auto place = open();
  write(bag(), "bytes");
  const auto found = place->look("photos.tar");
  ASSERT_TRUE(found) << render(found.error());
  disk.unmount();
  EXPECT_EQ(place->look("photos.tar").error(), ec::store_failed);
  EXPECT_EQ(place->remove("photos.tar", found->etag).error(),
            ec::store_failed);
  EXPECT_EQ(place->each([](const auto&) { return caf::error{}; }),
            ec::store_failed);
}

TEST_F(receiving_folder, is_not_empty_when_it_is_gone) {
  const auto place = open();
  fs::remove_all(home_.path());
  EXPECT_EQ(place->each([](const received_bag&) { return caf::error{}; }),
            ec::store_failed);
}

TEST_F(receiving_folder, is_not_opened_while_its_disk_is_away) {
  const temporary_folder notes;
  const folder_receiving_options options{.folder = home_.path(),
                                         .note = notes.path() / "note"};
  {
    const mounted_disk disk{home_.path()};
    if (!disk)
      GTEST_SKIP() << "nothing can be mounted here";
    EXPECT_TRUE(open_folder_receiving(options));
  }
  EXPECT_EQ(open_folder_receiving(options).error(), ec::store_failed);
}

} // namespace
} // namespace depositd
