// The client and servers that do what no good one does.

#include "tests/adapters/stores/s3/scripted_bucket.hpp"
#include "tests/support/loopback_listener.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <tuple>

namespace depositd::s3 {

namespace {

/// Of each request, in turn; the last one for all that follow.
class turns {
public:
  turns(std::initializer_list<std::string> answers) : answers_(answers) {
    // nop
  }

  std::string operator()(const std::string&) {
    const auto at = std::min(next_++, answers_.size() - 1);
    return answers_[at];
  }

private:
  std::vector<std::string> answers_;
  std::size_t next_ = 0;
};

/// Takes connections and never says a word.
class silent_server {
public:
  std::uint16_t port() const {
    return listener_.port();
  }

  /// Connections that have come since.
  int arrivals() const {
    int out = 0;
    pollfd come{listener_.socket(), POLLIN, 0};
    for (; ::poll(&come, 1, 0) > 0; ++out)
      ::close(listener_.accept());
    return out;
  }

private:
  testing::loopback_listener listener_;
};

client_options impatient_with(const silent_server& server) {
  client_options out;
  out.place = {.endpoint = "http://127.0.0.1:" + std::to_string(server.port()),
               .bucket = "bucket",
               .path_style = true};
  out.retry_delay = std::chrono::milliseconds{1};
  out.limits.stalled = std::chrono::seconds{1};
  return out;
}

} // namespace

TEST(s3_client, signs_what_it_sends) {
  scripted_server server{turns{answer_of("200 OK", "")}};
  client bucket{options_for(server)};
  EXPECT_FALSE(bucket.put("a b+c/\u00e9%", "abc"));
  const auto request = server.requests().at(0);
  EXPECT_EQ(line_of(request), "PUT /bucket/a%20b%2Bc/%C3%A9%25");
  EXPECT_EQ(scripted_server::header(request, "x-amz-content-sha256"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const auto proof = scripted_server::header(request, "Authorization");
  EXPECT_NE(proof.find("AWS4-HMAC-SHA256 Credential=AKEXAMPLE/"), proof.npos);
  EXPECT_NE(proof.find("/us-east-1/s3/aws4_request"), proof.npos) << proof;
  EXPECT_NE(proof.find("x-amz-content-sha256"), proof.npos) << proof;
  EXPECT_EQ(request.find("top-secret"), request.npos);
}

TEST(s3_client, tries_again_what_may_pass) {
  scripted_server server{
    turns{answer_of("503 Slow Down", error_document("SlowDown")), "",
          answer_of("500 No", ""), answer_of("200 OK", "")}};
  client bucket{options_for(server)};
  const auto failure = bucket.put("a", "abc");
  EXPECT_FALSE(failure) << render(failure);
  EXPECT_EQ(server.requests().size(), 4u);
}

TEST(s3_client, tells_of_what_was_given_up_for_a_server_that_is_busy) {
  for (const auto* busy : {"503 SlowDown", "503 SlowDownWrite", "429 Whatever",
                           "400 SlowDownRead", "500 InternalError"}) {
    const std::string said = busy;
    scripted_server server{turns{
      answer_of(said.substr(0, 3) + " No", error_document(said.substr(4)))}};
    auto options = options_for(server);
    options.tries = 3;
    std::vector<std::string> told;
    options.was_busy = [&](const caf::error& why) {
      told.push_back(render(why));
    };
    client bucket{options};
    EXPECT_EQ(bucket.put("k", "abc"), ec::store_failed) << said;
    EXPECT_EQ(server.requests().size(), 3u) << said;
    EXPECT_EQ(bucket.get("k", 10).error(), ec::store_failed) << said;
    EXPECT_EQ(told.size(), said.starts_with("500") ? 0u : 2u) << said;
    for (const auto& why : told)
      EXPECT_NE(why.find(said.substr(4)), std::string::npos) << why;
  }
}

TEST(s3_client, tries_again_by_what_is_said_or_by_its_number) {
  for (const auto& [status, code] :
       {std::pair{"408 Request Timeout", ""},
        std::pair{"429 Too Many Requests", ""},
        std::pair{"400 Bad Request", "RequestTimeout"},
        std::pair{"403 Forbidden", "SlowDown"},
        std::pair{"409 Conflict", "OperationAborted"},
        std::pair{"400 Bad Request", "InternalError"}}) {
    scripted_server server{turns{answer_of(status, error_document(code)),
                                 answer_of("200 OK", "")}};
    client bucket{options_for(server)};
    const auto failure = bucket.put("a", "abc");
    EXPECT_FALSE(failure) << status << " " << render(failure);
  }
}

TEST(s3_client, gives_up_in_time) {
  scripted_server server{
    turns{answer_of("500 No", error_document("InternalError"))}};
  auto options = options_for(server);
  options.tries = 3;
  client bucket{options};
  const auto failure = bucket.put("a", "abc");
  EXPECT_EQ(failure, ec::store_failed);
  EXPECT_EQ(render(failure), "s3://bucket/a: InternalError (because)");
  EXPECT_EQ(server.requests().size(), 3u);
}

TEST(s3_client, does_not_repeat_what_is_refused_for_good) {
  for (const auto& [status, body, reason] :
       {std::tuple{"403 Forbidden", error_document("SignatureDoesNotMatch"),
                   "s3://bucket/a: SignatureDoesNotMatch (because)"},
        std::tuple{"403 Forbidden", error_document("RequestTimeTooSkewed"),
                   "s3://bucket/a: RequestTimeTooSkewed (because); the clocks "
                   "of this machine and of the server differ"},
        std::tuple{"404 Not Found", error_document("NoSuchBucket"),
                   "s3://bucket/a: NoSuchBucket (because)"},
        std::tuple{"400 Bad Request",
                   error_document("AuthorizationHeaderMalformed",
                                  "<Region>eu-west-1</Region>"),
                   "s3://bucket/a: AuthorizationHeaderMalformed (because); the "
                   "region is eu-west-1"},
        std::tuple{"501 Not Implemented", error_document("NotImplemented"),
                   "s3://bucket/a: NotImplemented (because)"},
        std::tuple{"418 Teapot", std::string{"tea"},
                   "s3://bucket/a: answered with 418"}}) {
    scripted_server server{turns{answer_of(status, body)}};
    client bucket{options_for(server)};
    const auto out = bucket.get("a", 100);
    EXPECT_EQ(out.error(), ec::store_failed) << status;
    EXPECT_EQ(render(out.error()), reason);
    EXPECT_EQ(server.requests().size(), 1u) << status;
  }
}

TEST(s3_client, does_not_follow_to_another_region_but_names_it) {
  scripted_server other{turns{answer_of("200 OK", "stolen")}};
  scripted_server server{turns{
    answer_of("301 Moved Permanently", error_document("PermanentRedirect"),
              "x-amz-bucket-region: eu-north-1\r\nLocation: " + other.url("/")
                + "\r\n")}};
  client bucket{options_for(server)};
  const auto out = bucket.get("a", 100);
  EXPECT_EQ(render(out.error()), "s3://bucket/a: PermanentRedirect (because); "
                                 "the region is eu-north-1");
  EXPECT_TRUE(other.requests().empty());
}

TEST(s3_client, forgets_what_was_said_before_the_answer) {
  scripted_server server{
    turns{"HTTP/1.1 103 Early Hints\r\nx-amz-bucket-region: xy-1\r\n\r\n"
          + answer_of("301 Moved Permanently",
                      error_document("PermanentRedirect"))}};
  client bucket{options_for(server)};
  const auto out = bucket.get("a", 100);
  EXPECT_EQ(render(out.error()), "s3://bucket/a: PermanentRedirect (because); "
                                 "region or endpoint is another");
}

TEST(s3_client, writes_over_no_file) {
  const temporary_folder home;
  const auto file = home.path() / "file";
  std::ofstream{file} << "mine";
  scripted_server server{turns{answer_of("200 OK", "theirs")}};
  client bucket{options_for(server)};
  EXPECT_EQ(bucket.get_file("a", file, {}), ec::store_failed);
  EXPECT_TRUE(server.requests().empty());
  std::ifstream in{file};
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>{in}, {}}), "mine");
}

