#pragma once

// What every place for objects promises. A test program says how one is made.

#include "messages/ports/storage_target.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>

namespace depositd::testing {

using storage_target_maker = std::function<std::unique_ptr<storage_target>()>;

/// For each adapter: opens the same empty target again and again.
class storage_target_suite
  : public ::testing::TestWithParam<std::function<storage_target_maker()>> {
protected:
  using contents = std::map<std::string, std::string>;

  storage_target_suite() : open_(GetParam()()), target_(open_()) {
    // nop
  }

  new_version version_of(const contents& files,
                         const std::string& object = "ark:/99999/fk4abc") {
    new_version out{.object = object,
                    .files = {},
                    .created_us = 1'700'000'000'000'000,
                    .message = "first",
                    .user = "ada"};
    for (const auto& [path, bytes] : files) {
      const auto source = home_.path() / std::to_string(++count_);
      std::ofstream{source, std::ios::binary} << bytes;
      out.files.push_back({path, source});
    }
    return out;
  }

  put_result put(const contents& files) {
    const auto out = target_->put(version_of(files));
    EXPECT_TRUE(out) << render(out.error());
    return out ? *out : put_result{};
  }

  std::string get(std::uint32_t version, const std::string& path) {
    const auto to = home_.path() / std::to_string(++count_);
    const auto failure = target_->get("ark:/99999/fk4abc", version, path, to);
    EXPECT_FALSE(failure) << render(failure);
    std::ifstream in{to, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

  std::string paths_of(std::uint32_t version = 0) {
    const auto shown = target_->show("ark:/99999/fk4abc", version);
    EXPECT_TRUE(shown) << render(shown.error());
    std::string out;
    if (shown)
      for (const auto& file : shown->files)
        out += file.path + "=" + std::to_string(file.bytes) + " ";
    return out;
  }

  temporary_folder home_;
  int count_ = 0;
  storage_target_maker open_;
  std::unique_ptr<storage_target> target_;
};

TEST_P(storage_target_suite, keeps_what_was_put) {
  const auto out = put({{"producer/a", "abc"}, {"system/b c", ""}});
  EXPECT_EQ(out.version, 1u);
  EXPECT_TRUE(out.added);
  target_ = open_();
  EXPECT_EQ(paths_of(), "producer/a=3 system/b c=0 ");
  EXPECT_EQ(get(1, "producer/a"), "abc");
  EXPECT_EQ(get(1, "system/b c"), "");
  EXPECT_FALSE(target_->verify("ark:/99999/fk4abc"));
  const auto shown = target_->show("ark:/99999/fk4abc");
  EXPECT_EQ(shown->message, "first");
  EXPECT_EQ(shown->user, "ada");
  EXPECT_EQ(shown->created_us, 1'700'000'000'000'000);
  EXPECT_EQ(shown->files[0].sha512.substr(0, 8), "ddaf35a1");
}

TEST_P(storage_target_suite, makes_no_second_version_of_the_same) {
  put({{"a", "abc"}, {"b", "def"}});
  const auto again = put({{"b", "def"}, {"a", "abc"}});
  EXPECT_EQ(again.version, 1u);
  EXPECT_FALSE(again.added);
  target_ = open_();
  EXPECT_FALSE(put({{"a", "abc"}, {"b", "def"}}).added);
}

TEST_P(storage_target_suite, M17_keeps_every_version) {
  put({{"a", "one"}, {"b", "same"}, {"c", "gone"}});
  EXPECT_EQ(put({{"a", "two"}, {"b", "same"}, {"d", "same"}}).version, 2u);
  EXPECT_EQ(put({{"a", "one"}, {"b", "same"}, {"c", "gone"}}).version, 3u)
    << "as the first, but not as the last";
  EXPECT_EQ(paths_of(1), "a=3 b=4 c=4 ");
  EXPECT_EQ(paths_of(2), "a=3 b=4 d=4 ");
  EXPECT_EQ(get(1, "a"), "one");
  EXPECT_EQ(get(2, "a"), "two");
  EXPECT_EQ(get(2, "d"), "same");
  EXPECT_EQ(get(0, "c"), "gone");
  EXPECT_FALSE(target_->verify("ark:/99999/fk4abc"));
  EXPECT_FALSE(target_->verify("ark:/99999/fk4abc", 2));
  EXPECT_EQ(target_->verify("ark:/99999/fk4abc", 4), ec::not_found);
}

TEST_P(storage_target_suite, finds_the_last_version_that_has_a_file_so) {
  const std::string object = "ark:/99999/fk4abc";
  put({{"a", "one"}, {"b", "same"}});
  const auto before = target_->show(object)->files;
  put({{"a", "two"}, {"b", "same"}});
  const auto after = target_->show(object)->files;
  put({{"b", "same"}, {"c", "two"}});
  EXPECT_EQ(*target_->version_with(object, before[0]), 1u);
  EXPECT_EQ(*target_->version_with(object, after[0]), 2u)
    << "the bytes alone are not enough";
  EXPECT_EQ(*target_->version_with(object, before[1]), 3u);
  auto other = before[1];
  other.sha512 = after[0].sha512;
  EXPECT_EQ(target_->version_with(object, other).error(), ec::store_damaged);
  EXPECT_EQ(target_->version_with("ark:/99999/none", other).error(),
            ec::not_found);
  ASSERT_FALSE(target_->remove(object));
  put({{"a", "two"}});
  EXPECT_EQ(*target_->version_with(object, after[0]), 1u) << "stored anew";
}

TEST_P(storage_target_suite, gives_the_bytes_of_one_file_as_they_are) {
  const std::string large(3'000'000, 'x');
  put({{"a", "1"}, {"b", large}});
  put({{"a", "2"}, {"b", large}});
  const auto bytes_of = [&](std::uint32_t version, const std::string& path) {
    std::string out;
    const auto failure = target_->read("ark:/99999/fk4abc", version, path,
                                       [&](std::string_view bytes) {
                                         out += bytes;
                                         return caf::error{};
                                       });
    EXPECT_FALSE(failure) << render(failure);
    return out;
  };
  EXPECT_EQ(bytes_of(0, "a"), "2");
  EXPECT_EQ(bytes_of(1, "a"), "1");
  EXPECT_EQ(bytes_of(0, "b"), large);
  const auto nowhere = [](std::string_view) { return caf::error{}; };
  EXPECT_EQ(target_->read("ark:/99999/fk4abc", 0, "c", nowhere), ec::not_found);
  EXPECT_EQ(target_->read("ark:/99999/none", 0, "a", nowhere), ec::not_found);
  const auto stopped =
    target_->read("ark:/99999/fk4abc", 0, "b", [](std::string_view) {
      return caf::make_error(ec::overloaded, std::string{"enough"});
    });
  EXPECT_EQ(stopped, ec::overloaded);
}

TEST_P(storage_target_suite, says_what_is_not_there) {
  EXPECT_EQ(target_->show("ark:/99999/none").error(), ec::not_found);
  EXPECT_EQ(target_->verify("ark:/99999/none"), ec::not_found);
  put({{"a", "abc"}});
  EXPECT_EQ(target_->show("ark:/99999/fk4abc", 2).error(), ec::not_found);
  EXPECT_EQ(target_->get("ark:/99999/fk4abc", 1, "b", home_.path() / "b"),
            ec::not_found);
}

TEST_P(storage_target_suite, refuses_names_that_cannot_be_kept) {
  for (const auto* path : {"../a", "/a", "a//b", "", "a/../b"})
    EXPECT_EQ(target_->put(version_of({{path, "x"}})).error(),
              ec::invalid_argument)
      << path;
  EXPECT_EQ(target_->put(version_of({{"a", "x"}, {"a/b", "y"}})).error(),
            ec::invalid_argument);
  EXPECT_EQ(target_->put(version_of({})).error(), ec::invalid_argument);
  EXPECT_EQ(target_->put(version_of({{"a", "x"}}, "")).error(),
            ec::invalid_argument);
  EXPECT_EQ(target_->show("ark:/99999/fk4abc").error(), ec::not_found);
}

TEST_P(storage_target_suite, keeps_paths_as_long_as_it_says) {
  std::string path;
  while (path.size() + 101 < target_->path_bytes_max())
    path += std::string(100, 'd') + "/";
  path.resize(target_->path_bytes_max(), 'f');
  EXPECT_EQ(target_->put(version_of({{path + "f", "x"}})).error(),
            ec::invalid_argument);
  put({{path, "long"}});
  EXPECT_EQ(get(1, path), "long");
}

TEST_P(storage_target_suite, makes_nothing_if_a_file_is_missing) {
  auto x = version_of({{"a", "abc"}, {"b", "def"}});
  std::filesystem::remove(x.files[1].source);
  EXPECT_FALSE(target_->put(x));
  EXPECT_EQ(target_->show(x.object).error(), ec::not_found);
  EXPECT_TRUE(put({{"a", "abc"}, {"b", "def"}}).added);
}

TEST_P(storage_target_suite, keeps_objects_of_any_name_apart) {
  const char* names[] = {"ark:/99999/a", "ark:_99999_a", "ARK:/99999/a",
                         "a b|\u00e9", "../../x"};
  for (const auto* name : names)
    ASSERT_TRUE(target_->put(version_of({{"who", name}}, name)));
  for (const auto* name : names) {
    const auto shown = target_->show(name);
    ASSERT_TRUE(shown);
    EXPECT_EQ(shown->files[0].bytes, std::string{name}.size());
  }
}

TEST_P(storage_target_suite, mends_what_is_whole_not_at_all) {
  const std::string object = "ark:/99999/fk4abc";
  put({{"a", "one"}, {"b", "same"}});
  const auto known = version_of({{"b", "same"}, {"c", "unknown"}}).files;
  const auto mended = target_->mend(object, known);
  ASSERT_TRUE(mended) << render(mended.error());
  EXPECT_EQ(*mended, 0u);
  EXPECT_EQ(paths_of(), "a=3 b=4 ");
  EXPECT_EQ(target_->mend("ark:/99999/none", known).error(), ec::not_found);
}

TEST_P(storage_target_suite, removes_an_object_with_all_versions) {
  put({{"a", "one"}});
  put({{"a", "two"}});
  EXPECT_FALSE(target_->remove("ark:/99999/fk4abc"));
  EXPECT_FALSE(target_->remove("ark:/99999/fk4abc")) << "again";
  EXPECT_EQ(target_->show("ark:/99999/fk4abc").error(), ec::not_found);
  EXPECT_EQ(put({{"a", "three"}}).version, 1u);
}

TEST_P(storage_target_suite, keeps_large_files) {
  const std::string bytes(7'000'000, 'x');
  put({{"a", bytes}});
  EXPECT_EQ(get(1, "a"), bytes);
}

} // namespace depositd::testing
