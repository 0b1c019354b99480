#pragma once

// What every receiving place must do.

#include "messages/ports/receiving_place.hpp"
#include "tests/support/temporary_folder.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace depositd {

/// Opens an empty place, and puts things there as institutions do.
class receiving_driver {
public:
  virtual ~receiving_driver() = default;

  virtual std::unique_ptr<receiving_place> open() = 0;
  virtual void put(const std::string& key, const std::string& bytes) = 0;
};

struct receiving_candidate {
  std::string name;
  std::function<std::unique_ptr<receiving_driver>()> make;
};

class receiving_suite : public ::testing::TestWithParam<receiving_candidate> {
protected:
  void SetUp() override {
    driver = GetParam().make();
    if (!driver)
      GTEST_SKIP();
    place = driver->open();
    ASSERT_NE(place, nullptr);
  }

  /// Names in order, with sizes.
  std::string listed() {
    std::vector<std::string> found;
    const auto failed = place->each([&](const received_bag& x) {
      found.push_back(x.name + ":" + std::to_string(x.bytes));
      return caf::error{};
    });
    EXPECT_FALSE(failed) << render(failed);
    std::sort(found.begin(), found.end());
    std::string out;
    for (const auto& x : found)
      out += (out.empty() ? "" : " ") + x;
    return out;
  }

  std::unique_ptr<receiving_driver> driver;
  std::unique_ptr<receiving_place> place;
  temporary_folder here;
};

TEST_P(receiving_suite, lists_bags_and_nothing_else) {
  EXPECT_EQ(listed(), "");
  driver->put("photos.tar", "abc");
  driver->put("maps.tar", "de");
  driver->put("readme.txt", "hello");
  EXPECT_EQ(listed(), "maps.tar:2 photos.tar:3");
}

TEST_P(receiving_suite, names_what_it_passes_over) {
  driver->put("photos.tar", "abc");
  EXPECT_EQ(listed(), "photos.tar:3");
  EXPECT_TRUE(place->passed_over().empty());
  for (const auto* name : {"readme.txt", "photos.TAR", ".photos.tar.part"})
    driver->put(name, "hello");
  EXPECT_EQ(listed(), "photos.tar:3");
  auto names = place->passed_over();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"photos.TAR", "readme.txt"}));
}

TEST_P(receiving_suite, lists_what_it_shows) {
  driver->put("photos.tar", "abc");
  received_bag seen;
  ASSERT_FALSE(place->each([&](const received_bag& x) {
    seen = x;
    return caf::error{};
  }));
  const auto shown = place->look("photos.tar");
  ASSERT_TRUE(shown) << render(shown.error());
  EXPECT_EQ(shown->etag, seen.etag);
  EXPECT_EQ(shown->bytes, 3u);
  EXPECT_FALSE(seen.etag.empty());
  EXPECT_NE(seen.modified_us, never);
}

TEST_P(receiving_suite, ends_with_the_error_of_who_takes) {
  driver->put("photos.tar", "abc");
  EXPECT_EQ(place->each([](const received_bag&) {
    return caf::make_error(ec::too_large, "enough");
  }),
            ec::too_large);
}

TEST_P(receiving_suite, gives_other_bytes_another_tag) {
  driver->put("photos.tar", "abc");
  const auto before = place->look("photos.tar");
  driver->put("photos.tar", "abd");
  const auto after = place->look("photos.tar");
  ASSERT_TRUE(before && after);
  EXPECT_NE(before->etag, after->etag);
}

TEST_P(receiving_suite, knows_what_is_not_there) {
  EXPECT_EQ(place->look("photos.tar").error(), ec::not_found);
  EXPECT_EQ(place->fetch("photos.tar", here.path() / "x"), ec::not_found);
  EXPECT_FALSE(std::filesystem::exists(here.path() / "x"));
}

TEST_P(receiving_suite, fetches_all_bytes) {
  std::string bytes(3'000'000, 'x');
  for (std::size_t i = 0; i < bytes.size(); i += 997)
    bytes[i] = static_cast<char>(i);
  driver->put("photos.tar", bytes);
  const auto to = here.path() / "x";
  ASSERT_FALSE(place->fetch("photos.tar", to));
  std::ifstream in{to, std::ios::binary};
  EXPECT_TRUE(std::string(std::istreambuf_iterator<char>{in}, {}) == bytes);
}

TEST_P(receiving_suite, removes_a_bag_only_if_it_is_still_the_one) {
  driver->put("photos.tar", "abc");
  const auto first = place->look("photos.tar");
  ASSERT_TRUE(first);
  driver->put("photos.tar", "abd");
  const auto kept = place->remove("photos.tar", first->etag);
  ASSERT_TRUE(kept) << render(kept.error());
  EXPECT_FALSE(*kept);
  EXPECT_EQ(listed(), "photos.tar:3");
  const auto gone =
    place->remove("photos.tar", place->look("photos.tar")->etag);
  ASSERT_TRUE(gone) << render(gone.error());
  EXPECT_TRUE(*gone);
  EXPECT_EQ(listed(), "");
}

TEST_P(receiving_suite, removing_what_is_gone_is_done) {
  const auto gone = place->remove("photos.tar", "abc");
  ASSERT_TRUE(gone) << render(gone.error());
  EXPECT_TRUE(*gone);
}

} // namespace depositd
