// Rows are those of the table of bad inputs.

#include "adapters/fetching/address_guard.hpp"

#include <gtest/gtest.h>

namespace depositd {

namespace {

using addresses = std::vector<std::string>;

/// Hosts that are what a test says.
host_resolver always(const addresses& found) {
  return [found](const std::string&) { return found; };
}

std::string refusal_of(const address_guard& guard, const std::string& text) {
  const auto url = parse_url(text);
  if (!url) {
    EXPECT_EQ(url.error(), ec::malformed);
    return render(url.error());
  }
  const auto out = guard.admit(*url);
  if (out)
    return "";
  EXPECT_EQ(out.error(), ec::malformed);
  return render(out.error());
}

} // namespace

TEST(address_guard, row_43_refuses_this_machine_and_its_network) {
  const address_guard guard{{}};
  for (const auto* host : {"127.0.0.1",
                           "localhost",
                           "[::1]",
                           "0.0.0.0",
                           "169.254.169.254",
                           "2130706433",
                           "0x7f.1",
                           "0177.0.0.1",
                           "127.1",
                           "[::ffff:10.0.0.1]",
                           "[::ffff:a00:1]",
                           "metadata.google.internal",
                           "10.1.2.3",
                           "172.16.0.1",
                           "192.168.1.1",
                           "100.64.0.1",
                           "[fe80::1]",
                           "[fc00::1]",
                           "[::]",
                           "[64:ff9b::7f00:1]",
                           "[::ffff:0:7f00:1]",
                           "[2002:7f00:1::]",
                           "224.0.0.1",
                           "255.255.255.255",
                           "localhost.",
                           "LOCALHOST",
                           "metadata"})
    EXPECT_NE(refusal_of(guard, "http://" + std::string{host} + "/x"), "")
      << host;
}

TEST(address_guard, row_44_refuses_other_schemes_users_and_ports) {
  const address_guard guard{{}, always({"93.184.216.34"})};
  for (const auto* url :
       {"http://user:pass@example.org/", "http://user@example.org/",
        "file:///etc/passwd", "gopher://example.org/", "ftp://example.org/",
        "dict://example.org/", "http:///x", "http://", "http:/example.org",
        "http://example.org:22/", "http://example.org:0/",
        "http://example.org:99999/", "http://example.org/%0d%0aX:y",
        "http://exa mple.org/", "http://example.org\\@evil/", "//example.org",
        "", "HTTPSX://a/"})
    EXPECT_NE(refusal_of(guard, url), "") << url;
  for (const auto* url : {"http://example.org/x", "https://example.org:443/",
                          "HTTP://EXAMPLE.org", "http://example.org:80/?a=b"})
    EXPECT_EQ(refusal_of(guard, url), "") << url;
}

TEST(address_guard, admits_the_addresses_that_were_checked_and_no_others) {
  const address_guard guard{
    {}, always({"10.0.0.1", "93.184.216.34", "::1", "2606:2800:220:1::1"})};
  const auto out = guard.admit(*parse_url("https://example.org/"));
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(*out, (addresses{"93.184.216.34", "2606:2800:220:1::1"}));
}

TEST(address_guard, admits_what_the_operator_has_named) {
  const address_guard guard{{{"files.lan", 8080}, {"127.0.0.1", 9000}},
                            always({"192.168.1.5"})};
  EXPECT_EQ(refusal_of(guard, "http://files.lan:8080/a"), "");
  EXPECT_EQ(refusal_of(guard, "http://FILES.lan:8080/a"), "");
  EXPECT_EQ(refusal_of(guard, "http://127.0.0.1:9000/a"), "");
  EXPECT_EQ(refusal_of(guard, "http://files.lan:8081/a"),
            "\"files.lan:8081\" has a port that fetch.allow does not name");
  EXPECT_EQ(refusal_of(guard, "http://files.lan/a"),
            "\"files.lan:80\" is not on the public web, and fetch.allow does "
            "not name it");
}

TEST(address_guard, row_43_never_admits_metadata_whatever_is_named) {
  const address_guard guard{
    {{"meta", 80}, {"169.254.169.254", 80}, {"metadata.google.internal", 80}},
    always({"169.254.169.254"})};
  for (const auto* host :
       {"meta", "169.254.169.254", "metadata.google.internal"})
    EXPECT_NE(refusal_of(guard, "http://" + std::string{host} + "/"), "");
  const address_guard mapped{{{"meta", 80}},
                             always({"::ffff:169.254.169.254"})};
  EXPECT_NE(refusal_of(mapped, "http://meta/"), "");
}

TEST(address_guard, tells_hosts_that_are_not_there_from_refused_ones) {
  const address_guard guard{{}, [](const std::string&) {
                              return caf::expected<addresses>{
                                caf::make_error(ec::overloaded, "away")};
                            }};
  EXPECT_EQ(guard.admit(*parse_url("http://example.org/")).error(),
            ec::overloaded);
}

TEST(redirects, row_45_never_leave_tls_nor_the_web) {
  const auto secure = *parse_url("https://example.org/");
  const auto plain = *parse_url("http://example.org/");
  EXPECT_TRUE(check_redirect(plain, "https://example.org/x"));
  EXPECT_TRUE(check_redirect(plain, "http://other.org/x"));
  EXPECT_TRUE(check_redirect(secure, "https://other.org/x"));
  EXPECT_EQ(check_redirect(secure, "http://example.org/x").error(),
            ec::malformed);
  EXPECT_EQ(check_redirect(plain, "file:///etc/passwd").error(), ec::malformed);
}

} // namespace depositd
