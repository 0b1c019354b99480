#include "messages/values/shown_addresses.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace depositd {

TEST(shown_addresses, in_texts_do_not_say_what_opens_them) {
  EXPECT_EQ(without_secrets_in(R"({"payload_url":"https://u:p@h/a?sig=hidden",)"
                               R"("n":1} http://h/b?X-Amz-Signature=hidden&x=2)"
                               "\nx"),
            R"({"payload_url":"https://***@h/a?sig=***",)"
            R"("n":1} http://h/b?X-Amz-Signature=***&x=2)"
            "\nx");
}

TEST(shown_addresses, leave_texts_without_them_as_they_are) {
  for (const auto* text : {"", "://", "key=1 token=2", "a://", "x ://y",
                           "{\"key\":\"sig=1\"}", "http://h/a?b=c"})
    EXPECT_EQ(without_secrets_in(text), text);
}

/// With what is looked at once for each place this would take hours.
TEST(shown_addresses, of_strangers_are_read_once) {
  constexpr std::size_t count = 1'000'000;
  const auto equals = "a://h/?" + std::string(count, '=');
  EXPECT_EQ(without_secrets_in(equals), equals);
  std::string hidden;
  std::string shown;
  for (std::size_t i = 0; i < count; ++i) {
    hidden += "&sig=x";
    shown += "&sig=***";
  }
  EXPECT_EQ(without_secrets_in("a://h/?" + hidden), "a://h/?" + shown);
}

} // namespace depositd
