// Places of addresses, and files that are exchanged.

#include "adapters/doors/kit/address_limit.hpp"
#include "adapters/doors/kit/watched_files.hpp"

#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace depositd::kit {
namespace {

TEST(address_limit, counts_a_network_of_ipv6_as_one) {
  address_limit limit;
  limit.set(2);
  auto first = limit.enter("2001:db8:1:2::1");
  EXPECT_TRUE(limit.has_room("2001:db8:1:2::2"));
  auto second = limit.enter("2001:db8:1:2:3::4");
  EXPECT_FALSE(limit.has_room("2001:db8:1:2::5"));
  EXPECT_TRUE(limit.has_room("2001:db8:1:3::1"));
  first = {};
  EXPECT_TRUE(limit.has_room("2001:db8:1:2::5"));
}

TEST(address_limit, counts_addresses_of_ipv4_apart) {
  address_limit limit;
  limit.set(1);
  const auto one = limit.enter("192.0.2.1");
  EXPECT_FALSE(limit.has_room("::ffff:192.0.2.1"));
  EXPECT_TRUE(limit.has_room("192.0.2.2"));
}

TEST(address_limit, frees_a_place_once_wherever_it_went) {
  address_limit limit;
  limit.set(1);
  {
    auto place = limit.enter("a");
    const auto moved = std::move(place);
    EXPECT_FALSE(limit.has_room("a"));
  }
  EXPECT_TRUE(limit.has_room("a"));
  limit.set(0);
  const auto free = limit.enter("a");
  EXPECT_TRUE(limit.has_room("a")) << "no limit";
}

class watched_files_test : public ::testing::Test {
protected:
  std::string write(const std::string& name, const std::string& text) {
    const auto out = folder_.path() / name;
    // By another name first, as whoever exchanges files does.
    std::ofstream{folder_.path() / "new"} << text;
    std::filesystem::rename(folder_.path() / "new", out);
    return out.string();
  }

  watched_files watch(std::vector<std::string> files) {
    return {"test", std::move(files), [this] {
              ++taken_;
              return failure_;
            }};
  }

  temporary_folder folder_;
  caf::error failure_;
  int taken_ = 0;
};

TEST_F(watched_files_test, are_read_again_when_one_has_changed) {
  const auto one = write("one", "1");
  const auto two = write("two", "2");
  auto files = watch({one, two, ""});
  files.look();
  EXPECT_EQ(taken_, 0) << "they were read at the start";
  write("two", "3");
  files.look();
  EXPECT_EQ(taken_, 1);
  files.look();
  EXPECT_EQ(taken_, 1);
  std::filesystem::remove(one);
  files.look();
  EXPECT_EQ(taken_, 2);
  files.read();
  EXPECT_EQ(taken_, 3) << "asked for";
}

TEST_F(watched_files_test, that_do_not_fit_are_tried_again_when_they_change) {
  const auto one = write("one", "1");
  auto files = watch({one});
  failure_ = caf::make_error(ec::bad_setting, std::string{"half of it"});
  write("one", "22");
  files.look();
  files.look();
  EXPECT_EQ(taken_, 1);
  failure_ = caf::none;
  write("one", "333");
  files.look();
  EXPECT_EQ(taken_, 2);
}

TEST_F(watched_files_test, without_names_are_none) {
  auto files = watch({"", ""});
  files.look();
  files.read();
  EXPECT_EQ(taken_, 0);
}

} // namespace
} // namespace depositd::kit
