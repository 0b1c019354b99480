// A storage root is copied as it was at one moment, while others store and
// remove.

#include "adapters/stores/objects/object_copy.hpp"

#include "adapters/stores/files/file.hpp"
#include "adapters/stores/objects/folder_objects.hpp"
#include "adapters/stores/objects/inventory.hpp"
#include "tests/support/faulty_disk.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

namespace depositd {

namespace {

namespace fs = std::filesystem;

class object_copy : public ::testing::Test {
protected:
  std::unique_ptr<storage_target>
  open(const fs::path& folder, std::shared_ptr<ocfl::copy_gate> gate = {}) {
    auto out = open_folder_objects({.folder = folder, .gate = std::move(gate)});
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

  caf::expected<put_result> put(const std::string& id,
                                const std::string& bytes) {
    const auto source = home.path() / ("source-" + bytes);
    std::ofstream{source} << bytes;
    return target->put({.object = id,
                        .files = {{"dir/a", source}},
                        .created_us = 1'700'000'000'000'000,
                        .message = "m",
                        .user = "ada"});
  }

  caf::error copy() {
    auto failure =
      ocfl::copy_objects(system_disk(), home.path() / "objects", there, *gate);
    gate->end();
    return failure;
  }

  temporary_folder home{temporary_folder::fast_base()};
  const fs::path there = home.path() / "copy";
  std::shared_ptr<ocfl::copy_gate> gate = std::make_shared<ocfl::copy_gate>();
  std::unique_ptr<storage_target> target = open(home.path() / "objects", gate);
};

} // namespace

TEST_F(object_copy, is_a_storage_root_with_every_version) {
  ASSERT_TRUE(put("ark:/1/a", "one"));
  ASSERT_TRUE(put("ark:/1/a", "two"));
  ASSERT_TRUE(put("ark:/1/b", "other"));
  ASSERT_FALSE(gate->hold());
  gate->let_go();
  ASSERT_FALSE(copy());
  const auto copied = open(there);
  for (const auto* id : {"ark:/1/a", "ark:/1/b"}) {
    EXPECT_FALSE(copied->verify(id)) << id;
    EXPECT_EQ(copied->show(id)->files, target->show(id)->files);
  }
  EXPECT_EQ(copied->show("ark:/1/a")->number, 2u);
  EXPECT_TRUE(fs::is_empty(there / "extensions" / "depositd-unfinished")
              || !fs::exists(there / "extensions" / "depositd-unfinished"));
}

TEST_F(object_copy, of_many_files_is_flushed_at_its_end) {
  constexpr int count = 300;
  new_version many{.object = "ark:/1/a", .files = {}, .created_us = 1};
  for (int i = 0; i < count; ++i) {
    const auto name = std::to_string(i);
    std::ofstream{home.path() / name} << name;
    many.files.push_back({name, home.path() / name});
  }
  many.message = "m";
  many.user = "ada";
  ASSERT_TRUE(target->put(many));
  const auto copy_failing = [&](int code, const fs::path& to) {
    faulty_disk io;
    int flushes = 0;
    io.set_fault([&](disk_call x) {
      flushes += x == disk_call::sync || x == disk_call::sync_names;
      return x == disk_call::sync_all ? code : 0;
    });
    EXPECT_FALSE(gate->hold());
    gate->let_go();
    auto failure = ocfl::copy_objects(io, home.path() / "objects", to, *gate);
    gate->end();
    EXPECT_LT(flushes, 60);
    return failure;
  };
  EXPECT_EQ(copy_failing(EIO, home.path() / "other"), ec::store_failed);
  EXPECT_FALSE(copy_failing(0, there));
  EXPECT_FALSE(open(there)->verify("ark:/1/a"));
}

TEST_F(object_copy, leaves_out_what_is_stored_after_its_moment) {
  ASSERT_TRUE(put("ark:/1/a", "one"));
  ASSERT_TRUE(put("ark:/1/b", "as it was"));
  ASSERT_FALSE(gate->hold());
  gate->let_go();
  ASSERT_TRUE(put("ark:/1/a", "two"));
  ASSERT_TRUE(put("ark:/1/a", "three"));
  ASSERT_TRUE(put("ark:/1/c", "new"));
  ASSERT_FALSE(copy());
  const auto copied = open(there);
  EXPECT_EQ(copied->show("ark:/1/a")->number, 1u);
  EXPECT_FALSE(copied->verify("ark:/1/a"));
  EXPECT_FALSE(copied->verify("ark:/1/b"));
  EXPECT_EQ(copied->show("ark:/1/c").error(), ec::not_found);
  EXPECT_EQ(target->show("ark:/1/a")->number, 3u) << "nothing is lost here";
}

TEST_F(object_copy, has_what_was_stored_again_in_an_object_of_the_copy) {
  ASSERT_TRUE(put("ark:/1/a", "one"));
  ASSERT_FALSE(gate->hold());
  gate->let_go();
  ASSERT_TRUE(put("ark:/1/a", "two"));
  ASSERT_FALSE(copy());
  target = open(there);
  const auto again = put("ark:/1/a", "two");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->version, 2u);
  EXPECT_FALSE(target->verify("ark:/1/a"));
}

TEST_F(object_copy, lets_nobody_begin_to_store_at_its_moment) {
  ASSERT_FALSE(gate->hold());
  std::atomic<bool> stored{false};
  std::thread other{[&] {
    EXPECT_TRUE(put("ark:/1/a", "one"));
    stored = true;
  }};
  EXPECT_FALSE(stored);
  gate->let_go();
  other.join();
  EXPECT_TRUE(stored);
  ASSERT_FALSE(copy());
  EXPECT_EQ(open(there)->show("ark:/1/a").error(), ec::not_found);
}

TEST_F(object_copy, has_what_somebody_removes_meanwhile) {
  ASSERT_TRUE(put("ark:/1/a", "one"));
  ASSERT_FALSE(gate->hold());
  gate->let_go();
  std::thread other{[&] { EXPECT_FALSE(target->remove("ark:/1/a")); }};
  const auto failure = copy();
  other.join();
  ASSERT_FALSE(failure) << render(failure);
  EXPECT_FALSE(open(there)->verify("ark:/1/a"));
  EXPECT_EQ(target->show("ark:/1/a").error(), ec::not_found);
}

TEST_F(object_copy, is_one_at_a_time) {
  ASSERT_FALSE(gate->hold());
  EXPECT_EQ(gate->hold(), ec::already_exists);
  gate->end();
  EXPECT_FALSE(gate->hold());
  gate->end();
}

TEST_F(object_copy, takes_along_what_cannot_be_read) {
  ASSERT_TRUE(put("ark:/1/a", "one"));
  const auto place = ocfl::object_folder("ark:/1/a");
  std::ofstream{home.path() / "objects" / place / "inventory.json",
                std::ios::trunc}
    << "{";
  fs::remove(home.path() / "objects" / place / "v1" / "inventory.json");
  ASSERT_FALSE(gate->hold());
  gate->let_go();
  ASSERT_FALSE(copy());
  EXPECT_EQ(*read_file(there / place / "v1/content/dir/a"), "one");
  EXPECT_EQ(*read_file(there / place / "inventory.json"), "{");
}

TEST_F(object_copy, is_given_up_when_the_program_ends_and_nobody_waits) {
  ASSERT_TRUE(put("ark:/1/a", "one"));
  ASSERT_FALSE(gate->hold());
  std::thread other{[&] { EXPECT_TRUE(put("ark:/1/b", "two")); }};
  gate->stop();
  other.join();
  EXPECT_FALSE(target->remove("ark:/1/b"));
  EXPECT_EQ(copy(), ec::draining);
  EXPECT_EQ(gate->hold(), ec::draining);
}

} // namespace depositd
