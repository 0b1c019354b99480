// The server over TLS, with libcurl as the client.

#include "tests/adapters/doors/http/certificate.hpp"
#include "tests/adapters/doors/http/server_fixture.hpp"
#include "tests/support/temporary_folder.hpp"

#include <curl/curl.h>

#include <atomic>
#include <filesystem>
#include <memory>

using namespace depositd;
using namespace depositd::testing;

namespace {

std::size_t collect(char* bytes, std::size_t size, std::size_t count,
                    void* out) {
  static_cast<std::string*>(out)->append(bytes, size * count);
  return size * count;
}

struct fetched {
  CURLcode code = CURLE_OK;
  long status = 0;
  std::string body;
};

class http_tls : public server_fixture {
protected:
  http_tls() {
    certificate_.write_to(folder_.path());
  }

  void add_routes(http::router& routes) override {
    server_fixture::add_routes(routes);
    routes.add("GET", "/long", [](http::request&&, http::responder answer) {
      answer.send(http::response::text(200, std::string(60'000'000, 'x')));
    });
  }

  http::server_options options() const {
    http::server_options out;
    out.tls = {certificate_.certificate, certificate_.key};
    return out;
  }

  fetched fetch(const std::string& path, const std::string* body = nullptr,
                long version_max = CURL_SSLVERSION_MAX_DEFAULT) {
    fetched out;
    auto* curl = curl_easy_init();
    const auto url =
      "https://127.0.0.1:" + std::to_string(server_->port()) + path;
    curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl, CURLOPT_CAINFO, certificate_.certificate.c_str());
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, 20L);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, collect);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &out.body);
    curl_easy_setopt(curl, CURLOPT_SSLVERSION,
                     CURL_SSLVERSION_TLSv1_0 | version_max);
    if (body) {
      curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE,
                       static_cast<long>(body->size()));
      curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body->c_str());
    }
    out.code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &out.status);
    curl_easy_cleanup(curl);
    return out;
  }

  /// A connection that stays.
  struct kept {
    kept() : curl(curl_easy_init(), curl_easy_cleanup) {
      // nop
    }

    std::string get(const std::string& path) {
      std::string out;
      curl_easy_setopt(curl.get(), CURLOPT_URL, (base + path).c_str());
      curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &out);
      return curl_easy_perform(curl.get()) == CURLE_OK ? out : "";
    }

    std::string base;
    std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl;
  };

  std::unique_ptr<kept> connect_over_tls() {
    auto out = std::make_unique<kept>();
    out->base = "https://127.0.0.1:" + std::to_string(server_->port());
    auto* curl = out->curl.get();
    curl_easy_setopt(curl, CURLOPT_CAINFO, certificate_.certificate.c_str());
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, 20L);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, collect);
    EXPECT_EQ(out->get("/q/first"), "first");
    return out;
  }

  temporary_folder folder_;
  certificate_files certificate_;
};

} // namespace

TEST_F(http_tls, serves_with_a_verified_certificate) {
  start(options());
  const auto x = fetch("/q/hello");
  EXPECT_EQ(x.code, CURLE_OK) << curl_easy_strerror(x.code);
  EXPECT_EQ(x.body, "hello");
}

TEST_F(http_tls, carries_large_bodies_and_late_answers) {
  start(options());
  const std::string body(900'000, 'x');
  EXPECT_TRUE(fetch("/echo", &body).body == body);
  EXPECT_TRUE(fetch("/later", &body).body == body);
}

// A pause at every look would take longer than the client waits.
TEST_F(http_tls, sends_long_answers_without_a_pause) {
  start(options());
  const auto x = fetch("/long");
  EXPECT_EQ(x.code, CURLE_OK) << curl_easy_strerror(x.code);
  EXPECT_EQ(x.body.size(), 60'000'000u);
}

TEST_F(http_tls, refuses_versions_below_1_2) {
  start(options());
  EXPECT_NE(fetch("/q/x", nullptr, CURL_SSLVERSION_MAX_TLSv1_1).code, CURLE_OK);
  EXPECT_EQ(fetch("/q/x", nullptr, CURL_SSLVERSION_MAX_TLSv1_2).code, CURLE_OK);
}

TEST_F(http_tls, refuses_early_in_the_middle_of_a_session) {
  start(options());
  const std::string body(3'000'000, 'x');
  EXPECT_EQ(fetch("/gated", &body).status, 413);
  const std::string small = "x";
  EXPECT_EQ(fetch("/gated?refuse", &small).status, 429);
}

TEST_F(http_tls, survives_clients_that_speak_no_tls) {
  start(options());
  auto plain = connect();
  plain.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(plain.closed());
  EXPECT_EQ(fetch("/q/alive").body, "alive");
}

TEST_F(http_tls, rests_while_clients_are_silent_in_their_handshake) {
  std::atomic<unsigned> looks{0};
  auto how = options();
  how.io_threads = 1;
  how.after_round = [&] { ++looks; };
  start(how);
  auto silent = connect();
  silent.send("\x16\x03\x01");
  EXPECT_EQ(fetch("/q/alive").body, "alive");
  const auto before = looks.load();
  EXPECT_FALSE(silent.closed_within(1000));
  // A thread that does nothing else looks some ten thousand times.
  EXPECT_LT(looks - before, 1000u);
  EXPECT_EQ(fetch("/q/alive").body, "alive");
  server_.reset(); // before what it counts with
}

TEST_F(http_tls, shows_a_new_certificate_when_it_has_read_it) {
  start(options());
  auto before = connect_over_tls();
  EXPECT_EQ(fetch("/q/x").code, CURLE_OK);
  certificate_.write_to(folder_.path()); // the client trusts the new one
  EXPECT_NE(fetch("/q/x").code, CURLE_OK) << "it shows the old one";
  const auto failed = server_->reload();
  ASSERT_FALSE(failed) << render(failed);
  EXPECT_EQ(fetch("/q/x").code, CURLE_OK);
  EXPECT_EQ(fetch("/q/x", nullptr, CURL_SSLVERSION_MAX_TLSv1_2).code, CURLE_OK);
  EXPECT_EQ(before->get("/q/still"), "still") << "who is there stays";
}

TEST_F(http_tls, keeps_its_certificate_while_the_files_do_not_fit) {
  start(options());
  temporary_folder elsewhere;
  certificate_files other;
  other.write_to(elsewhere.path());
  std::filesystem::copy_file(other.key, certificate_.key,
                             std::filesystem::copy_options::overwrite_existing);
  const auto wrong = server_->reload();
  EXPECT_EQ(wrong, ec::bad_setting);
  EXPECT_NE(render(wrong).find(certificate_.certificate), std::string::npos);
  EXPECT_EQ(fetch("/q/x").code, CURLE_OK);
  std::filesystem::remove(certificate_.key);
  EXPECT_EQ(server_->reload(), ec::bad_setting);
  EXPECT_EQ(fetch("/q/x").code, CURLE_OK);
}

TEST_F(http_tls, names_what_is_wrong_with_the_files) {
  auto wrong = options();
  wrong.tls.key = "/nowhere/key.pem";
  auto missing = http::server::start(wrong, {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(render(missing.error()), "cannot read /nowhere/key.pem");
  wrong.tls.key = wrong.tls.certificate;
  auto mixed_up = http::server::start(wrong, {});
  ASSERT_FALSE(mixed_up);
  EXPECT_TRUE(mixed_up.error() == ec::bad_setting);
  wrong.tls.key.clear();
  EXPECT_FALSE(http::server::start(wrong, {}));
}
