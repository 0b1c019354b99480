#include "adapters/stores/rows/catalogue_rows.hpp"

#include <gtest/gtest.h>

namespace depositd::rows {
namespace {

std::vector<stored_file> files_of(char digit) {
  return {{"data/a", 1, std::string(128, digit)},
          {"data/b", 2, std::string(128, 'b')}};
}

version_number known(std::uint32_t number) {
  return {.number = number, .is_known = true};
}

version_number fresh(std::uint32_t number) {
  return {.number = number};
}

TEST(version_numbers, a_new_number_is_taken_as_it_is) {
  EXPECT_EQ(number_for({}, 1, files_of('a')), fresh(1));
  EXPECT_EQ(number_for({{1, {}}}, 3, files_of('a')), fresh(3));
  EXPECT_EQ(number_for({{3, {}}}, 2, files_of('a')), fresh(2))
    << "of a job that came late";
}

TEST(version_numbers, the_same_files_are_the_same_version) {
  EXPECT_EQ(number_for({{1, files_of('a')}}, 1, files_of('a')), known(1));
  auto turned = files_of('a');
  std::swap(turned[0], turned[1]);
  EXPECT_EQ(number_for({{1, files_of('a')}}, 1, turned), known(1));
  EXPECT_EQ(
    number_for({{1, files_of('a')}, {2, files_of('c')}}, 1, files_of('c')),
    known(2))
    << "it got its number here before";
}

TEST(version_numbers, other_files_are_the_next_version) {
  EXPECT_EQ(number_for({{1, files_of('a')}}, 1, files_of('c')), fresh(2));
  EXPECT_EQ(
    number_for({{7, files_of('d')}, {1, files_of('a')}}, 1, files_of('c')),
    fresh(8));
  auto fewer = files_of('a');
  fewer.pop_back();
  EXPECT_EQ(number_for({{1, files_of('a')}}, 1, fewer), fresh(2));
  auto longer = files_of('a');
  ++longer[0].bytes;
  EXPECT_EQ(number_for({{1, files_of('a')}}, 1, longer), fresh(2));
}

} // namespace
} // namespace depositd::rows
