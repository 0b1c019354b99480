#include "adapters/shell/connection.hpp"

#include "tests/adapters/shell/other_process.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace depositd::shell {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// A folder with an authority and certificates that it (or nobody) signed.
class certificates {
public:
  certificates() {
    auto name = (fs::temp_directory_path() / "depositctl-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    authority("ca");
    authority("other_ca");
    signed_by("ca", "engine");
    signed_by("ca", "operator");
    signed_by("other_ca", "stranger");
  }

  ~certificates() {
    fs::remove_all(folder_);
  }

  certificates(const certificates&) = delete;
  certificates& operator=(const certificates&) = delete;

  std::string file(const std::string& name) const {
    return (folder_ / name).string();
  }

  link_files of(const std::string& who, const std::string& ca = "ca") const {
    return {file(who + ".pem"), file(who + ".key"), file(ca + ".pem")};
  }

  bool good = true;

private:
  void openssl(const std::string& words) {
    const auto line = "openssl " + words + " >/dev/null 2>&1";
    good = std::system(line.c_str()) == 0 && good;
  }

  void authority(const std::string& who) {
    openssl("req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=" + who
            + " -keyout " + file(who + ".key") + " -out " + file(who + ".pem"));
  }

  void signed_by(const std::string& ca, const std::string& who) {
    openssl("req -newkey rsa:2048 -nodes -subj /CN=" + who + " -keyout "
            + file(who + ".key") + " -out " + file(who + ".csr"));
    openssl("x509 -req -days 2 -CAcreateserial -in " + file(who + ".csr")
            + " -CA " + file(ca + ".pem") + " -CAkey " + file(ca + ".key")
            + " -out " + file(who + ".pem"));
  }

  fs::path folder_;
};

class tls_connection : public ::testing::Test {
protected:
  void SetUp() override {
    if (!files_.good)
      GTEST_SKIP() << "no openssl program to make certificates with";
    const auto own = files_.of("engine");
    engine_.emplace(server_files{own.certificate, own.key, own.ca});
  }

  /// Who is to be refused need not try for long; who is to be let in may have
  /// to on a busy machine.
  caf::expected<std::string> ask(const link_files& tls,
                                 std::chrono::milliseconds within = 20s) {
    connection_options options;
    options.engine = engine_->at();
    options.tls = tls;
    options.connect_within = within;
    auto link = connect(options);
    if (!link)
      return std::move(link.error());
    return (*link)->ask("status", "{}", 5s);
  }

  certificates files_;
  std::optional<other_process> engine_;
};

TEST_F(tls_connection, with_a_certificate_of_the_authority_works) {
  const auto answer = ask(files_.of("operator"));
  ASSERT_TRUE(answer) << render(answer.error());
  EXPECT_EQ(*answer, "status{}");
}

TEST_F(tls_connection, without_or_with_a_strange_certificate_is_refused) {
  for (const auto& tls : {link_files{}, files_.of("stranger"),
                          files_.of("stranger", "other_ca")}) {
    const auto answer = ask(tls, 2s);
    ASSERT_FALSE(answer);
    EXPECT_FALSE(is_refusal(answer.error()));
  }
  EXPECT_TRUE(ask(files_.of("operator")));
}

} // namespace
} // namespace depositd::shell
