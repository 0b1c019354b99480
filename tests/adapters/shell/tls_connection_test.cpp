#include "adapters/shell/connection.hpp"

#include "tests/adapters/shell/other_process.hpp"
#include "tests/support/certificates.hpp"

#include <gtest/gtest.h>

namespace depositd::shell {
namespace {

using namespace std::chrono_literals;

class tls_connection : public ::testing::Test {
protected:
  link_files of(const std::string& who, const std::string& ca = "ca") const {
    const auto out = files_.of(who, ca);
    return {out.certificate, out.key, out.ca};
  }

  void SetUp() override {
    if (!files_.good)
      GTEST_SKIP() << "no openssl program to make certificates with";
    const auto own = of("engine");
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

  testing::certificates files_;
  std::optional<other_process> engine_;
};

TEST_F(tls_connection, with_a_certificate_of_the_authority_works) {
  const auto answer = ask(of("operator"));
  ASSERT_TRUE(answer) << render(answer.error());
  EXPECT_EQ(*answer, "status{}");
}

TEST_F(tls_connection, without_or_with_a_strange_certificate_is_refused) {
  for (const auto& tls :
       {link_files{}, of("stranger"), of("stranger", "other_ca")}) {
    const auto answer = ask(tls, 2s);
    ASSERT_FALSE(answer);
    EXPECT_FALSE(is_refusal(answer.error()));
  }
  EXPECT_TRUE(ask(of("operator")));
}

TEST_F(tls_connection, without_tls_is_told_that_it_is_needed) {
  const auto answer = ask({});
  ASSERT_FALSE(answer);
  EXPECT_NE(render(answer.error()).find("it speaks TLS, and this end does not"),
            std::string::npos)
    << render(answer.error());
}

TEST_F(tls_connection, is_told_where_there_is_none) {
  engine_.emplace();
  const auto answer = ask(of("operator"));
  ASSERT_FALSE(answer);
  EXPECT_NE(
    render(answer.error()).find("TLS: the other end does not speak it"),
    std::string::npos)
    << render(answer.error());
}

} // namespace
} // namespace depositd::shell
