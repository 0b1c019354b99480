// Against servers on this machine. Names of tests begin with the rows of the
// case table, or of the table of bad inputs, that they stand for.

#include "adapters/digests/digester.hpp"
#include "adapters/fetching/web_downloader.hpp"
#include "tests/support/scripted_server.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <iterator>

namespace depositd {

namespace {

namespace fs = std::filesystem;
using server = testing::scripted_server;

std::string made_bytes(std::size_t count) {
  std::string out;
  while (out.size() < count)
    out += "line " + std::to_string(out.size()) + "\n";
  out.resize(count);
  return out;
}

class web_downloads : public ::testing::Test {
protected:
  caf::expected<download_result> fetch(const server& from,
                                       download_request x = {}) {
    const address_guard guard{{{"127.0.0.1", from.port()}}};
    if (x.url.empty())
      x.url = from.url("/file");
    x.to = target();
    return make_web_downloader(guard, options)->fetch(x);
  }

  caf::expected<remote_size> measure(const server& from) {
    const address_guard guard{{{"127.0.0.1", from.port()}}};
    return make_web_downloader(guard, options)->measure(from.url("/file"));
  }

  fs::path target() const {
    return home.path() / "file";
  }

  fs::path part() const {
    return home.path() / "file.part";
  }

  std::string content() const {
    std::ifstream in{target(), std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

  static digest sha256(std::string_view bytes) {
    digester x{digest_algorithm::sha256};
    x.add(bytes);
    return x.finish();
  }

  /// The rest of `bytes` that a request asks for.
  static std::string range(const std::string& request,
                           const std::string& bytes) {
    const auto wanted = server::header(request, "Range");
    if (wanted.empty())
      return server::ok(bytes, "ETag: \"v1\"\r\n");
    const auto from = std::stoul(wanted.substr(6));
    const auto rest = bytes.substr(from);
    return server::response("206 Partial Content",
                            "Content-Length: " + std::to_string(rest.size())
                              + "\r\nContent-Range: bytes "
                              + std::to_string(from) + "-"
                              + std::to_string(bytes.size() - 1) + "/"
                              + std::to_string(bytes.size()) + "\r\n",
                            rest);
  }

  temporary_folder home;
  web_downloader_options options{.file_limit = std::chrono::seconds{20},
                                 .retry_delay = std::chrono::milliseconds{1}};
};

} // namespace

TEST_F(web_downloads, are_checked_and_digested_while_they_are_read) {
  const auto bytes = made_bytes(3'000'000);
  const server from{[&](const auto&) { return server::ok(bytes); }};
  const auto out = fetch(
    from, {.expected = sha256(bytes), .wanted = {digest_algorithm::sha256}});
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(out->bytes, bytes.size());
  EXPECT_EQ(out->digests, std::vector<digest>{sha256(bytes)});
  EXPECT_EQ(out->requests, 1u);
  EXPECT_EQ(content(), bytes);
  EXPECT_FALSE(fs::exists(part()));
}

TEST_F(web_downloads, of_empty_files_are_files) {
  const server from{[](const auto&) { return server::ok(""); }};
  const auto out = fetch(from, {.size = 0});
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_TRUE(fs::exists(target()));
}

TEST_F(web_downloads, S08_resume_where_the_connection_dropped) {
  const auto bytes = made_bytes(1'000'000);
  std::atomic<int> count = 0;
  const server from{[&](const std::string& request) {
    auto out = range(request, bytes);
    return count++ == 0 ? out.substr(0, out.size() - 400'000) : out;
  }};
  const auto out = fetch(from, {.expected = sha256(bytes)});
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(content(), bytes);
  const auto requests = from.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(server::header(requests[1], "Range"), "bytes=600000-");
  EXPECT_EQ(server::header(requests[1], "If-Range"), "\"v1\"");
}

TEST_F(web_downloads, S08_begin_anew_if_the_server_knows_no_ranges) {
  const auto bytes = made_bytes(1'000'000);
  std::atomic<int> count = 0;
  const server from{[&](const auto&) {
    auto out = server::ok(bytes);
    return count++ == 0 ? out.substr(0, 500'000) : out;
  }};
  ASSERT_TRUE(fetch(from, {.expected = sha256(bytes)}));
  EXPECT_EQ(content(), bytes);
}

TEST_F(web_downloads, begin_anew_if_the_file_has_changed_meanwhile) {
  const auto old_bytes = made_bytes(1'000'000);
  const auto new_bytes = std::string(900'000, 'n');
  std::atomic<int> count = 0;
  const server from{[&](const std::string& request) {
    return count++ == 0 ? server::ok(old_bytes).substr(0, 500'000)
                        : range(request, new_bytes);
  }};
  const auto out = fetch(from, {.size = new_bytes.size()});
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(content(), new_bytes);
}

TEST_F(web_downloads, S10_continue_what_an_earlier_attempt_has_left) {
  const auto bytes = made_bytes(100'000);
  std::ofstream{part(), std::ios::binary} << bytes.substr(0, 40'000);
  const server from{[&](const auto& request) { return range(request, bytes); }};
  const auto out = fetch(from, {.expected = sha256(bytes)});
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(content(), bytes);
  EXPECT_EQ(server::header(from.requests()[0], "Range"), "bytes=40000-");
}

TEST_F(web_downloads, S10_begin_anew_if_what_was_left_is_of_something_else) {
  const auto bytes = made_bytes(100'000);
  const server from{[&](const auto& request) { return range(request, bytes); }};
  for (const auto left : {std::size_t{40'000}, std::size_t{100'000}}) {
    std::ofstream{part(), std::ios::binary} << std::string(left, 'x');
    const auto out = fetch(from, {.expected = sha256(bytes)});
    ASSERT_TRUE(out) << render(out.error());
    EXPECT_EQ(content(), bytes);
  }
}

TEST_F(web_downloads, S10_need_no_bytes_if_all_were_left) {
  const auto bytes = made_bytes(100'000);
  std::ofstream{part(), std::ios::binary} << bytes;
  const server from{[&](const auto&) {
    return server::response("416 Range Not Satisfiable",
                            "Content-Length: 0\r\nContent-Range: bytes "
                            "*/100000\r\n",
                            "");
  }};
  ASSERT_TRUE(fetch(from, {.expected = sha256(bytes)}));
  EXPECT_EQ(content(), bytes);
}

TEST_F(web_downloads, row_38_fail_at_once_if_the_digest_is_wrong) {
  const server from{[](const auto&) { return server::ok("abc"); }};
  const auto out = fetch(from, {.expected = sha256("abd")});
  EXPECT_EQ(out.error(), ec::store_damaged);
  EXPECT_EQ(render(out.error()), "the sha-256 is " + sha256("abc").value
                                   + ", not " + sha256("abd").value);
  EXPECT_EQ(from.requests().size(), 1u);
  EXPECT_FALSE(fs::exists(target()));
  EXPECT_FALSE(fs::exists(part()));
}

TEST_F(web_downloads, row_38_are_judged_by_size_only_without_a_digest) {
  const server from{[](const auto&) { return server::ok("abc"); }};
  const auto out = fetch(from, {.size = 4});
  EXPECT_EQ(out.error(), ec::store_damaged);
  EXPECT_EQ(render(out.error()), "the file has 3 bytes, not 4");
  EXPECT_TRUE(fetch(from, {.expected = sha256("abc"), .size = 4}));
}

TEST_F(web_downloads, row_46_end_at_the_limit_of_size) {
  const server told{[](const auto&) { return server::ok("abcdef"); }};
  EXPECT_EQ(fetch(told, {.bytes_max = 5}).error(), ec::too_large);
  const server endless{[](const auto&) {
    return server::response("200 OK", "", std::string(2'000'000, 'x'));
  }};
  EXPECT_EQ(fetch(endless, {.bytes_max = 1'000}).error(), ec::too_large);
  EXPECT_FALSE(fs::exists(part()));
  EXPECT_TRUE(fetch(told, {.bytes_max = 6}));
}

TEST_F(web_downloads, known_by_their_size_are_no_longer) {
  const server endless{[](const auto&) {
    return server::response("200 OK", "", std::string(2'000'000, 'x'));
  }};
  EXPECT_EQ(render(fetch(endless, {.size = 5}).error()),
            "the file has more than 5 bytes");
  EXPECT_FALSE(fs::exists(part()));
}

TEST_F(web_downloads, leave_of_the_disk_what_is_to_be_free) {
  options.disk_free_min = fs::space(home.path()).capacity;
  const server endless{[](const auto&) {
    return server::response("200 OK", "", std::string(9'000'000, 'x'));
  }};
  const auto out = fetch(endless, {.expected = sha256("abc")});
  EXPECT_EQ(out.error(), ec::store_failed);
  EXPECT_NE(render(out.error()).find(" MB free"), std::string::npos);
  EXPECT_FALSE(fs::exists(part()));
  const server short_one{[](const auto&) { return server::ok("abc"); }};
  EXPECT_TRUE(fetch(short_one, {.expected = sha256("abc")}));
}

TEST_F(web_downloads, whose_headers_have_no_end_are_broken_off) {
  std::string trailers;
  while (trailers.size() < 2'000'000)
    trailers += "X-More: " + std::string(1'000, 'x') + "\r\n";
  const server endless{[&](const auto&) {
    return server::response("200 OK", "Transfer-Encoding: chunked\r\n",
                            "3\r\nabc\r\n0\r\n" + trailers + "\r\n");
  }};
  const auto out = fetch(endless);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::malformed);
  EXPECT_EQ(render(out.error()), "127.0.0.1 sends headers without end");
  EXPECT_EQ(endless.requests().size(), 1u);
  const server some{[](const auto&) {
    return server::response("200 OK", "Transfer-Encoding: chunked\r\n",
                            "3\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n");
  }};
  EXPECT_TRUE(fetch(some));
}

TEST_F(web_downloads, whose_answer_ends_within_its_head_are_no_empty_files) {
  std::atomic<int> count = 0;
  const std::string heads[] = {"HTTP/1.1 200 OK\r\nContent-Len",
                               "HTTP/1.1 302 Found\r\nX: y\r\n"};
  const server from{[&](const auto&) {
    const auto at = static_cast<std::size_t>(count++);
    return at < 2 ? heads[at] : server::ok("abc");
  }};
  const auto out = fetch(from);
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(out->requests, 3u);
  EXPECT_EQ(content(), "abc");
}

TEST_F(web_downloads, row_46_give_up_after_three_stalls) {
  const server from{[](const auto&) {
    return server::response("200 OK", "Content-Length: 100\r\n", "x");
  }};
  EXPECT_EQ(fetch(from, {}).error(), ec::overloaded);
  EXPECT_EQ(from.requests().size(), 3u);
}

TEST_F(web_downloads, look_a_name_up_once_however_it_ends) {
  const server files{[](const auto&) { return server::ok("all of it"); }};
  int asked = 0;
  const address_guard guard{{{"files.invalid", files.port()}},
                            [&asked](const std::string& host) {
                              ++asked;
                              EXPECT_EQ(host, "files.invalid");
                              return caf::expected<std::vector<std::string>>{
                                std::vector<std::string>{"127.0.0.1"}};
                            }};
  for (const auto* host :
       {"files.invalid", "files.invalid.", "FILES.invalid."}) {
    const auto got = make_web_downloader(guard, options)->fetch(
      {.url = "http://" + std::string{host} + ":"
              + std::to_string(files.port()) + "/file",
       .to = target()});
    EXPECT_TRUE(got) << host << ' ' << render(got.error());
    fs::remove(target());
  }
  EXPECT_EQ(asked, 3);
}

TEST_F(web_downloads, take_no_part_of_what_is_longer_than_can_be) {
  const server from{[](const auto&) {
    return server::response(
      "200 OK", "Content-Length: 99999999999999999999999\r\n", "abc");
  }};
  EXPECT_EQ(fetch(from, {}).error(), ec::malformed);
  EXPECT_EQ(from.requests().size(), 1u);
  EXPECT_FALSE(fs::exists(target()));
}

TEST_F(web_downloads, row_46_have_a_time_limit) {
  options.file_limit = std::chrono::milliseconds{300};
  options.stalls_max = 1'000;
  const server from{[](const auto&) {
    return server::response("503 Service Unavailable", "Content-Length: 0\r\n",
                            "");
  }};
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(fetch(from, {}).error(), ec::overloaded);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds{15});
}

TEST_F(web_downloads, M04_S09_name_what_the_server_does_not_have) {
  const server from{[](const auto&) {
    return server::response("404 Not Found", "Content-Length: 3\r\n", "no\n");
  }};
  const auto out = fetch(from, {});
  EXPECT_EQ(out.error(), ec::not_found);
  EXPECT_EQ(render(out.error()), from.url("/file") + " is answered with 404");
  EXPECT_EQ(from.requests().size(), 1u);
  EXPECT_FALSE(fs::exists(target()));
}

TEST_F(web_downloads, try_again_what_may_pass) {
  std::atomic<int> count = 0;
  const server from{[&](const auto&) {
    return count++ < 2 ? server::response("503 Service Unavailable",
                                          "Content-Length: 0\r\n", "")
                       : server::ok("abc");
  }};
  const auto out = fetch(from, {.size = 3});
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(out->requests, 3u);
}

TEST_F(web_downloads, row_45_follow_three_redirects_at_most) {
  std::atomic<int> count = 0;
  int redirects = 3;
  const server from{[&](const auto&) {
    return count++ < redirects ? server::response(
             "302 Found", "Content-Length: 4\r\nLocation: /next\r\n", "body")
                               : server::ok("abc");
  }};
  const auto out = fetch(from, {.size = 3});
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(content(), "abc");
  count = 0;
  redirects = 20;
  EXPECT_EQ(fetch(from, {}).error(), ec::malformed);
  EXPECT_EQ(count, 4);
}

TEST_F(web_downloads, row_45_are_not_redirected_to_where_they_must_not_go) {
  const server secret{[](const auto&) { return server::ok("secret"); }};
  for (const auto& to :
       {secret.url("/"), std::string{"http://169.254.169.254/latest"},
        std::string{"file:///etc/passwd"}, std::string{"http://localhost/"},
        std::string{}}) {
    const server from{[&](const auto&) {
      return server::response("307 Temporary Redirect",
                              "Content-Length: 0\r\nLocation: " + to + "\r\n",
                              "");
    }};
    EXPECT_EQ(fetch(from, {}).error(), ec::malformed) << to;
  }
  EXPECT_TRUE(secret.requests().empty());
}

TEST_F(web_downloads, row_45_connect_only_to_the_address_that_was_checked) {
  const server here{[](const auto&) { return server::ok("here"); }};
  const server rebound{[](const auto&) { return server::ok("rebound"); }};
  std::atomic<int> asked = 0;
  // The name means this machine now, and would mean another one at once.
  const address_guard guard{
    {{"moving.example", here.port()}},
    [&](const std::string&) -> caf::expected<std::vector<std::string>> {
      return std::vector<std::string>{asked++ == 0 ? "127.0.0.1" : "127.0.0.2"};
    }};
  const auto out = make_web_downloader(guard, options)
                     ->fetch({.url = "http://moving.example:"
                                     + std::to_string(here.port()) + "/",
                              .to = target()});
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(content(), "here");
  EXPECT_EQ(asked, 1) << "looked up once for each request";
  EXPECT_EQ(server::header(here.requests()[0], "Host"),
            "moving.example:" + std::to_string(here.port()));
}

TEST_F(web_downloads, row_43_make_no_connection_to_refused_hosts) {
  const server from{[](const auto&) { return server::ok("secret"); }};
  const address_guard guard{{}};
  const auto out = make_web_downloader(guard, options)
                     ->fetch({.url = from.url("/"), .to = target()});
  EXPECT_EQ(out.error(), ec::malformed);
  EXPECT_TRUE(from.requests().empty());
}

TEST_F(web_downloads, do_not_ask_the_environment_for_a_proxy) {
  const server proxy{[](const auto&) { return server::ok("proxied"); }};
  ::setenv("http_proxy", proxy.url("").c_str(), 1);
  const server from{[](const auto&) { return server::ok("direct"); }};
  EXPECT_TRUE(fetch(from, {}));
  ::unsetenv("http_proxy");
  EXPECT_EQ(content(), "direct");
  EXPECT_TRUE(proxy.requests().empty());
}

TEST_F(web_downloads, are_measured_by_their_heads) {
  const server from{[](const auto&) {
    return server::response("200 OK", "Content-Length: 12345\r\n", "");
  }};
  const auto size = measure(from);
  ASSERT_TRUE(size) << render(size.error());
  EXPECT_EQ(size->bytes, 12'345u);
  EXPECT_EQ(from.requests()[0].substr(0, 5), "HEAD ");
}

TEST_F(web_downloads, are_measured_by_their_first_byte_else) {
  const server from{[](const std::string& request) {
    return request.starts_with("HEAD")
             ? server::response("405 Method Not Allowed",
                                "Content-Length: 0\r\n", "")
             : server::response("206 Partial Content",
                                "Content-Length: 1\r\nContent-Range: bytes "
                                "0-0/777\r\n",
                                "x");
  }};
  const auto size = measure(from);
  ASSERT_TRUE(size) << render(size.error());
  EXPECT_EQ(size->bytes, 777u);
}

TEST_F(web_downloads, S01_may_have_no_known_size) {
  const server from{[](const std::string& request) {
    return request.starts_with("HEAD")
             ? server::response("200 OK", "", "")
             : server::response("200 OK", "", std::string(3'000'000, 'x'));
  }};
  const auto size = measure(from);
  ASSERT_TRUE(size) << render(size.error());
  EXPECT_FALSE(size->bytes);
}

TEST_F(web_downloads, S03_cannot_be_measured_if_they_are_not_there) {
  const server from{[](const auto&) {
    return server::response("404 Not Found", "Content-Length: 0\r\n", "");
  }};
  const auto size = measure(from);
  EXPECT_EQ(size.error(), ec::not_found);
  EXPECT_NE(render(size.error()).find(from.url("/file")), std::string::npos);
}

TEST_F(web_downloads, are_measured_twice_when_the_server_is_ill) {
  std::atomic<int> count = 0;
  const server from{[&](const auto&) {
    return count++ == 0
             ? server::response("500 Oh", "Content-Length: 0\r\n", "")
             : server::response("200 OK", "Content-Length: 5\r\n", "");
  }};
  const auto size = measure(from);
  ASSERT_TRUE(size) << render(size.error());
  EXPECT_EQ(size->bytes, 5u);
}

} // namespace depositd
