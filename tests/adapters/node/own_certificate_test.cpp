#include "adapters/node/own_certificate.hpp"

#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>

namespace depositd::node {
namespace {

std::string output_of(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe{
    ::popen(command.c_str(), "r"), &::pclose};
  std::array<char, 4096> part{};
  std::string out;
  while (std::fgets(part.data(), part.size(), pipe.get()) != nullptr)
    out += part.data();
  return out;
}

class own_certificate_test : public ::testing::Test {
protected:
  std::string make(const std::string& subject) {
    const auto file = (folder.path() / "c.pem").string();
    const auto made = std::system(
      ("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj '" + subject
       + "' -keyout /dev/null -out " + file + " 2>/dev/null")
        .c_str());
    EXPECT_EQ(made, 0);
    return file;
  }

  temporary_folder folder;
};

TEST_F(own_certificate_test, has_a_name_and_a_fingerprint) {
  const auto file = make("/O=Press/CN=engine-1");
  const auto own = read_own_certificate(file);
  ASSERT_TRUE(own) << render(own.error());
  EXPECT_EQ(own->name, "engine-1");
  auto told = output_of("openssl x509 -noout -fingerprint -sha256 -in " + file);
  told = told.substr(told.find('=') + 1);
  std::string wanted;
  for (const char c : told)
    if (c != ':' && c != '\n')
      wanted += static_cast<char>(std::tolower(c));
  EXPECT_EQ(own->fingerprint, wanted);
}

TEST_F(own_certificate_test, may_have_no_name) {
  const auto own = read_own_certificate(make("/O=Press"));
  ASSERT_TRUE(own) << render(own.error());
  EXPECT_EQ(own->name, "");
  EXPECT_EQ(own->fingerprint.size(), 64u);
}

TEST_F(own_certificate_test, that_is_none_is_refused_by_file) {
  const auto file = folder.path() / "c.pem";
  EXPECT_EQ(read_own_certificate(file).error(), ec::bad_setting);
  std::ofstream{file} << "-----BEGIN CERTIFICATE-----\n";
  const auto own = read_own_certificate(file);
  ASSERT_FALSE(own);
  EXPECT_NE(render(own.error()).find(file.string()), std::string::npos);
}

} // namespace
} // namespace depositd::node
