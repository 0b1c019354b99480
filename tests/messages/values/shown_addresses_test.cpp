#include "messages/values/shown_addresses.hpp"

#include <gtest/gtest.h>

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

} // namespace depositd
