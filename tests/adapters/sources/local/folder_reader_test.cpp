#include "adapters/sources/local/folder_reader.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace depositd::sources {

namespace {

namespace fs = std::filesystem;

class folder_reader_test : public ::testing::Test {
protected:
  folder_reader_test() {
    settings.kind = source_kind::folder;
    settings.from.path = root().string();
    context.body_bytes_max = 10'000;
    fs::create_directory(root());
    open();
  }

  fs::path root() const {
    return folder.path() / "root";
  }

  void open() {
    auto made = make_folder_reader("src", settings, context);
    ASSERT_TRUE(made) << render(made.error());
    reader = std::move(*made);
  }

  void put(const fs::path& name, const std::string& bytes = "x") {
    fs::create_directories((root() / name).parent_path());
    std::ofstream{root() / name} << bytes;
  }

  caf::expected<pulled_batch> ask(std::uint64_t limit,
                                  std::string cursor = {}) {
    return reader->next_batch(
      {limit, std::move(cursor), std::chrono::seconds{60}});
  }

  pulled_batch next(std::uint64_t limit = 100, std::string cursor = {}) {
    auto out = ask(limit, std::move(cursor));
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : pulled_batch{};
  }

  std::vector<std::string> keys(std::uint64_t limit = 100,
                                std::string cursor = {}) {
    std::vector<std::string> out;
    for (const auto& x : next(limit, std::move(cursor)).records)
      out.push_back(x.key);
    return out;
  }

  using names = std::vector<std::string>;

  temporary_folder folder;
  source_settings settings;
  reader_context context;
  std::unique_ptr<source_reader> reader;
};

} // namespace

