// Who gets in at the port of operators, and what is made of their requests.

#include "tests/adapters/doors/operations/api_world.hpp"
#include "tests/support/failed_logins.hpp"

using namespace std::chrono_literals;

namespace depositd {

namespace {

class api_test : public testing::api_world {};

class api_elsewhere_test : public testing::api_world {
protected:
  api_elsewhere_test() : api_world(false) {
    // nop
  }
};

TEST_F(api_test, nobody_gets_in_without_a_login) {
  for (const auto* path :
       {"/api/v1/queue/list", "/api/v1/commands", "/api/v1/openapi.json",
        "/api/v1/history", "/api/v1/watch", "/api/v1/session",
        "/api/v1/nsq/clients", "/api/v1/none"}) {
    const auto x = get(path);
    EXPECT_EQ(x.status, 401u) << path;
    EXPECT_EQ(error_of(x), "wrong_credentials") << path;
  }
  EXPECT_EQ(post("/api/v1/queue/list", "{}").status, 401u);
  EXPECT_TRUE(asked.empty());
}

TEST_F(api_test, answers_are_never_pages) {
  const auto headers = logged_in_headers();
  for (const auto& x :
       {get("/api/v1/queue/list"), get("/api/v1/queue/list", {}, headers),
        get("/api/v1/openapi.json", {}, headers)}) {
    EXPECT_EQ(header(x, "Content-Type"), "application/json");
    EXPECT_EQ(header(x, "X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(header(x, "Content-Security-Policy"), "default-src 'none'");
    EXPECT_EQ(header(x, "Cache-Control"), "no-store");
  }
}

TEST_F(api_test, what_is_only_read_may_be_put_off) {
  for (const auto* x : routes.all())
    EXPECT_EQ(x->options.repeatable,
              x->name.starts_with("GET ") && x->name != "GET /api/v1/watch")
      << x->name;
  EXPECT_TRUE(post("/api/v1/queue/list", "{}", bearer).repeatable);
  EXPECT_FALSE(
    post("/api/v1/queue/purge", R"({"name":"a","yes":true})", bearer)
      .repeatable);
}

TEST_F(api_test, a_session_is_who_has_logged_in) {
  const auto x =
    post("/api/v1/session", R"({"name":"ann","password":"right"})");
  ASSERT_EQ(x.status, 200u);
  const auto cookie = header(x, "Set-Cookie");
  EXPECT_TRUE(cookie.starts_with("depositd_session="));
  EXPECT_TRUE(cookie.ends_with("; HttpOnly; SameSite=Strict; Path=/"));
  const http::parameters sent{{"Cookie", "a=b; " + cookie}};
  const auto again = get("/api/v1/session", {}, sent);
  EXPECT_EQ(again.body, x.body);
  const auto document = json::parse(x.body);
  EXPECT_EQ(document["name"], "ann");
  EXPECT_EQ(document["role"], "operate");
  EXPECT_EQ(document["expires_at"], "2023-11-15T10:13:20.000Z");
  get("/api/v1/queue/list", {}, sent);
  EXPECT_EQ(last(), "ann: queue list {}");
}

TEST_F(api_test, a_login_that_says_something_twice_is_none) {
  for (const auto* body :
       {R"({"name":"bob","name":"ann","password":"right"})",
        R"({"name":"ann","password":"wrong","password":"right"})"})
    EXPECT_EQ(post("/api/v1/session", body).status, 400u) << body;
}

TEST_F(api_test, a_session_ends_by_itself_and_by_hand) {
  auto headers = logged_in_headers();
  http::request out;
  out.method = "DELETE";
  out.path = "/api/v1/session";
  out.headers = headers;
  EXPECT_EQ(ask(out).status, 204u);
  EXPECT_EQ(get("/api/v1/session", {}, headers).status, 401u);
  headers = logged_in_headers();
  advance(119min);
  EXPECT_EQ(get("/api/v1/session", {}, headers).status, 200u);
  advance(121min);
  EXPECT_EQ(get("/api/v1/session", {}, headers).status, 401u);
}

TEST_F(api_test, who_is_not_in_the_register_any_more_has_no_session) {
  const auto headers = logged_in_headers();
  refusal = caf::make_error(ec::wrong_credentials, std::string{"gone"});
  EXPECT_EQ(get("/api/v1/queue/list", {}, headers).status, 401u);
  refusal = {};
  EXPECT_EQ(get("/api/v1/queue/list", {}, headers).status, 401u);
}

TEST_F(api_test, a_session_shows_what_let_it_in) {
  const auto headers = logged_in_headers();
  EXPECT_EQ(get("/api/v1/queue/list", {}, headers).status, 200u);
  EXPECT_EQ(get("/api/v1/queue/list", {}, bearer).status, 200u);
  ASSERT_EQ(proofs.size(), 2u);
  EXPECT_TRUE(proofs[0].starts_with("hash of ")) << proofs[0];
  EXPECT_TRUE(proofs[1].starts_with("token 3c469e9d")) << proofs[1];
}

TEST_F(api_test, the_last_hour_is_for_whom_the_register_has) {
  const auto headers = logged_in_headers();
  EXPECT_EQ(get("/api/v1/history", {}, headers).body, "an hour");
  EXPECT_EQ(last(), R"(ann: queue list {"limit":1})");
  refusal = caf::make_error(ec::not_allowed, std::string{"a node"});
  EXPECT_EQ(get("/api/v1/history", {}, headers).status, 403u);
  refusal = caf::make_error(ec::wrong_credentials, std::string{"gone"});
  EXPECT_EQ(get("/api/v1/history", {}, headers).status, 401u);
  EXPECT_EQ(get("/api/v1/session", {}, headers).status, 401u);
}

TEST_F(api_test, who_is_connected_is_for_whom_the_register_has) {
  const auto headers = logged_in_headers();
  EXPECT_EQ(get("/api/v1/nsq/clients", {}, headers).body,
            R"({"clients":[],"more":false})");
  EXPECT_EQ(last(), "ann: settings {}") << "for those who may see all users";
  refusal = caf::make_error(ec::wrong_credentials, std::string{"gone"});
  EXPECT_EQ(get("/api/v1/nsq/clients", {}, headers).status, 401u);
  EXPECT_EQ(get("/api/v1/session", {}, headers).status, 401u);
}

TEST_F(api_test, guesses_of_an_address_end) {
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(post("/api/v1/session",
                   R"({"password":"x","name":")" + std::to_string(i) + R"("})")
                .status,
              401u);
  const auto x =
    post("/api/v1/session", R"({"name":"ann","password":"right"})");
  EXPECT_EQ(x.status, 429u);
  EXPECT_EQ(header(x, "Retry-After"), "60");
  EXPECT_EQ(get("/api/v1/session", {}, bearer).status, 429u);
  EXPECT_EQ(checked, 20);
  advance(61s);
  EXPECT_EQ(
    post("/api/v1/session", R"({"name":"ann","password":"right"})").status,
    200u);
}

TEST_F(api_test, what_fails_is_counted_once_and_as_what_it_is) {
  using testing::failed_logins;
  const auto wrong = failed_logins("wrong");
  const auto throttled = failed_logins("throttled");
  const auto guess = [this] {
    return get("/api/v1/session", {}, {{"Authorization", "Bearer guess"}})
      .status;
  };
  EXPECT_EQ(guess(), 401u);
  EXPECT_EQ(failed_logins("wrong"), wrong + 1);
  post("/api/v1/session", R"({"name":"ann","password":"x"})");
  EXPECT_EQ(failed_logins("wrong"), wrong + 1) << "who compares it counts it";
  EXPECT_EQ(failed_logins("throttled"), throttled);
  while (guess() != 429u) {
    // until the address is out
  }
  EXPECT_EQ(failed_logins("throttled"), throttled + 1);
}

TEST_F(api_test, guesses_keep_nobody_out_who_was_right_from_there) {
  const auto log_in = [this](const std::string& name) {
    return post("/api/v1/session",
                R"({"name":")" + name + R"(","password":"right"})")
      .status;
  };
  EXPECT_EQ(log_in("ann"), 200u);
  EXPECT_EQ(get("/api/v1/session", {}, bearer).status, 200u);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(
      get("/api/v1/session", {}, {{"Authorization", "Bearer no"}}).status,
      401u);
  EXPECT_EQ(get("/api/v1/session", {}, {{"Authorization", "Bearer no"}}).status,
            429u);
  EXPECT_EQ(get("/api/v1/session", {}, bearer).status, 200u);
  EXPECT_EQ(log_in("ann"), 200u);
  EXPECT_EQ(log_in("ben"), 429u) << "never right from there";
  EXPECT_EQ(get("/api/v1/session", {}, {{"Authorization", "Bearer no"}}).status,
            429u)
    << "what was right makes nobody guess longer";
  peer = "192.0.2.1";
  EXPECT_EQ(log_in("ben"), 200u);
}

TEST_F(api_test, what_is_right_does_not_let_its_address_guess_on) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(
      get("/api/v1/session", {}, {{"Authorization", "Bearer no"}}).status,
      401u)
      << i;
    EXPECT_EQ(get("/api/v1/session", {}, bearer).status, 200u) << i;
  }
  EXPECT_EQ(get("/api/v1/session", {}, {{"Authorization", "Bearer no"}}).status,
            429u);
}

TEST_F(api_test, nobody_sends_a_body_with_a_token_or_cookie_that_is_none) {
  http::request x;
  x.segments = {"api", "v1", "queue", "list"};
  const auto asks = [&](const http::parameters& headers) {
    const auto to = std::make_shared<testing::kept_answer>();
    x.headers = headers;
    x.peer = "127.0.0.1";
    x.method = "POST";
    routes.find("POST", x.segments)
      .found->options.before_body(x, http::gatekeeper{to});
    settle();
    return to->passed ? 0 : to->got.status;
  };
  EXPECT_EQ(asks({}), 401u);
  EXPECT_EQ(asks({{"Authorization", "Bearer no"}}), 401u);
  EXPECT_EQ(asks({{"Cookie", "depositd_session=" + std::string(64, 'a')}}),
            401u);
  const auto headers = logged_in_headers();
  EXPECT_EQ(asks(http::parameters{headers.at(0)}), 403u) << "no CSRF token";
  EXPECT_EQ(asks(headers), 0u);
  EXPECT_EQ(asks(bearer), 0u);
  EXPECT_TRUE(asked.empty());
}

TEST_F(api_test, logins_that_make_no_sense_are_not_checked) {
  for (const auto* body :
       {"", "x", "[]", R"({"name":"a"})", R"({"name":1,"password":"x"})",
        R"({"name":"a","password":{"b":{}}})"})
    EXPECT_EQ(post("/api/v1/session", body).status, 400u) << body;
  const auto other =
    post("/api/v1/session", R"({"name":"ann","password":"right"})",
         {{"Origin", "http://evil"}, {"Host", "here"}});
  EXPECT_EQ(other.status, 403u);
  EXPECT_EQ(checked, 0);
}

TEST_F(api_test, a_token_needs_nothing_else) {
  EXPECT_EQ(post("/api/v1/queue/list", "", bearer).status, 200u);
  EXPECT_EQ(last(), "script: queue list {}");
  EXPECT_EQ(get("/api/v1/session", {}, {{"Authorization", "Bearer no"}}).status,
            401u);
  EXPECT_EQ(get("/api/v1/session", {}, {{"Authorization", "Basic x"}}).status,
            401u);
  EXPECT_EQ(json::parse(get("/api/v1/session", {}, bearer).body)["role"],
            "look");
}

TEST_F(api_test, a_change_needs_the_token_of_its_session) {
  const auto headers = logged_in_headers();
  const auto cookie = http::parameters{headers.at(0)};
  const auto path = "/api/v1/key/add";
  const auto body = R"({"name":"k"})";
  EXPECT_EQ(error_of(post(path, body, cookie)), "csrf");
  auto wrong = headers;
  wrong[1].second = logged_in_headers("ben")[1].second;
  EXPECT_EQ(post(path, body, wrong).status, 403u);
  auto elsewhere = headers;
  elsewhere.emplace_back("Host", "here:1");
  elsewhere.emplace_back("Origin", "http://there:1");
  EXPECT_EQ(error_of(post(path, body, elsewhere)), "origin");
  EXPECT_TRUE(asked.empty());
  elsewhere.back().second = "http://here:1";
  EXPECT_EQ(post(path, body, elsewhere).status, 200u);
}

TEST_F(api_test, paths_are_the_words_of_commands) {
  get("/api/v1/queue/list", {{"limit", "5"}}, bearer);
  EXPECT_EQ(last(), R"(script: queue list {"limit":5})");
  get("/api/v1/queues", {}, bearer);
  EXPECT_EQ(last(), "script: queue list {}");
  post("/api/v1/queue/list", R"({"limit":7})", bearer);
  EXPECT_EQ(last(), R"(script: queue list {"limit":7})");
  const auto none = get("/api/v1/queue/lost", {}, bearer);
  EXPECT_EQ(none.status, 404u);
  const auto x = get("/api/v1/queue/purge", {{"name", "q"}}, bearer);
  EXPECT_EQ(x.status, 405u);
  EXPECT_EQ(header(x, "Allow"), "POST");
}

TEST_F(api_test, errors_of_the_engine_have_their_status) {
  const std::vector<std::pair<ec, unsigned>> all{
    {ec::invalid_argument, 400}, {ec::not_allowed, 403}, {ec::not_found, 404},
    {ec::already_exists, 409},   {ec::too_large, 413},   {ec::throttled, 429},
    {ec::overloaded, 503},       {ec::draining, 503}};
  for (const auto& [code, status] : all) {
    refusal = caf::make_error(code, std::string{"why"});
    const auto x = get("/api/v1/queue/list", {}, bearer);
    EXPECT_EQ(x.status, status);
    EXPECT_EQ(x.body, std::string{R"({"error":")"} + to_string(code)
                        + R"(","text":"why"})");
    EXPECT_EQ(header(x, "Retry-After").empty(), status < 429);
  }
}

TEST_F(api_test, an_engine_that_does_not_answer_is_503) {
  silent = true;
  EXPECT_EQ(get("/api/v1/queue/list", {}, bearer).status, 503u);
}

TEST_F(api_test, questions_are_asked_before_anything_is_done) {
  const auto x = post("/api/v1/queue/purge", R"({"name":"q"})", bearer);
  EXPECT_EQ(x.status, 428u);
  EXPECT_EQ(x.body, R"({"error":"confirm","text":"End all that waits?"})");
  EXPECT_TRUE(asked.empty());
  EXPECT_EQ(
    post("/api/v1/queue/purge", R"({"name":"q","yes":1})", bearer).status,
    400u);
  post("/api/v1/queue/purge", R"({"name":"q","yes":true})", bearer);
  EXPECT_EQ(last(), R"(script: queue purge {"name":"q"})");
}

TEST_F(api_test, some_questions_say_how_many) {
  document = R"({"matched":7})";
  const auto x = post("/api/v1/cancel", "{}", bearer);
  EXPECT_EQ(x.status, 428u);
  EXPECT_EQ(x.body, R"({"error":"confirm","text":"End them?","count":7})");
  EXPECT_EQ(last(), R"(script: cancel {"count_only":true})");
  EXPECT_EQ(post("/api/v1/cancel", R"({"count_only":true})", bearer).status,
            200u);
  post("/api/v1/cancel", R"({"yes":true})", bearer);
  EXPECT_EQ(last(), "script: cancel {}");
  // The engine may have a question of its own, or none.
  document = R"({"matched":7,"question":""})";
  EXPECT_EQ(post("/api/v1/cancel", "{}", bearer).status, 200u);
  EXPECT_EQ(last(), "script: cancel {}");
}

TEST_F(api_test, keys_are_made_and_shown_once) {
  const auto made = post("/api/v1/key/add", R"({"name":"k"})", bearer);
  const auto key = json::parse(made.body)["key"].get<std::string>();
  EXPECT_EQ(key.size(), 64u);
  EXPECT_EQ(last().find(key), std::string::npos);
  const auto given =
    post("/api/v1/key/add", R"({"name":"k","key":"0123456789abcdef"})", bearer);
  EXPECT_EQ(given.body, document);
  EXPECT_EQ(last().find("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(
    post("/api/v1/key/add", R"({"name":"k","key":"short"})", bearer).status,
    400u);
}

TEST_F(api_test, hashes_of_passwords_travel_as_they_are) {
  const std::string hash = "$argon2id$v=19$m=19456,t=2,p=1$"
                           "c2FsdHNhbHRzYWx0c2FsdA$"
                           "aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g";
  post("/api/v1/user/add", R"({"name":"u","password":")" + hash + R"("})",
       bearer);
  EXPECT_NE(last().find(hash), std::string::npos);
  EXPECT_EQ(
    post("/api/v1/user/add", R"({"name":"u","password":""})", bearer).status,
    400u);
  EXPECT_EQ(
    post("/api/v1/user/add", R"({"name":"u","password":1})", bearer).status,
    400u);
}

TEST_F(api_test, bodies_that_are_no_objects_are_refused) {
  const std::string deep(100'000, '[');
  for (const auto& body : {std::string{"x"}, std::string{"[1]"}, deep,
                           std::string{"{\"a\":\"\xff\"}"}, "{\"a\":" + deep})
    EXPECT_EQ(post("/api/v1/queue/list", body, bearer).status, 400u);
  const auto large = "{\"a\":\"" + std::string(2'000'000, 'x') + "\"}";
  EXPECT_EQ(post("/api/v1/queue/list", large, bearer).status, 413u);
  EXPECT_TRUE(asked.empty());
}

TEST_F(api_test, the_table_and_its_description_can_be_read) {
  EXPECT_EQ(get("/api/v1/commands", {}, bearer).body,
            to_json_text(testing::a_table()));
  const auto text = get("/api/v1/openapi.json", {}, bearer).body;
  EXPECT_TRUE(json::parse(text)["paths"].contains("/api/v1/queue/list"));
}

TEST_F(api_test, what_is_watched_is_told_at_once) {
  const auto x =
    get("/api/v1/watch", {{"command", "queue/list"}, {"limit", "3"}}, bearer);
  ASSERT_EQ(x.status, 200u);
  EXPECT_EQ(header(x, "Content-Type"), "text/event-stream");
  EXPECT_EQ(last(), R"(script: queue list {"limit":3})");
  ASSERT_TRUE(x.stream);
  std::string text(100, '\0');
  text.resize(x.stream->take(text.data(), text.size()).value_or(0));
  EXPECT_EQ(text, "data: {\"a\":1}\n\n");
}

TEST_F(api_test, only_what_changes_nothing_is_watched) {
  EXPECT_EQ(get("/api/v1/watch", {}, bearer).status, 400u);
  EXPECT_EQ(get("/api/v1/watch", {{"command", "queue/none"}}, bearer).status,
            404u);
  EXPECT_EQ(get("/api/v1/watch", {{"command", "queue/purge"}}, bearer).status,
            400u);
  refusal = caf::make_error(ec::not_allowed, std::string{"no"});
  EXPECT_EQ(get("/api/v1/watch", {{"command", "queue/list"}}, bearer).status,
            403u);
}

TEST_F(api_test, at_most_six_are_watched) {
  const auto watch = [this] {
    return get("/api/v1/watch", {{"command", "queue/list"}}, bearer);
  };
  std::vector<http::response> open;
  for (int i = 0; i < 6; ++i)
    open.push_back(watch());
  EXPECT_EQ(open.back().status, 200u);
  EXPECT_EQ(watch().status, 429u);
  const auto other = logged_in_headers();
  open.push_back(get("/api/v1/watch", {{"command", "queue/list"}}, other));
  EXPECT_EQ(open.back().status, 200u);
  open.front().stream->leave();
  settle();
  EXPECT_EQ(watch().status, 200u);
}

TEST_F(api_test, sources_need_a_login_of_pages_and_of_who_comes_by_a_proxy) {
  EXPECT_EQ(get("/api/v1/sources").status, 200u);
  EXPECT_EQ(get("/api/v1/sources", {}, {{"Host", "evil.example:8081"}}).status,
            401u)
    << "a page has made its own name lead here";
  peer = "192.0.2.1";
  EXPECT_EQ(get("/api/v1/sources").status, 401u);
  EXPECT_EQ(get("/api/v1/sources", {}, bearer).status, 200u);
}

TEST_F(api_elsewhere_test, sources_need_a_login_off_the_loopback) {
  EXPECT_EQ(get("/api/v1/sources").status, 401u);
  EXPECT_EQ(get("/api/v1/sources", {}, bearer).status, 200u);
  EXPECT_EQ(last(), "script: source list {}");
}

TEST_F(api_elsewhere_test, metrics_need_a_login_off_the_loopback) {
  EXPECT_EQ(get("/metrics").status, 401u);
  EXPECT_TRUE(asked.empty());
  EXPECT_EQ(get("/metrics", {}, bearer).body, "numbers");
  EXPECT_EQ(get("/metrics", {}, logged_in_headers()).body, "numbers");
  EXPECT_EQ(last(), "ann: settings {}") << "for those who may see all users";
  refusal = caf::make_error(ec::not_allowed, std::string{"a node"});
  EXPECT_EQ(get("/metrics", {}, bearer).status, 403u);
}

} // namespace

} // namespace depositd
