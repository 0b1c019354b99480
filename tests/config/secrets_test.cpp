#include "config/secrets.hpp"

#include "config/setting_table.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace depositd {
namespace {

class secrets_test : public ::testing::Test {
protected:
  ~secrets_test() override {
    unsetenv("CREDENTIALS_DIRECTORY");
  }

  /// A file that only its owner may read.
  std::string file(const std::string& name, const std::string& text,
                   bool open_to_all = false) {
    const auto path = folder.path() / name;
    std::ofstream{path} << text;
    using std::filesystem::perms;
    std::filesystem::permissions(
      path,
      perms::owner_read | (open_to_all ? perms::others_read : perms::none));
    return path;
  }

  caf::expected<depositd_settings>
  made(std::vector<std::pair<std::string, std::string>> given) {
    std::vector<given_setting> all;
    for (auto& [key, value] : given)
      all.push_back({key, {value}, false, false, "--set " + key});
    return make_settings(all);
  }

  temporary_folder folder;
};

TEST_F(secrets_test, an_address_is_read_from_its_file) {
  const auto x =
    made({{"store.kind", "postgres"},
          {"store.url_file", file("url", "postgresql://a:b@h/d\nrest\n")}});
  ASSERT_TRUE(x) << render(x.error());
  EXPECT_EQ(x->store.url, "postgresql://a:b@h/d");
  EXPECT_TRUE(x->remarks.empty());
}

TEST_F(secrets_test, a_password_is_put_into_the_address) {
  const auto path = file("password", "it's 100%\r\n");
  const auto uri = made({{"store.kind", "postgres"},
                         {"store.url", "postgresql://a@h/d"},
                         {"store.password_file", path}});
  ASSERT_TRUE(uri) << render(uri.error());
  EXPECT_EQ(uri->store.url, "postgresql://a@h/d?password=it%27s%20100%25");
  const auto words = made({{"store.kind", "postgres"},
                           {"store.url", "host=h user=a"},
                           {"store.password_file", path}});
  ASSERT_TRUE(words);
  EXPECT_EQ(words->store.url, "host=h user=a password='it\\'s 100%'");
}

TEST_F(secrets_test, what_others_may_read_is_remarked_on) {
  const auto x = made({{"store.kind", "postgres"},
                       {"store.url_file", file("url", "u", true)}});
  ASSERT_TRUE(x);
  ASSERT_EQ(x->remarks.size(), 1u);
  EXPECT_EQ(x->remarks[0].find("store.url_file: others may read"), 0u);
}

TEST_F(secrets_test, what_cannot_be_read_is_refused_by_name) {
  for (const auto& path : {folder.path() / "absent", folder.path()}) {
    const auto x = made({{"store.url_file", path}});
    ASSERT_FALSE(x);
    EXPECT_EQ(render(x.error()).find("store.url_file: no text in"), 0u);
  }
  EXPECT_FALSE(made({{"store.url_file", file("empty", "\n")}}));
  const auto no_key = made({{"reviews.webhook_key_file", file("key", "\r\n")}});
  ASSERT_FALSE(no_key) << "callbacks would go out unsigned";
  EXPECT_EQ(render(no_key.error()).find("reviews.webhook_key_file: no text"),
            0u);
  const auto both =
    made({{"store.url", "u"}, {"store.url_file", file("url", "v")}});
  ASSERT_FALSE(both);
  EXPECT_NE(render(both.error()).find("is given too"), std::string::npos);
}

TEST_F(secrets_test, credentials_of_systemd_go_by_the_names_of_secrets) {
  setenv("CREDENTIALS_DIRECTORY", folder.path().c_str(), 1);
  file("store.url", "postgresql://h/d");
  file("kafka.tls.key_password", "k");
  const auto password = file("kafka.sasl.password", "p");
  const auto x = made({{"store.kind", "postgres"}});
  ASSERT_TRUE(x) << render(x.error());
  EXPECT_EQ(x->store.url, "postgresql://h/d");
  EXPECT_EQ(x->kafka.key_password, "k");
  EXPECT_EQ(x->kafka.sasl.password_file, password);
  const auto said =
    made({{"store.kind", "postgres"}, {"store.url", "postgresql://other/d"}});
  ASSERT_TRUE(said);
  EXPECT_EQ(said->store.url, "postgresql://other/d");
}

TEST_F(secrets_test, every_secret_has_a_setting_for_its_file) {
  const auto keys = setting_keys();
  for (const auto& secret : secret_table())
    EXPECT_EQ(
      std::count(keys.begin(), keys.end(), std::string{secret.name} + "_file"),
      1)
      << secret.name;
}

} // namespace
} // namespace depositd
