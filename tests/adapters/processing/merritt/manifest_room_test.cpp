#include "adapters/processing/merritt/manifest_room.hpp"

#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <utility>
#include <vector>

namespace depositd::merritt {

namespace {

constexpr std::uint64_t most = 3'200;
constexpr std::uint64_t small = most / 32;

class a_manifest_room : public ::testing::Test {
protected:
  bool enter(const std::string& user, std::uint64_t cost) {
    auto place = room.enter(user, cost);
    if (!place)
      return false;
    places.push_back(std::move(*place));
    return true;
  }

  manifest_room room{most};
  std::vector<manifest_room::place> places; ///< that are taken
};

} // namespace

TEST_F(a_manifest_room, lets_one_depositor_have_half_of_it) {
  EXPECT_TRUE(enter("ann", most / 4));
  EXPECT_TRUE(enter("ann", most / 4));
  EXPECT_FALSE(enter("ann", small + 1));
  EXPECT_TRUE(enter("ben", most / 2));
  EXPECT_FALSE(enter("cleo", small + 1)) << "it is full";
}

TEST_F(a_manifest_room, has_room_for_small_ones_whatever_others_take) {
  EXPECT_TRUE(enter("ann", most / 2));
  EXPECT_TRUE(enter("ben", most / 2));
  for (int i = 0; i < 1'000; ++i)
    EXPECT_TRUE(enter(i % 2 != 0 ? "ann" : "cleo", small));
}

TEST_F(a_manifest_room, lets_in_what_is_larger_than_all_of_it) {
  EXPECT_TRUE(enter("ann", 100 * most));
  EXPECT_FALSE(enter("ann", small + 1));
  EXPECT_TRUE(enter("ben", 100 * most)) << "another has as much";
  EXPECT_FALSE(enter("cleo", small + 1));
}

TEST_F(a_manifest_room, is_free_once_its_places_are) {
  EXPECT_TRUE(enter("ann", most / 2));
  EXPECT_TRUE(enter("ben", most / 2));
  places.clear();
  EXPECT_TRUE(enter("ben", most / 4));
  EXPECT_TRUE(enter("ben", most / 4));
  EXPECT_TRUE(enter("ann", most / 2));
  places.pop_back();
  EXPECT_TRUE(enter("cleo", most / 2));
  EXPECT_FALSE(enter("ben", small + 1));
}

TEST_F(a_manifest_room, counts_bytes_and_lines_of_the_file) {
  const temporary_folder home;
  const auto path = home.path() / "o.checkm";
  const auto write = [&](std::size_t lines, std::size_t bytes_of_each) {
    std::ofstream out{path, std::ios::trunc};
    for (std::size_t i = 0; i < lines; ++i)
      out << std::string(bytes_of_each - 1, 'x') << '\n';
  };
  manifest_room of_a_megabyte{1 << 20};
  EXPECT_TRUE(of_a_megabyte.enter_with("ann", path)) << "nobody can tell";
  write(200, 1'000); // 528,000: half of the room at most
  {
    const auto first = of_a_megabyte.enter_with("ann", path);
    EXPECT_TRUE(first);
    EXPECT_FALSE(of_a_megabyte.enter_with("ann", path));
    EXPECT_TRUE(of_a_megabyte.enter_with("ben", path));
  }
  write(400, 20); // few bytes, 272,000
  const auto first = of_a_megabyte.enter_with("ann", path);
  EXPECT_TRUE(first);
  EXPECT_FALSE(of_a_megabyte.enter_with("ann", path)) << "half would be full";
  write(10, 20);
  EXPECT_TRUE(of_a_megabyte.enter_with("ann", path));
}

} // namespace depositd::merritt
