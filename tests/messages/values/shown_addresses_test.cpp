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

/// As PHP writes "/" in JSON, other programs "&", and XML has to.
TEST(shown_addresses, do_not_say_it_however_a_text_has_their_characters) {
  for (const auto* text :
       {R"("https://h/a?b=1\u0026sig=hidden")",
        R"("https:\/\/h\/a?b=1&sig=hidden")",
        R"("https://u:hidden\u0040h/a")",
        R"("https://h/a\u003Fsig\u003dhidden")",
        R"("https:\u002f\u002fh/a?sig=hidden")",
        "<x>https://h/a?b=1&amp;sig=hidden</x>",
        "<x>https://h/a?b=1&#38;sig=hidden</x>",
        "<x>https://h/a?b=1&#x26;sig&#61;hidden</x>"}) {
    const auto shown = without_secrets_in(text);
    EXPECT_EQ(shown.find("hidden"), shown.npos) << shown;
    EXPECT_NE(shown.find("h/a"), shown.npos) << shown;
    EXPECT_EQ(shown.back(), text[std::string{text}.size() - 1]) << shown;
  }
}

TEST(shown_addresses, end_where_the_text_around_them_goes_on) {
  EXPECT_EQ(without_secrets_in(R"("https://h/a?sig=x\u0022,\n\"y\"")"),
            R"("https://h/a?sig=***\u0022,\n\"y\"")");
  EXPECT_EQ(without_secrets_in("<a>http://h/?b&amp;c=1&lt;/a>"),
            "<a>http://h/?b&amp;c=1&lt;/a>");
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
