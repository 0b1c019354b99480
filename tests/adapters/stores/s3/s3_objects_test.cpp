// Objects in a bucket, on a server that checks signatures and digests.

#include "adapters/stores/s3/s3_objects.hpp"

#include "adapters/stores/objects/folder_objects.hpp"
#include "adapters/stores/objects/inventory.hpp"
#include "tests/adapters/stores/s3/lagging_server.hpp"
#include "tests/adapters/stores/s3/scripted_bucket.hpp"
#include "tests/contract/storage_target_suite.hpp"
#include "tests/support/cutting_proxy.hpp"
#include "tests/support/s3_server.hpp"

#include <cstdlib>
#include <set>

namespace depositd {

namespace {

namespace fs = std::filesystem;

const std::string object_id = "ark:/99999/fk4abc";

std::unique_ptr<storage_target> open_in(const s3::client_options& options) {
  auto out = open_s3_objects(options);
  EXPECT_TRUE(out) << render(out.error());
  return out ? std::move(*out) : nullptr;
}

testing::storage_target_maker make_s3_target() {
  auto options = shared_s3().options();
  options.part_bytes = 5u << 20;
  return [options] { return open_in(options); };
}

std::vector<std::function<testing::storage_target_maker()>> s3_targets() {
  if (!s3_installed())
    return {};
  return {&make_s3_target};
}

class s3_objects_in_a_bucket : public ::testing::Test {
protected:
  void SetUp() override {
    if (!s3_installed())
      GTEST_SKIP() << "S3 CANNOT RUN HERE";
    options = shared_s3().options();
    bucket = std::make_unique<s3::client>(options);
  }

  static std::string key(const std::string& path) {
    return ocfl::object_folder(object_id) + "/" + path;
  }

  std::string text_of(const std::string& path) {
    const auto out = bucket->get(key(path), 1'000'000);
    return out ? *out : render(out.error());
  }

  new_version version(const std::string& bytes) {
    const auto source = home.path() / ("source-" + bytes);
    std::ofstream{source} << bytes;
    return {.object = object_id,
            .files = {{"dir/a b+\u00e9", source}, {"dir/same", source}},
            .created_us = 1'700'000'000'000'000,
            .message = "m",
            .user = "ada"};
  }

