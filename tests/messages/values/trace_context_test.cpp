#include "messages/values/trace_context.hpp"

#include <gtest/gtest.h>

#include <string>

namespace depositd {
namespace {

const std::string good
  = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(trace_context, is_four_numbers_of_known_length) {
  EXPECT_TRUE(legal_traceparent(good));
  EXPECT_TRUE(legal_traceparent(good.substr(0, 53) + "00"));
}

TEST(trace_context, is_nothing_else) {
  for (const auto& x :
       {std::string{}, "01" + good.substr(2), "ff" + good.substr(2),
        good + "-00", good + " ", " " + good, good + '\n',
        "00-" + std::string(32, '0') + good.substr(35),
        good.substr(0, 36) + std::string(16, '0') + "-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736" + good.substr(35),
        good.substr(0, 53) + "0g", std::string{"00--00f067aa0ba902b7-01"}})
    EXPECT_FALSE(legal_traceparent(x)) << x;
  for (std::size_t i = 0; i < good.size(); ++i) {
    EXPECT_FALSE(legal_traceparent(good.substr(0, i)));
    auto other = good;
    other[i] = 'x';
    EXPECT_FALSE(legal_traceparent(other)) << other;
  }
}

} // namespace
} // namespace depositd