TEST_F(folder_reader_test, says_of_a_file_where_it_is_and_how_large) {
  put("deep/er/file.txt", "12345");
  const timespec times[2] = {{1'700'000'000, 250'000'000},
                             {1'700'000'000, 250'000'000}};
  const auto file = root() / "deep/er/file.txt";
  ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  put("top");
  const auto batch = next();
  ASSERT_EQ(batch.records.size(), 2u);
  EXPECT_EQ(batch.records[0].key, "deep/er/file.txt");
  EXPECT_EQ(batch.records[0].user, "src");
  EXPECT_EQ(batch.records[0].body,
            "{\"path\":\"" + file.string()
              + "\",\"name\":\"file.txt\",\"directory\":\"deep\",\"size\":5,"
                "\"modified_at\":\"2023-11-14T22:13:20.250Z\"}");
  const auto top = nlohmann::json::parse(batch.records[1].body);
  EXPECT_EQ(top["name"], "top");
  EXPECT_EQ(top["directory"], "");
}

TEST_F(folder_reader_test, has_the_order_of_the_bytes_of_paths) {
  for (const auto* name : {"b", "a/x", "a0", "a-", "a.b/c", "a/b/c"})
    put(name);
  EXPECT_EQ(keys(), (names{"a-", "a.b/c", "a/b/c", "a/x", "a0", "b"}));
}

TEST_F(folder_reader_test, passes_over_what_is_hidden_or_no_file) {
  put(".hidden");
  put(".folder/file");
  put("seen/.hidden");
  put("seen/file");
  fs::create_directory(root() / "empty");
  ASSERT_EQ(::mkfifo((root() / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(keys(), names{"seen/file"});
}

TEST_F(folder_reader_test, follows_links_to_files_that_stay_inside) {
  put("a/file", "12345");
  std::ofstream{folder.path() / "outside"} << "x";
  fs::create_symlink("a/file", root() / "inside");
  fs::create_symlink("../outside", root() / "out");
  fs::create_symlink(folder.path() / "outside", root() / "out2");
  fs::create_directory_symlink("a", root() / "linked");
  fs::create_directory_symlink(folder.path(), root() / "up");
  fs::create_symlink("nowhere", root() / "dangling");
  fs::create_symlink("loop", root() / "loop");
  const auto batch = next();
  ASSERT_EQ(batch.records.size(), 2u);
  EXPECT_EQ(batch.records[0].key, "a/file");
  EXPECT_EQ(batch.records[1].key, "inside");
  EXPECT_EQ(nlohmann::json::parse(batch.records[1].body)["size"], 5);
}

TEST_F(folder_reader_test, may_itself_be_a_link) {
  put("file");
  fs::create_directory_symlink(root(), folder.path() / "link");
  settings.from.path = (folder.path() / "link").string() + "/";
  open();
  const auto batch = next();
  ASSERT_EQ(batch.records.size(), 1u);
  EXPECT_EQ(nlohmann::json::parse(batch.records[0].body)["path"],
            (folder.path() / "link/file").string());
}

TEST_F(folder_reader_test, begins_anew_at_the_end) {
  for (const auto* name : {"b", "c", "d"})
    put(name);
  auto batch = next(2);
  EXPECT_FALSE(batch.ended);
  EXPECT_EQ(batch.cursor, "c");
  put("a"); // before all that was read
  batch = next(2, batch.cursor);
  ASSERT_EQ(batch.records.size(), 1u);
  EXPECT_TRUE(batch.ended);
  EXPECT_TRUE(batch.has_cursor);
  EXPECT_EQ(batch.cursor, "");
  EXPECT_EQ(keys(9, batch.cursor), (names{"a", "b", "c", "d"}));
}

TEST_F(folder_reader_test, forgets_what_went_away_meanwhile) {
  for (const auto* name : {"a", "b/x", "c"})
    put(name);
  const auto batch = next(1);
  fs::remove_all(root() / "b");
  EXPECT_EQ(keys(9, batch.cursor), names{"c"});
}

TEST_F(folder_reader_test, a_name_that_is_not_utf8_is_bad) {
  put("a%41");
  put("b\xff/file");
  put("c");
  auto batch = next(2);
  ASSERT_EQ(batch.records.size(), 1u);
  ASSERT_EQ(batch.bad.size(), 1u);
  EXPECT_EQ(batch.bad[0].key, "b\ufffd/file");
  EXPECT_EQ(batch.bad[0].reason, "the name is not UTF-8");
  EXPECT_EQ(batch.cursor, "b%FF/file") << "itself UTF-8";
  open();
  EXPECT_EQ(keys(2, batch.cursor), names{"c"});
  EXPECT_EQ(batch.records[0].cursor, "a%2541");
  EXPECT_EQ(next(2, batch.records[0].cursor).bad.size(), 1u);
}

TEST_F(folder_reader_test, a_folder_that_is_not_there_is_an_error) {
  put("a");
  put("b");
  const auto batch = next(1);
  fs::rename(root(), folder.path() / "away");
  for (const auto& cursor : {batch.cursor, std::string{}}) {
    const auto out = ask(9, cursor);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error(), ec::not_found);
    EXPECT_NE(render(out.error()).find(root().string()), std::string::npos);
  }
  std::ofstream{root()} << "a file in its place";
  EXPECT_EQ(ask(9).error(), ec::not_found);
}

TEST_F(folder_reader_test, another_folder_in_its_place_is_no_end) {
  put("a");
  put("b");
  const auto batch = next(1);
  fs::rename(root(), folder.path() / "away");
  fs::create_directory(root()); // as where a disk was mounted
  const auto out = ask(9, batch.cursor);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::not_found);
}

TEST_F(folder_reader_test, a_time_that_is_over_ends_the_walk) {
  put("a");
  const auto out = reader->next_batch({1, {}, std::chrono::milliseconds{0}});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::store_failed);
  EXPECT_EQ(keys(), names{"a"});
}

TEST_F(folder_reader_test, goes_on_where_the_time_was_over_for_one_batch) {
  for (int i = 0; i < 5'000; ++i)
    fs::create_directory(root() / std::to_string(i));
  put("z");
  names got;
  bool ended = false;
  std::string cursor;
  for (int i = 0; i < 1'000 && !ended; ++i) {
    auto out = reader->next_batch({9, cursor, std::chrono::milliseconds{20}});
    if (!out)
      continue; // the machine had other things to do
    for (const auto& x : out->records)
      got.push_back(x.key);
    cursor = out->cursor;
    ended = out->ended;
  }
  EXPECT_EQ(got, names{"z"});
  EXPECT_TRUE(ended);
}

TEST_F(folder_reader_test, a_cursor_of_another_kind_is_malformed) {
  for (const auto* cursor : {"%", "%4", "%zz", "a%4z"}) {
    const auto out = ask(1, cursor);
    ASSERT_FALSE(out) << cursor;
    EXPECT_EQ(out.error(), ec::malformed);
  }
}

TEST_F(folder_reader_test, a_path_that_can_be_none_is_refused_at_once) {
  for (const auto& path :
       {std::string{}, std::string{"a\0b", 3}, std::string{"/\xff"}}) {
    settings.from.path = path;
    const auto made = make_folder_reader("src", settings, context);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error(), ec::bad_setting);
  }
  settings.from.path = "/no/such/folder";
  EXPECT_TRUE(make_folder_reader("src", settings, context))
    << "nothing is touched yet";
}

} // namespace depositd::sources
