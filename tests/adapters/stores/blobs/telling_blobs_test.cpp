#include "adapters/stores/blobs/telling_blobs.hpp"
#include "tests/support/captured_log.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace depositd {

namespace {

class blobs_by_hand final : public blob_store {
public:
  explicit blobs_by_hand(caf::error& failure) : failure_(failure) {
    // nop
  }

  caf::expected<std::string> put(std::string_view) override {
    return answer();
  }

  caf::expected<std::string> get(const std::string&) override {
    return answer();
  }

  caf::error backup(const std::filesystem::path&) override {
    return failure_;
  }

private:
  caf::expected<std::string> answer() const {
    if (failure_)
      return failure_;
    return std::string{"x"};
  }

  caf::error& failure_;
};

class telling_blobs : public ::testing::Test {
protected:
  testing::captured_log log;
  caf::error failure;
  std::unique_ptr<blob_store> blobs
    = make_telling_blobs(std::make_unique<blobs_by_hand>(failure));
};

TEST_F(telling_blobs, say_once_that_they_fail_and_that_it_is_over) {
  ASSERT_TRUE(blobs->put("x"));
  EXPECT_EQ(log.text(), "");
  failure = caf::make_error(ec::store_failed, "SlowDown");
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(blobs->put("x").error(), ec::store_failed);
  EXPECT_EQ(blobs->get("x").error(), ec::store_failed);
  EXPECT_EQ(log.count("blobs_fail"), 1u) << log.text();
  EXPECT_EQ(log.count("SlowDown"), 1u) << log.text();
  failure = {};
  ASSERT_TRUE(blobs->put("x"));
  ASSERT_TRUE(blobs->get("x"));
  EXPECT_EQ(log.count("blobs_work"), 1u) << log.text();
}

TEST_F(telling_blobs, say_nothing_of_what_is_not_there) {
  failure = caf::make_error(ec::not_found, "no such body");
  EXPECT_EQ(blobs->get("x").error(), ec::not_found);
  failure = caf::make_error(ec::store_damaged, "another digest");
  EXPECT_EQ(blobs->get("x").error(), ec::store_damaged);
  EXPECT_EQ(log.text(), "");
}

} // namespace

} // namespace depositd