TEST(s3_client, says_what_is_not_there) {
  scripted_server server{
    turns{answer_of("404 Not Found", error_document("NoSuchKey"))}};
  client bucket{options_for(server)};
  EXPECT_EQ(bucket.get("a", 100).error(), ec::not_found);
  EXPECT_FALSE(bucket.remove("a")) << "done already";
}

TEST(s3_client, removes_only_what_has_the_tag) {
  scripted_server server{turns{answer_of(
    "412 Precondition Failed", error_document("PreconditionFailed"))}};
  client bucket{options_for(server)};
  const auto removed = bucket.remove_if("a", "abc");
  ASSERT_TRUE(removed) << render(removed.error());
  EXPECT_FALSE(*removed) << "it has another tag by now";
  ASSERT_EQ(server.requests().size(), 1u);
  const auto request = server.requests().front();
  EXPECT_EQ(line_of(request), "DELETE /bucket/a");
  EXPECT_NE(request.find("\r\nIf-Match: \"abc\"\r\n"), request.npos);
}

TEST(s3_client, removes_where_no_server_knows_of_tags) {
  scripted_server server{
    turns{answer_of("501 Not Implemented", error_document("NotImplemented")),
          answer_of("204 No Content", "")}};
  client bucket{options_for(server)};
  const auto removed = bucket.remove_if("a", "abc");
  ASSERT_TRUE(removed) << render(removed.error());
  EXPECT_TRUE(*removed);
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(server.requests().back().find("If-Match"), std::string::npos);
}

