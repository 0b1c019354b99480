#include "tests/adapters/stores/objects/folder_world.hpp"
#include "tests/contract/storage_target_suite.hpp"

#include <cstdlib>

namespace depositd {

using namespace folder_world;

namespace {

testing::storage_target_maker make_folder_target() {
  const auto home = std::make_shared<temporary_folder>();
  return [home] { return open_at(home->path() / "objects"); };
}

} // namespace

namespace testing {

INSTANTIATE_TEST_SUITE_P(folder, storage_target_suite,
                         ::testing::Values(&make_folder_target));

} // namespace testing

TEST_F(folder_objects, are_laid_out_as_ocfl_says) {
  const auto target = open_at(root());
  ASSERT_TRUE(target->put(version("one")));
  ASSERT_TRUE(target->put(version("two")));
  EXPECT_EQ(text_of(root() / "0=ocfl_1.1"), "ocfl_1.1\n");
  EXPECT_EQ(text_of(object() / "0=ocfl_object_1.1"), "ocfl_object_1.1\n");
  EXPECT_EQ(text_of(object() / "v1/content/dir/a"), "one");
  EXPECT_FALSE(fs::exists(object() / "v1/content/dir/same")) << "kept once";
  EXPECT_EQ(text_of(object() / "v2/content/dir/a"), "two");
  EXPECT_EQ(text_of(object() / "inventory.json"),
            text_of(object() / "v2/inventory.json"));
  EXPECT_TRUE(
    text_of(object() / "inventory.json.sha512").ends_with(" inventory.json\n"));
  EXPECT_TRUE(fs::is_empty(root() / "extensions/depositd-unfinished"));
}

TEST_F(folder_objects, are_where_the_layout_says) {
  // The example of the layout's own document.
  EXPECT_EQ(ocfl::object_folder("object-01"),
            "3c0/ff4/240/"
            "3c0ff4240c1e116dba14c7627f2319b58aa3d77606d0d90dfc6161608ac987d4");
}

TEST_F(folder_objects, of_many_files_are_listed_once) {
  const auto target = open_at(root());
  ASSERT_TRUE(target->put(version("one")));
  const auto get = [&](const char* path, const char* to) {
    return target->get(id, 0, path, home.path() / to);
  };
  ASSERT_FALSE(get("dir/a", "first"));
  const auto list = text_of(object() / "inventory.json");
  for (const auto* place : {"inventory.json", "v1/inventory.json"})
    write(object() / place, "{}");
  EXPECT_FALSE(get("dir/same", "second")) << "it was read with the first";
  EXPECT_TRUE(open_at(root())->get(id, 0, "dir/same", home.path() / "third"))
    << "and by nobody else";
  for (const auto* place : {"inventory.json", "v1/inventory.json"})
    write(object() / place, list);
  ASSERT_TRUE(target->put(version("two")));
  ASSERT_FALSE(get("dir/a", "fourth"));
  EXPECT_EQ(text_of(home.path() / "fourth"), "two")
    << "nor when it has changed";
}

TEST_F(folder_objects, are_valid_for_another_program) {
  const auto* validator = std::getenv("DEPOSITD_OCFL_VALIDATE");
  if (validator == nullptr)
    GTEST_SKIP() << "no OCFL validator is installed";
  const auto target = open_at(root());
  ASSERT_TRUE(target->put(version("one")));
  ASSERT_TRUE(target->put(version("two")));
  ASSERT_TRUE(target->put(version("one")));
  const auto command = std::string{validator} + " " + object().string();
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST_F(folder_objects, do_not_move_into_what_is_something_else) {
  fs::create_directories(root());
  write(root() / "notes.txt", "mine");
  EXPECT_EQ(open_folder_objects({.folder = root()}).error(), ec::store_damaged);
  EXPECT_EQ(text_of(root() / "notes.txt"), "mine");
  fs::remove(root() / "notes.txt");
  write(root() / "0=ocfl_1.1", "ocfl_1.0\n");
  EXPECT_EQ(open_folder_objects({.folder = root()}).error(), ec::store_damaged);
}

TEST_F(folder_objects, name_the_file_that_cannot_be_read) {
  open_at(root());
  const auto layout =
    root() / "extensions/0004-hashed-n-tuple-storage-layout/config.json";
  fs::remove(layout);
  fs::create_directory(layout);
  const auto found = open_folder_objects({.folder = root()});
  ASSERT_FALSE(found);
  const auto said = render(found.error());
  EXPECT_NE(said.find(layout.string()), std::string::npos) << said;
}

TEST_F(folder_objects, removing_again_ends_what_was_cut_off) {
  const auto target = open_at(root());
  ASSERT_TRUE(target->put(version("one")));
  const auto unfinished = root() / "extensions/depositd-unfinished";
  fs::rename(object(), unfinished / object().filename());
  EXPECT_FALSE(target->remove(id));
  EXPECT_TRUE(fs::is_empty(unfinished));
}

TEST_F(folder_objects, are_not_gone_when_their_disk_is) {
  const auto target = open_at(root());
  ASSERT_TRUE(target->put(version("one")));
  const auto disk = home.path() / "not mounted";
  fs::rename(root(), disk);
  fs::create_directory(root());
  EXPECT_EQ(target->remove(id), ec::store_failed);
  EXPECT_EQ(target->put(version("two")).error(), ec::store_failed);
  EXPECT_EQ(target->show(id).error(), ec::store_failed);
  EXPECT_EQ(target->verify(id), ec::store_failed);
  EXPECT_TRUE(fs::is_empty(root()));
  fs::remove(root());
  fs::rename(disk, root());
  EXPECT_FALSE(target->verify(id));
}

TEST_F(folder_objects, are_not_begun_anew_where_their_disk_is_not_mounted) {
  const auto note = home.path() / "storage" / "vault";
  const folder_objects_options options{.folder = root(), .note = note};
  ASSERT_TRUE(open_folder_objects(options));
  const auto disk = home.path() / "not mounted";
  fs::rename(root(), disk);
  fs::create_directory(root());
  EXPECT_EQ(open_folder_objects(options).error(), ec::store_failed);
  EXPECT_TRUE(fs::is_empty(root()));
  const auto elsewhere = home.path() / "elsewhere";
  EXPECT_TRUE(open_folder_objects({.folder = elsewhere, .note = note}));
  EXPECT_TRUE(open_folder_objects({.folder = elsewhere, .note = note}));
  fs::remove_all(elsewhere);
  fs::remove(note);
  EXPECT_TRUE(open_folder_objects({.folder = elsewhere, .note = note}))
    << "it is lost for good";
}

TEST_F(folder_objects, that_were_given_up_long_ago_leave_nothing) {
  open_at(root());
  const auto unfinished = root() / "extensions/depositd-unfinished";
  const auto old = fs::file_time_type::clock::now() - std::chrono::days{8};
  for (const auto* name : {"given-up", "at-work"}) {
    const auto content = unfinished / name / "v1";
    fs::create_directories(content);
    write(content / "a", "one");
    for (const auto& path : {content / "a", content, unfinished / name})
      fs::last_write_time(path, old);
  }
  write(unfinished / "at-work/v1/a", "one more");
  EXPECT_TRUE(open_folder_objects({.folder = root(), .begins = false}));
  EXPECT_TRUE(fs::exists(unfinished / "given-up")) << "it may be an engine's";
  open_at(root());
  EXPECT_FALSE(fs::exists(unfinished / "given-up"));
  EXPECT_TRUE(fs::exists(unfinished / "at-work/v1/a"));
}

TEST_F(folder_objects, are_begun_by_nobody_who_must_not) {
  const folder_objects_options options{.folder = root(), .begins = false};
  EXPECT_EQ(open_folder_objects(options).error(), ec::store_failed);
  EXPECT_FALSE(fs::exists(root()));
  open_at(root());
  EXPECT_TRUE(open_folder_objects(options));
}

TEST_F(folder_objects, verify_names_what_is_damaged) {
  const auto target = open_at(root());
  ASSERT_TRUE(target->put(version("one")));
  const auto file = object() / "v1/content/dir/a";
  write(file, "onx");
  const auto damage = target->verify(id);
  EXPECT_EQ(damage, ec::store_damaged);
  EXPECT_EQ(render(damage), file.string() + " does not match its digest");
  const auto to = home.path() / "out";
  EXPECT_EQ(target->get(id, 1, "dir/a", to), ec::store_damaged);
  EXPECT_FALSE(fs::exists(to));
  fs::remove(file);
  EXPECT_EQ(target->verify(id), ec::store_damaged);
}

TEST_F(folder_objects, verify_of_a_version_reads_what_belongs_to_it) {
  const auto target = open_at(root());
  ASSERT_TRUE(target->put(version("one")));
  ASSERT_TRUE(target->put(version("two")));
  write(object() / "v1/content/dir/a", "onx");
  EXPECT_FALSE(target->verify(id, 2));
  EXPECT_EQ(target->verify(id, 1), ec::store_damaged);
  write(object() / "v2/content/dir/a", "twx");
  EXPECT_EQ(target->verify(id, 2), ec::store_damaged);
}

TEST_F(folder_objects, get_bytes_back_that_were_damaged_or_lost) {
  const auto target = open_at(root());
  ASSERT_TRUE(target->put(version("one")));
  ASSERT_TRUE(target->put(version("two")));
  write(object() / "v1/content/dir/a", "onx");
  fs::remove_all(object() / "v2/content");
  for (const auto* bytes : {"two", "one"}) {
    const auto mended = target->mend(id, version(bytes).files);
    ASSERT_TRUE(mended) << render(mended.error());
    EXPECT_EQ(*mended, 1u) << bytes;
  }
  EXPECT_FALSE(target->verify(id));
  EXPECT_EQ(target->show(id)->number, 2u) << "it is no version";
  EXPECT_TRUE(fs::is_empty(root() / "extensions/depositd-unfinished"));
}

TEST_F(folder_objects, are_mended_or_as_before_whichever_call_fails) {
  bool through = false;
  for (int calls = 0; !through && calls < 100; ++calls) {
    fs::remove_all(root());
    const auto target = open_at(root(), &io);
    ASSERT_TRUE(target->put(version("one")));
    const auto place = object() / "v1/content/dir/a";
    write(place, "onx");
    int left = calls;
    io.set_fault([&](disk_call) { return left-- == 0 ? EIO : 0; });
    through = static_cast<bool>(target->mend(id, version("one").files));
    io.set_fault({});
    const auto now = text_of(place);
    EXPECT_TRUE(now == "one" || (now == "onx" && !through)) << calls << now;
    ASSERT_TRUE(target->mend(id, version("one").files)) << calls;
    EXPECT_FALSE(target->verify(id)) << calls;
  }
  EXPECT_TRUE(through);
}

TEST_F(folder_objects, verify_sees_a_changed_inventory) {
  const auto target = open_at(root());
  ASSERT_TRUE(target->put(version("one")));
  auto text = text_of(object() / "inventory.json");
  write(object() / "inventory.json", text.replace(text.find("ada"), 3, "eve"));
  EXPECT_EQ(target->verify(id), ec::store_damaged);
  EXPECT_EQ(target->show(id)->user, "ada") << "the version's own is whole";
}

TEST_F(folder_objects, have_digests_in_letters_of_either_size) {
  std::string digest, small;
  for (int i = 0; i < 8; ++i) {
    digest += "0123456789ABCDEF";
    small += "0123456789abcdef";
  }
  ocfl::inventory x{.id = id};
  x.manifest[digest] = {"v1/content/a"};
  x.versions.push_back({"2020-01-01T00:00:00Z", {{digest, {"a"}}}, "", ""});
  const auto read = ocfl::read_inventory(ocfl::write_inventory(x));
  ASSERT_TRUE(read) << render(read.error());
  EXPECT_TRUE(read->manifest.contains(small));
}

TEST_F(folder_objects, never_leave_their_folder_because_of_an_inventory) {
  for (const auto* path :
       {"../../x", "/etc/passwd", "v1/../../x", "v1/..", ".."}) {
    ocfl::inventory x{.id = id};
    x.manifest[std::string(128, 'a')] = {path};
    x.versions.push_back(
      {"2020-01-01T00:00:00Z", {{std::string(128, 'a'), {"a"}}}, "", ""});
    EXPECT_EQ(ocfl::read_inventory(ocfl::write_inventory(x)).error(),
              ec::store_damaged)
      << path;
  }
  for (const auto* text : {"", "{}", "[]", "{\"id\": 1}", "null"})
    EXPECT_EQ(ocfl::read_inventory(text).error(), ec::store_damaged) << text;
}

TEST_F(folder_objects, go_on_after_a_crash_before_the_inventory) {
  auto target = open_at(root());
  ASSERT_TRUE(target->put(version("one")));
  const auto old = text_of(object() / "inventory.json");
  const auto digest = text_of(object() / "inventory.json.sha512");
  ASSERT_TRUE(target->put(version("two")));
  // As if the version had got its name, and nothing else had happened.
  write(object() / "inventory.json", old);
  write(object() / "inventory.json.sha512", digest);
  target = open_at(root());
  EXPECT_EQ(target->show(id)->number, 1u) << "it never became true";
  const auto again = target->put(version("two"));
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(again->version, 2u);
  EXPECT_FALSE(target->verify(id));
}

TEST_F(folder_objects, go_on_after_a_crash_between_inventory_and_digest) {
  auto target = open_at(root());
  ASSERT_TRUE(target->put(version("one")));
  const auto digest = text_of(object() / "inventory.json.sha512");
  ASSERT_TRUE(target->put(version("two")));
  write(object() / "inventory.json.sha512", digest);
  target = open_at(root());
  EXPECT_EQ(target->show(id)->number, 2u);
  const auto again = target->put(version("two"));
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_FALSE(again->added);
  EXPECT_FALSE(target->verify(id)) << "mended";
}

TEST_F(folder_objects, are_whole_or_absent_whichever_call_fails) {
  bool through = false;
  for (int calls = 0; !through && calls < 200; ++calls) {
    fs::remove_all(root());
    auto target = open_at(root(), &io);
    ASSERT_TRUE(target->put(version("one")));
    int left = calls;
    io.set_fault([&](disk_call) { return left-- == 0 ? EIO : 0; });
    const auto out = target->put(version("two"));
    io.set_fault({});
    through = static_cast<bool>(out);
    target = open_at(root());
    const auto shown = target->show(id);
    ASSERT_TRUE(shown) << render(shown.error());
    EXPECT_GE(shown->number, through ? 2u : 1u);
    const auto again = target->put(version("two"));
    ASSERT_TRUE(again) << calls << ": " << render(again.error());
    EXPECT_EQ(again->version, 2u) << calls;
    EXPECT_FALSE(target->verify(id)) << calls;
  }
  EXPECT_TRUE(through);
}

} // namespace depositd
