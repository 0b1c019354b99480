// What becomes of objects in folders whose disk fails, or is slow to flush.

#include "tests/adapters/stores/objects/folder_world.hpp"

#include <set>

namespace depositd {

using namespace folder_world;

TEST_F(folder_objects, leave_no_bytes_of_what_the_disk_had_no_room_for) {
  const auto target = open_at(root(), &io);
  ASSERT_TRUE(target->put(version("one")));
  io.set_fault([](disk_call x) { return x == disk_call::write ? ENOSPC : 0; });
  EXPECT_EQ(target->put(version("two")).error(), ec::store_failed);
  EXPECT_TRUE(target->mend(id, version("one").files)) << "all is whole";
  write(object() / "v1/content/dir/a", "onx");
  EXPECT_EQ(target->mend(id, version("one").files).error(), ec::store_failed);
  EXPECT_TRUE(fs::is_empty(root() / "extensions/depositd-unfinished"));
}

TEST_F(folder_objects, that_cannot_be_looked_at_are_not_called_damaged) {
  const auto target = open_at(root());
  ASSERT_TRUE(target->put(version("one")));
  const auto place = object() / "v1/content/dir/a";
  fs::remove(place);
  EXPECT_EQ(target->show(id).error(), ec::store_damaged);
  fs::create_symlink(place, place);
  EXPECT_EQ(target->show(id).error(), ec::store_failed);
}

/// Knows which folders' names a power cut leaves alone.
class name_keeping_disk : public faulty_disk {
public:
  int sync_names(int fd) override {
    const auto code = faulty_disk::sync_names(fd);
    std::error_code ignored;
    if (code == 0)
      kept.insert(
        fs::read_symlink("/proc/self/fd/" + std::to_string(fd), ignored));
    return code;
  }

  std::set<fs::path> kept;
};

TEST_F(folder_objects, are_kept_by_name_once_a_put_succeeds_again) {
  bool through = false;
  for (int calls = 0; !through && calls < 100; ++calls) {
    fs::remove_all(root());
    name_keeping_disk names;
    const auto target = open_at(root(), &names);
    int left = calls;
    names.set_fault([&](disk_call) { return left-- == 0 ? EIO : 0; });
    through = static_cast<bool>(target->put(version("one")));
    names.set_fault({});
    ASSERT_TRUE(target->put(version("one"))) << calls;
    for (auto at = object().parent_path(); at != home.path();
         at = at.parent_path())
      EXPECT_TRUE(names.kept.contains(at)) << calls << " " << at;
  }
  EXPECT_TRUE(through);
}

TEST_F(folder_objects, are_gone_for_good_once_a_removal_succeeds_again) {
  name_keeping_disk names;
  const auto target = open_at(root(), &names);
  bool through = false;
  for (int calls = 0; !through && calls < 100; ++calls) {
    ASSERT_TRUE(target->put(version("one")));
    names.kept.clear();
    int left = calls;
    names.set_fault([&](disk_call) { return left-- == 0 ? EIO : 0; });
    through = !target->remove(id);
    EXPECT_EQ(target->show(id).error(), ec::not_found) << calls;
    names.set_fault({});
    ASSERT_FALSE(target->remove(id)) << calls;
    EXPECT_TRUE(names.kept.contains(object().parent_path())) << calls;
    EXPECT_TRUE(
      names.kept.contains(root() / "extensions/depositd-unfinished"))
      << calls;
    EXPECT_TRUE(fs::is_empty(root() / "extensions/depositd-unfinished"));
  }
  EXPECT_TRUE(through);
}

TEST_F(folder_objects, are_whole_for_good_once_a_mending_succeeds_again) {
  name_keeping_disk names;
  const auto target = open_at(root(), &names);
  ASSERT_TRUE(target->put(version("one")));
  const auto place = object() / "v1/content/dir/a";
  bool through = false;
  for (int calls = 0; !through && calls < 100; ++calls) {
    write(place, "onx");
    names.kept.clear();
    int left = calls;
    names.set_fault([&](disk_call) { return left-- == 0 ? EIO : 0; });
    through = static_cast<bool>(target->mend(id, version("one").files));
    names.set_fault({});
    ASSERT_TRUE(target->mend(id, version("one").files)) << calls;
    EXPECT_EQ(text_of(place), "one") << calls;
    EXPECT_TRUE(names.kept.contains(place.parent_path())) << calls;
  }
  EXPECT_TRUE(through);
}

TEST_F(folder_objects, of_many_files_are_flushed_together_and_then_seen) {
  constexpr int count = 1'000;
  const auto what = [&](const std::string& word) {
    auto out = version(word);
    for (int i = 0; i < count; ++i) {
      const auto name = std::to_string(i);
      const auto source = home.path() / name;
      write(source, word + name);
      out.files.push_back({"many/" + name, source});
    }
    return out;
  };
  int flushes = 0;
  bool fails = true;
  std::uint32_t seen = 0;
  const auto target = open_at(root(), &io);
  io.set_fault([&](disk_call x) {
    flushes += x == disk_call::sync || x == disk_call::sync_names;
    if (x != disk_call::sync_all)
      return 0;
    if (const auto found = open_at(root())->show(id))
      seen = found->number;
    return fails ? EIO : 0;
  });
  EXPECT_EQ(target->put(what("one")).error(), ec::store_failed);
  EXPECT_EQ(target->show(id).error(), ec::not_found);
  EXPECT_TRUE(fs::is_empty(root() / "extensions/depositd-unfinished"));
  fails = false;
  ASSERT_TRUE(target->put(what("one")));
  EXPECT_EQ(seen, 0u);
  ASSERT_TRUE(target->put(what("two")));
  EXPECT_EQ(seen, 1u);
  EXPECT_LT(flushes, 100);
  io.set_fault({});
  EXPECT_FALSE(target->verify(id));
}

TEST_F(folder_objects, of_many_files_are_given_back_without_a_flush_of_each) {
  const auto target = open_at(root(), &io);
  ASSERT_TRUE(target->put(version("one")));
  io.set_fault([](disk_call x) { return x == disk_call::write ? 0 : EIO; });
  EXPECT_FALSE(target->get(id, 0, "dir/a", home.path() / "back"));
  EXPECT_EQ(text_of(home.path() / "back"), "one");
}

} // namespace depositd