TEST(s3_client, does_not_believe_a_404_that_is_not_of_s3) {
  scripted_server server{turns{answer_of("404 Not Found", "<html/>")}};
  client bucket{options_for(server)};
  EXPECT_EQ(bucket.get("a", 100).error(), ec::store_failed);
  EXPECT_EQ(bucket.list("a", 100).error(), ec::store_failed);
}

TEST(s3_client, ends_a_server_that_hangs) {
  const silent_server server;
  auto options = impatient_with(server);
  options.tries = 1;
  client bucket{options};
  const auto out = bucket.get("a", 100);
  EXPECT_EQ(out.error(), ec::store_failed);
  EXPECT_NE(render(out.error()).find("too slow"), std::string::npos)
    << render(out.error());
}

TEST(s3_client, asks_who_hangs_once_more_and_no_oftener) {
  const silent_server server;
  client bucket{impatient_with(server)};
  EXPECT_EQ(bucket.put("a", "abc"), ec::store_failed);
  EXPECT_EQ(server.arrivals(), 2);
}

TEST(s3_client, breaks_off_what_hangs_when_it_is_to_stop) {
  const silent_server server;
  auto options = impatient_with(server);
  options.limits.whole = std::chrono::hours{1};
  options.limits.stalled = std::chrono::hours{1};
  int came = 0; // each is told of once
  options.stopped = [&] {
    came += server.arrivals();
    return came > 0;
  };
  client bucket{options};
  EXPECT_EQ(bucket.put("a", "abc"), ec::store_failed);
  EXPECT_EQ(came + server.arrivals(), 1);
}

TEST(s3_client, goes_on_where_a_body_was_cut) {
  scripted_server server{
    turns{"HTTP/1.1 200 OK\r\nETag: \"t\"\r\nContent-Length: 6\r\n"
          "Connection: close\r\n\r\nabc",
          answer_of("206 Partial Content", "def",
                    "ETag: \"t\"\r\nContent-Range: bytes 3-5/6\r\n")}};
  client bucket{options_for(server)};
  const auto out = bucket.get("a", 100);
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(*out, "abcdef");
  const auto second = server.requests().at(1);
  EXPECT_EQ(scripted_server::header(second, "Range"), "bytes=3-");
  EXPECT_EQ(scripted_server::header(second, "If-Match"), "\"t\"");
}

TEST(s3_client, takes_an_answer_that_ends_within_its_head_for_none) {
  scripted_server server{turns{"HTTP/1.1 200 OK\r\nContent-Len",
                               answer_of("200 OK", "abcdef")}};
  client bucket{options_for(server)};
  const auto out = bucket.get("a", 100);
  ASSERT_TRUE(out) << render(out.error());
  EXPECT_EQ(*out, "abcdef");
}

TEST(s3_client, does_not_put_two_halves_of_different_bodies_together) {
  const auto cut = "HTTP/1.1 200 OK\r\nETag: \"t\"\r\nContent-Length: 6\r\n"
                   "Connection: close\r\n\r\nabc";
  for (const auto& second : {answer_of("412 Precondition Failed",
                                       error_document("PreconditionFailed")),
                             answer_of("200 OK", "xyzdef"),
                             answer_of("206 Partial Content", "ef",
                                       "Content-Range: bytes 4-5/6\r\n")}) {
    scripted_server server{turns{cut, second}};
    client bucket{options_for(server)};
    EXPECT_EQ(bucket.get("a", 100).error(), ec::store_failed) << second;
  }
}

TEST(s3_client, does_not_show_folders_that_a_console_has_made) {
  scripted_server server{turns{answer_of(
    "200 OK", "<ListBucketResult><Contents><Key>a/</Key><Size>0</Size>"
              "</Contents><Contents><Key>a/b</Key><Size>1</Size></Contents>"
              "</ListBucketResult>")}};
  client bucket{options_for(server)};
  const auto out = bucket.list("", 10);
  ASSERT_TRUE(out) << render(out.error());
  ASSERT_EQ(out->size(), 1u);
  EXPECT_EQ(out->at(0).key, "a/b");
}

TEST(s3_client, takes_no_more_bytes_than_it_wants) {
  scripted_server server{turns{answer_of("200 OK", std::string(101, 'x'))}};
  client bucket{options_for(server)};
  EXPECT_EQ(bucket.get("a", 100).error(), ec::too_large);
  EXPECT_TRUE(bucket.get("a", 101));
}

} // namespace depositd::s3
