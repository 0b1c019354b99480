// What becomes of a client while the system has no more threads to give.

#include "adapters/logs/kafka/client.hpp"
#include "tests/support/few_threads.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fstream>

namespace depositd::kafka {

namespace {

TEST(kafka_client, is_closed_though_no_thread_can_be_had_for_it) {
  kafka_options options;
  options.brokers = "127.0.0.1:1";
  auto x = client::open(RD_KAFKA_PRODUCER, options, {});
  ASSERT_TRUE(x) << render(x.error());
  ASSERT_GT(rd_kafka_thread_cnt(), 0);
  {
    const testing::few_threads none{0};
    x->reset();
  }
  EXPECT_EQ(rd_kafka_thread_cnt(), 0);
}

class kafka_password : public ::testing::Test {
protected:
  caf::expected<std::unique_ptr<client>> open(const std::string& text) {
    kafka_options options;
    options.brokers = "127.0.0.1:1";
    options.password_file = here.path() / "password";
    std::ofstream{options.password_file} << text;
    return client::open(RD_KAFKA_PRODUCER, options, {});
  }

  temporary_folder here;
};

TEST_F(kafka_password, is_the_first_line_of_its_file_however_that_ends) {
  for (const auto* text : {"secret", "secret\n", "secret\r\nmore\r\n"}) {
    const auto x = open(text);
    ASSERT_TRUE(x) << render(x.error());
    std::array<char, 100> said{};
    std::size_t size = said.size();
    ASSERT_EQ(rd_kafka_conf_get(rd_kafka_conf((*x)->handle()), "sasl.password",
                                said.data(), &size),
              RD_KAFKA_CONF_OK);
    EXPECT_STREQ(said.data(), "secret");
  }
}

TEST_F(kafka_password, is_refused_if_there_is_none) {
  for (const auto* text : {"", "\n", "\r\n"})
    EXPECT_EQ(open(text).error(), ec::bad_setting) << text;
}

} // namespace

} // namespace depositd::kafka
