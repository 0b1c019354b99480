// How an operator signs in.

#include "adapters/shell/grammar.hpp"
#include "adapters/shell/secrets.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace depositd::shell {
namespace {

class tokens_test : public ::testing::Test {
protected:
  std::string write(const std::string& text, unsigned mode = 0600) {
    const auto file = folder.path() / "token";
    std::ofstream{file} << text;
    std::filesystem::permissions(file, std::filesystem::perms{mode});
    return file;
  }

  temporary_folder folder;
};

TEST_F(tokens_test, are_a_name_and_a_password_in_a_line) {
  const auto token = read_token(write("anna:a:b c\n"));
  ASSERT_TRUE(token) << render(token.error());
  EXPECT_EQ(token->name, "anna");
  EXPECT_EQ(token->password, "a:b c");
}

TEST_F(tokens_test, that_others_can_read_are_refused) {
  for (const unsigned mode : {0640u, 0604u, 0620u, 0601u}) {
    const auto token = read_token(write("anna:secret\n", mode));
    ASSERT_FALSE(token) << std::oct << mode;
    EXPECT_EQ(token.error(), ec::bad_setting);
    EXPECT_NE(render(token.error()).find("chmod 600"), std::string::npos);
  }
}

TEST_F(tokens_test, that_say_nothing_are_refused) {
  for (const auto* text : {"", "anna", ":secret", "anna:", "\nanna:secret"})
    EXPECT_EQ(read_token(write(text)).error(), ec::bad_setting) << text;
  EXPECT_EQ(read_token(folder.path() / "none").error(), ec::bad_setting);
  EXPECT_EQ(read_token(folder.path()).error(), ec::bad_setting);
}

TEST_F(tokens_test, are_found_by_option_or_environment) {
  ::setenv("DEPOSITCTL_TOKEN_FILE", "/from/environment", 1);
  EXPECT_EQ(read_connection({"status"})->token_file, "/from/environment");
  EXPECT_EQ(read_connection({"--token-file", "/x", "status"})->token_file,
            "/x");
  ::unsetenv("DEPOSITCTL_TOKEN_FILE");
  EXPECT_EQ(read_connection({"status"})->token_file, "");
}

TEST_F(tokens_test, stand_aside_for_a_name_and_a_password) {
  const auto where =
    read_connection({"--operator", "ben", "--password-stdin", "status"});
  ASSERT_TRUE(where);
  EXPECT_EQ(where->operator_name, "ben");
  EXPECT_TRUE(where->password_from_stdin);
  std::istringstream in{"mine\ntheirs\n"};
  std::ostringstream out;
  terminal pipe{in, out, out};
  EXPECT_EQ(*read_own_password(pipe), "mine");
  EXPECT_EQ(*read_password(pipe), "theirs") << "of the command itself";
  EXPECT_FALSE(read_own_password(pipe));
}

} // namespace
} // namespace depositd::shell
