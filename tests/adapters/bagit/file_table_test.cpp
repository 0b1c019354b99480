#include "adapters/bagit/file_table.hpp"

#include <gtest/gtest.h>

#include <string>

namespace depositd::bagit {

namespace {

digest sha256(char digit) {
  return {digest_algorithm::sha256, std::string(64, digit)};
}

} // namespace

TEST(file_table, finds_what_was_added) {
  file_table table;
  EXPECT_EQ(table.find("data/0"), file_table::none);
  for (int i = 0; i < 10'000; ++i)
    EXPECT_EQ(table.add("data/" + std::to_string(i)), file_index(i));
  for (int i = 0; i < 10'000; ++i) {
    const auto path = "data/" + std::to_string(i);
    EXPECT_EQ(table.find(path), file_index(i));
    EXPECT_EQ(table.path_of(file_index(i)), path);
  }
  EXPECT_EQ(table.add("data/77"), 77u);
  EXPECT_EQ(table.size(), 10'000u);
}

TEST(file_table, compares_digests_in_either_order) {
  file_table table;
  const auto x = table.add("data/x");
  const auto algorithm = digest_algorithm::sha256;
  EXPECT_EQ(table.state(x, algorithm), digest_state::unknown);
  table.add_listed(x, sha256('a'));
  EXPECT_EQ(table.state(x, algorithm), digest_state::listed);
  table.add_computed(x, sha256('a'));
  EXPECT_EQ(table.state(x, algorithm), digest_state::same);
  const auto y = table.add("data/y");
  table.add_computed(y, sha256('a'));
  EXPECT_EQ(table.state(y, algorithm), digest_state::computed);
  table.add_listed(y, sha256('b'));
  EXPECT_EQ(table.state(y, algorithm), digest_state::different);
}

TEST(file_table, tells_how_a_file_is_listed_again) {
  file_table table;
  const auto x = table.add("data/x");
  EXPECT_EQ(table.add_listed(x, sha256('a')), file_table::listing::first);
  EXPECT_EQ(table.add_listed(x, sha256('a')), file_table::listing::same);
  EXPECT_EQ(table.add_listed(x, sha256('b')), file_table::listing::different);
}

TEST(file_table, no_digit_of_a_digest_is_ignored) {
  for (const auto algorithm :
       {digest_algorithm::crc32, digest_algorithm::md5, digest_algorithm::sha1,
        digest_algorithm::sha224, digest_algorithm::sha512})
    for (std::size_t i = 0; i < digest_digits(algorithm); ++i) {
      file_table table;
      const auto x = table.add("data/x");
      digest value{algorithm, std::string(digest_digits(algorithm), '5')};
      table.add_listed(x, value);
      value.value[i] = '4';
      table.add_computed(x, value);
      EXPECT_EQ(table.state(x, algorithm), digest_state::different) << i;
    }
}

TEST(file_table, halves_of_a_digest_do_not_change_places) {
  const std::string a(32, 'a');
  const std::string b(32, 'b');
  file_table table;
  const auto x = table.add("data/x");
  table.add_listed(x, {digest_algorithm::sha256, a + b});
  table.add_computed(x, {digest_algorithm::sha256, b + a});
  EXPECT_EQ(table.state(x, digest_algorithm::sha256), digest_state::different);
}

TEST(file_table, costs_less_than_200_bytes_for_a_file) {
  file_table table;
  constexpr std::size_t files = 100'000;
  for (std::size_t i = 0; i < files; ++i) {
    auto path =
      "data/a folder of some depth/another one/file " + std::to_string(i);
    const auto index = table.add(path + std::string(80 - path.size(), 'x'));
    for (const auto algorithm :
         {digest_algorithm::md5, digest_algorithm::sha1,
          digest_algorithm::sha256, digest_algorithm::sha512})
      table.add_computed(
        index, {algorithm, std::string(digest_digits(algorithm), 'a')});
  }
  EXPECT_LT(table.memory() / files, 200u);
}

TEST(file_table, refuses_what_does_not_fit) {
  file_table table;
  EXPECT_EQ(table.add(std::string(70'000, 'x')), file_table::none);
  EXPECT_EQ(table.size(), 0u);
}

} // namespace depositd::bagit
