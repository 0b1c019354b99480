// What depositors get back, in a bucket.

#include "adapters/stores/restoration/s3_restoration.hpp"
#include "tests/contract/restoration_suite.hpp"
#include "tests/support/s3_server.hpp"

namespace depositd {

namespace {

testing::restoration_place make_bucket(const std::filesystem::path&) {
  const auto options = shared_s3().options();
  auto opened = open_s3_restoration(options);
  EXPECT_TRUE(opened) << render(opened.error());
  const auto bucket = std::make_shared<s3::client>(options);
  const auto content =
    [=](const std::string& path) -> std::optional<std::string> {
    auto out = bucket->get(path, 1'000'000);
    if (!out)
      return std::nullopt;
    return std::move(*out);
  };
  return {std::move(*opened), content, bucket->title("")};
}

std::vector<testing::restoration_maker> s3_places() {
  if (!s3_installed())
    return {};
  return {&make_bucket};
}

} // namespace

namespace testing {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(restoration_suite);
INSTANTIATE_TEST_SUITE_P(s3, restoration_suite,
                         ::testing::ValuesIn(s3_places()));

} // namespace testing

TEST(s3_restoration, says_at_once_that_there_is_no_bucket) {
  if (!s3_installed())
    GTEST_SKIP() << "S3 CANNOT RUN HERE";
  auto options = shared_s3().options();
  options.place.bucket = "nobodys";
  options.tries = 1;
  const auto opened = open_s3_restoration(options);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error(), ec::store_failed);
}

} // namespace depositd
