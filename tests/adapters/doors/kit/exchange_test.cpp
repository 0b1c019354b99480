// Places of addresses, and files that are exchanged.

#include "adapters/doors/kit/address_limit.hpp"
#include "adapters/doors/kit/certificate_life.hpp"
#include "adapters/doors/kit/watched_files.hpp"

#include "tests/support/captured_log.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace depositd::kit {
namespace {

constexpr const char* certificate_until_2020 =
  "-----BEGIN CERTIFICATE-----\n"
  "MIIBGTCBvwIUI3awo+tqEQxx+//EerWgLPu+z+swCgYIKoZIzj0EAwIwDzENMAsG\n"
  "A1UEAwwEdGVzdDAeFw0xOTAxMDEwMDAwMDBaFw0yMDEyMzEyMzU5NTlaMA8xDTAL\n"
  "BgNVBAMMBHRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASSlN+I4IOvx4P4\n"
  "y5/zukuVQoD1QvdWZOtpwYYhrz14s82zp0o8ROIGR0UXzz8E2x78m4SWPstbkH4a\n"
  "8v4KE8uHMAoGCCqGSM49BAMCA0kAMEYCIQDmJRNAgBhLqAeTAsAADfSBC6VSrODv\n"
  "DED7v3Re3zJt9wIhAKImw4KqxO6QPCZ09C9eZ9+D76vXf8Evp3kHvPlgmWze\n"
  "-----END CERTIFICATE-----\n";

constexpr const char* certificate_until_2049 =
  "-----BEGIN CERTIFICATE-----\n"
  "MIIBGTCBvwIUfiqeKv+ZASrxUQ4x5VHpWEwTZeEwCgYIKoZIzj0EAwIwDzENMAsG\n"
  "A1UEAwwEdGVzdDAeFw0xOTAxMDEwMDAwMDBaFw00OTEyMzEyMzU5NTlaMA8xDTAL\n"
  "BgNVBAMMBHRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARCRZEjQkMNI+MQ\n"
  "wq8qVUbbGGQnSOZezbPgz1OFObErWSiE26JaHgMhHhmfb5ExhuRVWbwS0BC50s/k\n"
  "1XGimCv1MAoGCCqGSM49BAMCA0kAMEYCIQD3dgHwPWWklThnNVYV2IhE6gZBpOIg\n"
  "MXt9rA72muzgwwIhALnX2yLO7PUiXO6howq8oi+W36VJIm5u1XHkWLLJPFew\n"
  "-----END CERTIFICATE-----\n";

constexpr std::int64_t end_of_2020 = 1609459199;
constexpr std::int64_t end_of_2049 = 2524607999;

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

TEST_F(watched_files_test, that_are_kept_leave_the_certificate_its_age) {
  const testing::captured_log said;
  const auto one = write("one", certificate_until_2020);
  auto files = watch({one});
  EXPECT_EQ(files.life()->until(), end_of_2020);
  files.look();
  files.look();
  EXPECT_TRUE(files.life()->is_due());
  EXPECT_EQ(said.count("certificate_over use=test"), 1u) << said.text();
  failure_ = caf::make_error(ec::bad_setting, std::string{"no such key"});
  write("one", certificate_until_2049);
  files.look();
  EXPECT_EQ(files.life()->until(), end_of_2020) << "it is still in use";
  failure_ = caf::none;
  files.read();
  files.look();
  EXPECT_EQ(files.life()->until(), end_of_2049);
  EXPECT_FALSE(files.life()->is_due());
  EXPECT_EQ(said.count("certificate_over"), 1u) << said.text();
}

TEST_F(watched_files_test, of_a_chain_count_until_its_first_certificate_ends) {
  const auto chain =
    std::string{certificate_until_2049} + certificate_until_2020;
  EXPECT_EQ(validity_of(write("chain", chain)).until, end_of_2020);
  EXPECT_EQ(validity_of(write("none", "no certificate")).until, 0);
  EXPECT_EQ(validity_of("/nowhere").until, 0);
}

TEST(certificate_age, is_due_when_its_renewal_was_missed) {
  constexpr std::int64_t hour = 3600;
  constexpr std::int64_t day = 24 * hour;
  const validity year{1000, 1000 + 365 * day};
  EXPECT_EQ(age_at(year, year.until - 14 * day - 1), certificate_age::fine);
  EXPECT_EQ(age_at(year, year.until - 14 * day), certificate_age::due);
  EXPECT_EQ(age_at(year, year.until - 1), certificate_age::due);
  EXPECT_EQ(age_at(year, year.until), certificate_age::over);
  const validity short_lived{1000, 1000 + 10 * hour};
  EXPECT_EQ(age_at(short_lived, 1000 + 8 * hour - 1), certificate_age::fine);
  EXPECT_EQ(age_at(short_lived, 1000 + 8 * hour), certificate_age::due);
  EXPECT_EQ(age_at({}, 1000), certificate_age::fine) << "not known";
}

TEST_F(watched_files_test, without_names_are_none) {
  auto files = watch({"", ""});
  files.look();
  files.read();
  EXPECT_EQ(taken_, 0);
}

} // namespace
} // namespace depositd::kit