  /// All keys below the prefix, as files of a folder.
  void copy_to(const fs::path& folder) {
    const auto all = bucket->list("", 1'000);
    ASSERT_TRUE(all) << render(all.error());
    for (const auto& entry : *all) {
      const auto to = folder / entry.key;
      fs::create_directories(to.parent_path());
      ASSERT_FALSE(bucket->get_file(entry.key, to, {})) << entry.key;
    }
  }

  std::set<std::string> keys() {
    std::set<std::string> out;
    const auto all = bucket->list(key(""), 1'000);
    EXPECT_TRUE(all) << render(all.error());
    if (all)
      for (const auto& entry : *all)
        out.insert(entry.key.substr(key("").size()));
    return out;
  }

  /// The same bucket by way of a server that is behind.
  std::unique_ptr<storage_target> open_behind(const s3::lagging_server& x) {
    return open_in(s3_options_of(x.url(), options.place.prefix));
  }

  s3::client_options options;
  std::unique_ptr<s3::client> bucket;
  temporary_folder home{temporary_folder::fast_base()};
};

} // namespace

namespace testing {

INSTANTIATE_TEST_SUITE_P(s3, storage_target_suite,
                         ::testing::ValuesIn(s3_targets()));

} // namespace testing

TEST_F(s3_objects_in_a_bucket, are_laid_out_as_in_a_folder) {
  const auto target = open_in(options);
  ASSERT_TRUE(target->put(version("one")));
  ASSERT_TRUE(target->put(version("two")));
  EXPECT_EQ(*bucket->get("0=ocfl_1.1", 100), "ocfl_1.1\n");
  EXPECT_EQ(text_of("v1/content/dir/a b+\u00e9"), "one");
  EXPECT_EQ(text_of("v2/inventory.json"), text_of("inventory.json"));
  EXPECT_EQ(keys(),
            (std::set<std::string>{
              "0=ocfl_object_1.1", "inventory.json", "inventory.json.sha512",
              "v1/content/dir/a b+\u00e9", "v1/inventory.json",
              "v1/inventory.json.sha512", "v2/content/dir/a b+\u00e9",
              "v2/inventory.json", "v2/inventory.json.sha512"}));
}

TEST_F(s3_objects_in_a_bucket, can_be_copied_into_a_folder_and_used_there) {
  const auto target = open_in(options);
  ASSERT_TRUE(target->put(version("one")));
  ASSERT_TRUE(target->put(version("two")));
  const auto folder = home.path() / "copy";
  copy_to(folder);
  auto there = open_folder_objects({.folder = folder});
  ASSERT_TRUE(there) << render(there.error());
  EXPECT_FALSE((*there)->verify(object_id));
  EXPECT_FALSE((*there)->put(version("two"))->added);
  if (const auto* validator = std::getenv("DEPOSITD_OCFL_VALIDATE")) {
    EXPECT_EQ(std::system((std::string{validator} + " "
                           + (folder / ocfl::object_folder(object_id)).string())
                            .c_str()),
              0);
  }
}

TEST_F(s3_objects_in_a_bucket, do_not_move_into_what_is_something_else) {
  ASSERT_FALSE(bucket->put("notes.txt", "mine"));
  EXPECT_EQ(open_s3_objects(options).error(), ec::store_damaged);
  ASSERT_FALSE(bucket->remove("notes.txt"));
  ASSERT_FALSE(bucket->put("0=ocfl_1.1", "ocfl_1.0\n"));
  EXPECT_EQ(open_s3_objects(options).error(), ec::store_damaged);
}

TEST_F(s3_objects_in_a_bucket, verify_names_what_is_damaged) {
  const auto target = open_in(options);
  ASSERT_TRUE(target->put(version("one")));
  const auto place = key("v1/content/dir/a b+\u00e9");
  ASSERT_FALSE(bucket->put(place, "onx"));
  const auto damage = target->verify(object_id);
  EXPECT_EQ(damage, ec::store_damaged);
  EXPECT_EQ(render(damage),
            bucket->title(place) + " does not match its digest");
  const auto to = home.path() / "out";
  EXPECT_EQ(target->get(object_id, 1, "dir/same", to), ec::store_damaged);
  EXPECT_FALSE(fs::exists(to));
  ASSERT_FALSE(bucket->remove(place));
  EXPECT_EQ(target->verify(object_id), ec::store_damaged);
}

TEST_F(s3_objects_in_a_bucket, get_bytes_back_that_were_damaged_or_lost) {
  const auto target = open_in(options);
  ASSERT_TRUE(target->put(version("one")));
  const auto place = key("v1/content/dir/a b+\u00e9");
  ASSERT_FALSE(bucket->put(place, "onx"));
  EXPECT_EQ(*target->mend(object_id, version("one").files), 1u);
  EXPECT_FALSE(target->verify(object_id));
  ASSERT_FALSE(bucket->remove(place));
  EXPECT_EQ(*target->mend(object_id, version("one").files), 1u);
  EXPECT_FALSE(target->verify(object_id));
}

TEST_F(s3_objects_in_a_bucket, verify_sees_a_changed_inventory) {
  const auto target = open_in(options);
  ASSERT_TRUE(target->put(version("one")));
  auto text = text_of("inventory.json");
  text.replace(text.find("ada"), 3, "eve");
  ASSERT_FALSE(bucket->put(key("inventory.json"), text));
  EXPECT_EQ(target->verify(object_id), ec::store_damaged);
  EXPECT_EQ(target->show(object_id).error(), ec::store_damaged);
}

TEST_F(s3_objects_in_a_bucket, go_on_after_a_crash_before_the_commit) {
  auto target = open_in(options);
  ASSERT_TRUE(target->put(version("one")));
  const auto old = text_of("inventory.json");
  ASSERT_TRUE(target->put(version("two")));
  // As if the object's inventory, which is the last, had never been put.
  ASSERT_FALSE(bucket->put(key("inventory.json"), old));
  target = open_in(options);
  EXPECT_EQ(target->show(object_id)->number, 1u) << "it never became true";
  const auto other = target->put(version("three"));
  ASSERT_TRUE(other) << render(other.error());
  EXPECT_EQ(other->version, 2u);
  EXPECT_FALSE(target->verify(object_id));
  EXPECT_EQ(text_of("v2/content/dir/a b+\u00e9"), "three") << "no leftovers";
}

TEST_F(s3_objects_in_a_bucket, are_removed_also_after_a_crash_on_the_way) {
  auto target = open_in(options);
  ASSERT_TRUE(target->put(version("one")));
  ASSERT_TRUE(target->put(version("two")));
  ASSERT_FALSE(bucket->remove(key("inventory.json")));
  EXPECT_EQ(target->show(object_id).error(), ec::not_found);
  const auto again = target->put(version("three"));
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(again->version, 1u);
  EXPECT_FALSE(keys().contains("v2/inventory.json"));
  EXPECT_FALSE(target->remove(object_id));
  EXPECT_TRUE(keys().empty());
}

TEST_F(s3_objects_in_a_bucket, lose_nothing_to_who_reads_that_there_is_none) {
  const auto target = open_in(options);
  ASSERT_TRUE(target->put(version("one")));
  ASSERT_TRUE(target->put(version("two")));
  const auto none =
    s3::answer_of("404 Not Found", s3::error_document("NoSuchKey"));
  const s3::lagging_server behind{shared_s3().number(),
                                  {{key("inventory.json"), none},
                                   {key("inventory.json.sha512"), none}}};
  const auto out = open_behind(behind)->put(version("three"));
  EXPECT_EQ(out ? caf::error{} : out.error(), ec::store_failed);
  EXPECT_FALSE(target->verify(object_id));
  EXPECT_EQ(target->show(object_id)->number, 2u);
}

TEST_F(s3_objects_in_a_bucket, lose_nothing_to_who_reads_an_older_version) {
  const auto target = open_in(options);
  ASSERT_TRUE(target->put(version("one")));
  const auto said = [this](const std::string& path) {
    return std::pair{key(path), s3::answer_of("200 OK", text_of(path))};
  };
  const s3::lagging_server behind{
    shared_s3().number(),
    {said("inventory.json"), said("inventory.json.sha512")}};
  ASSERT_TRUE(target->put(version("two")));
  const auto out = open_behind(behind)->put(version("three"));
  EXPECT_EQ(out ? caf::error{} : out.error(), ec::store_failed);
  EXPECT_FALSE(target->verify(object_id));
  EXPECT_EQ(target->show(object_id)->number, 2u);
}

TEST_F(s3_objects_in_a_bucket, are_not_removed_while_any_of_it_is_listed) {
  ASSERT_TRUE(open_in(options)->put(version("one")));
  const auto entry = "<Contents><Key>" + options.place.prefix + "/"
                     + key("v1/inventory.json")
                     + "</Key><Size>1</Size></Contents>";
  const s3::lagging_server behind{
    shared_s3().number(),
    {{"/depositd",
      s3::answer_of("200 OK",
                    "<?xml version=\"1.0\"?><ListBucketResult>"
                    "<IsTruncated>false</IsTruncated>"
                      + entry + "</ListBucketResult>")}}};
  EXPECT_EQ(open_behind(behind)->remove(object_id), ec::store_failed);
  EXPECT_FALSE(open_in(options)->remove(object_id));
  EXPECT_TRUE(keys().empty());
}

TEST_F(s3_objects_in_a_bucket, are_whole_or_absent_whichever_answer_is_lost) {
  cutting_proxy proxy{shared_s3().number()};
  const auto through = [&](const std::string& prefix) {
    auto out =
      s3_options_of("http://127.0.0.1:" + std::to_string(proxy.port()), prefix);
    out.tries = 1;
    return out;
  };
  bool through_all = false;
  for (int answers = 1; !through_all && answers < 60; ++answers) {
    options.place.prefix = shared_s3().options().place.prefix;
    auto target = open_in(options);
    ASSERT_TRUE(target->put(version("one")));
    const auto cut = open_in(through(options.place.prefix));
    const auto cuts = proxy.cuts();
    proxy.end_at_answer(answers);
    const auto out = cut->put(version("two"));
    through_all = proxy.cuts() == cuts;
    proxy.cut_at_answer(0);
    proxy.refuse(false);
    EXPECT_EQ(static_cast<bool>(out), through_all) << answers;
    target = open_in(options);
    const auto shown = target->show(object_id);
    ASSERT_TRUE(shown) << answers << ": " << render(shown.error());
    EXPECT_TRUE(shown->number == 1 || shown->number == 2);
    const auto again = target->put(version("two"));
    ASSERT_TRUE(again) << answers << ": " << render(again.error());
    EXPECT_EQ(again->version, 2u) << answers;
    EXPECT_FALSE(target->verify(object_id)) << answers;
  }
  EXPECT_TRUE(through_all);
}

} // namespace depositd
