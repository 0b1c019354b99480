// Names of tests begin with the rows of the case table that they stand for.

#include "adapters/minters/check_character.hpp"
#include "adapters/minters/http_minter.hpp"
#include "adapters/minters/local_minter.hpp"
#include "tests/support/scripted_server.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <set>
#include <thread>

namespace depositd {

namespace {

using server = testing::scripted_server;

class local_minting : public ::testing::Test {
protected:
  std::unique_ptr<minter> open(const std::string& shoulder = "99999/fk4") {
    auto out = open_local_minter({home.path(), shoulder});
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : nullptr;
  }

  temporary_folder home;
};

class http_minting : public ::testing::Test {
protected:
  static caf::expected<std::string> mint(const server& at,
                                         const mint_request& x = {}) {
    return make_http_minter({.url = at.url("/shoulder/ark:/99999/fk4"),
                             .user = "ada",
                             .password = "secret",
                             .retry_delay = std::chrono::milliseconds{1}})
      ->mint(x);
  }

  static std::string created(const std::string& body) {
    return server::response(
      "201 Created", "Content-Length: " + std::to_string(body.size()) + "\r\n",
      body);
  }
};

} // namespace

TEST(check_characters, are_those_of_noid) {
  EXPECT_EQ(check_character("13030/xf93gt2"), 'q'); // NOID's own example
  EXPECT_NE(check_character("13030/xf39gt2"), 'q') << "changed places";
}

TEST(minted_names, are_numbers_in_29_letters) {
  EXPECT_EQ(minted_name(0, 3), "000");
  EXPECT_EQ(minted_name(28, 1), "z");
  EXPECT_EQ(minted_name(29, 1), "10");
  EXPECT_EQ(minted_name(29 * 29 * 29, 3), "1000") << "longer if it must be";
  for (const std::uint64_t number : {0u, 28u, 29u, 123'456u})
    EXPECT_EQ(minted_number(minted_name(number, 6)), number);
  for (const auto* name : {"", "a", "00000A", "zzzzzzzzzzzzz"})
    EXPECT_FALSE(minted_number(name)) << name;
}

TEST_F(local_minting, gives_arks_that_check) {
  const auto ark = open()->mint({.key = "job-1"});
  ASSERT_TRUE(ark) << render(ark.error());
  EXPECT_EQ(ark->substr(0, 14), "ark:/99999/fk4");
  EXPECT_EQ(ark->size(), 14u + 6 + 1);
  EXPECT_EQ(ark->back(), check_character(ark->substr(5, ark->size() - 6)))
    << *ark;
}

TEST_F(local_minting, M18_gives_a_key_the_same_after_a_restart) {
  const auto first = *open()->mint({.key = "job-1"});
  const auto store = open();
  EXPECT_EQ(*store->mint({.key = "job-1"}), first);
  EXPECT_NE(*store->mint({.key = "job-2"}), first);
}

TEST_F(local_minting, never_gives_the_same_twice) {
  std::set<std::string> all;
  for (int round = 0; round < 3; ++round) {
    const auto store = open();
    for (int i = 0; i < 30; ++i)
      all.insert(
        *store->mint({.key = std::to_string(round) + "-" + std::to_string(i)}));
  }
  EXPECT_EQ(all.size(), 90u);
  // With another shoulder the numbers go on.
  const auto other = open("13030/m5");
  for (int i = 0; i < 10; ++i)
    all.insert(*other->mint({.key = "o" + std::to_string(i)}));
  EXPECT_EQ(all.size(), 100u);
}

TEST_F(local_minting, begins_behind_what_objects_have_if_its_file_is_lost) {
  const auto last = *open()->mint({.key = "job-0"});
  const auto lost = *open()->mint({.key = "job-1"});
  std::filesystem::remove_all(home.path() / "minter.db");
  std::vector<std::string> asked;
  const auto anew = open_local_minter(
    {.folder = home.path(),
     .known = [&](const std::string& after)
       -> caf::expected<std::vector<std::string>> {
       asked.push_back(after);
       if (after == "ark:/99999/fk4")
         return std::vector<std::string>{"ark:/99999/fk4!", last};
       return std::vector<std::string>{"ark:/99999/other"};
     }});
  ASSERT_TRUE(anew) << render(anew.error());
  const auto next = *(*anew)->mint({.key = "job-2"});
  EXPECT_EQ(next.substr(0, 20), "ark:/99999/fk4" + minted_name(1'000'002, 6));
  EXPECT_EQ(asked, (std::vector<std::string>{"ark:/99999/fk4", last}));
  EXPECT_NE(next, lost) << "that no object has yet";
  EXPECT_EQ(*(*anew)->mint({.key = "job-2"}), next);
  EXPECT_EQ((*anew)->mint({.key = "job-3"})->substr(0, 20),
            "ark:/99999/fk4" + minted_name(1'000'003, 6));
  EXPECT_EQ(asked.size(), 2u) << "once";
}

TEST_F(local_minting, passes_over_what_objects_have) {
  std::set<std::string> taken;
  caf::error away;
  const auto minting = open_local_minter(
    {.folder = home.path(),
     .taken = [&](const std::string& x) -> caf::expected<bool> {
       if (away)
         return away;
       return taken.contains(x);
     }});
  ASSERT_TRUE(minting) << render(minting.error());
  const auto first = *(*minting)->mint({.key = "job-1"});
  for (const std::uint64_t number : {2u, 3u, 4u, 6u}) {
    const auto name = "99999/fk4" + minted_name(number, 6);
    taken.insert("ark:/" + name + check_character(name));
  }
  EXPECT_EQ((*minting)->mint({.key = "job-2"})->substr(0, 20),
            "ark:/99999/fk4" + minted_name(5, 6));
  EXPECT_EQ((*minting)->mint({.key = "job-3"})->substr(0, 20),
            "ark:/99999/fk4" + minted_name(7, 6));
  taken.insert(first);
  EXPECT_EQ(*(*minting)->mint({.key = "job-1"}), first)
    << "its own object has it by now";
  away = ec::store_failed;
  EXPECT_EQ((*minting)->mint({.key = "job-4"}).error(), ec::store_failed);
}

TEST_F(local_minting, begins_with_the_first_number_where_nothing_is_known) {
  const auto fresh = open_local_minter(
    {.folder = home.path(),
     .known = [](const auto&) -> caf::expected<std::vector<std::string>> {
       return std::vector<std::string>{};
     }});
  ASSERT_TRUE(fresh) << render(fresh.error());
  EXPECT_EQ((*fresh)->mint({.key = "job-1"})->substr(0, 20),
            "ark:/99999/fk4" + minted_name(1, 6));
}

TEST_F(local_minting, gives_none_as_long_as_nobody_says_what_is_known) {
  bool says = false;
  const auto lost = open_local_minter(
    {.folder = home.path(),
     .known = [&](const auto&) -> caf::expected<std::vector<std::string>> {
       if (says)
         return std::vector<std::string>{};
       return caf::make_error(ec::store_failed, std::string{"not now"});
     }});
  ASSERT_TRUE(lost) << render(lost.error());
  EXPECT_EQ((*lost)->mint({.key = "job-1"}).error(), ec::store_failed);
  says = true;
  EXPECT_TRUE((*lost)->mint({.key = "job-1"}));
}

TEST_F(local_minting, writes_home_what_its_log_has) {
  const auto store = open();
  for (int i = 0; i < 150; ++i)
    ASSERT_TRUE(store->mint({.key = std::to_string(i)}));
  EXPECT_LT(std::filesystem::file_size(home.path() / "minter.db-wal"),
            1'500'000u);
}

TEST_F(local_minting, serves_many_threads) {
  const auto store = open();
  std::array<std::vector<std::string>, 4> found;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < found.size(); ++i)
    threads.emplace_back([&, i] {
      for (int j = 0; j < 25; ++j)
        found[i].push_back(*store->mint(
          {.key =
             j == 0 ? "shared" : std::to_string(i) + "-" + std::to_string(j)}));
    });
  for (auto& x : threads)
    x.join();
  std::set<std::string> all;
  for (const auto& each : found)
    all.insert(each.begin(), each.end());
  EXPECT_EQ(all.size(), 4u * 24 + 1);
}

TEST_F(local_minting, refuses_keys_and_shoulders_that_are_none) {
  EXPECT_EQ(open()->mint({}).error(), ec::invalid_argument);
  EXPECT_EQ(open()->mint({.key = std::string(1'025, 'k')}).error(),
            ec::invalid_argument);
  for (const auto* shoulder :
       {"", "99999", "99999/", "9/fk4", "99999/a b", "99999/fk4/x", "../x"})
    EXPECT_EQ(open_local_minter({home.path(), shoulder}).error(),
              ec::invalid_argument)
      << shoulder;
}

TEST_F(local_minting, goes_on_in_a_copy_far_behind_where_it_was) {
  std::string first;
  std::string second;
  {
    const auto used = open();
    first = *used->mint({.key = "job-1"});
    const auto copy = home.path() / "copy";
    std::filesystem::create_directory(copy);
    const auto failure = used->backup(copy);
    ASSERT_FALSE(failure) << render(failure);
    second = *used->mint({.key = "job-2"});
  }
  auto copied = open_local_minter({home.path() / "copy", "99999/fk4"});
  ASSERT_TRUE(copied) << render(copied.error());
  EXPECT_EQ(*(*copied)->mint({.key = "job-1"}), first);
  EXPECT_EQ((*copied)->mint({.key = "job-2"})->substr(0, 20),
            "ark:/99999/fk4" + minted_name(1'000'002, 6));
  EXPECT_NE(*(*copied)->mint({.key = "job-3"}), second)
    << "whose object the copy does not know, but storage elsewhere may";
}

TEST_F(http_minting, asks_as_ezid_wants_it) {
  const server at{[&](const auto&) {
    return created("success: ark:/99999/fk4abc | ark:/b9999/x\n");
  }};
  const auto ark = mint(at, {.key = "k",
                             .who = "Ada",
                             .what = "100%\r\nsure",
                             .when = "1843",
                             .target = "https://example.org/1"});
  ASSERT_TRUE(ark) << render(ark.error());
  EXPECT_EQ(*ark, "ark:/99999/fk4abc");
  const auto request = at.requests()[0];
  EXPECT_TRUE(request.starts_with("POST /shoulder/ark:/99999/fk4 "));
  EXPECT_EQ(server::header(request, "Authorization"), "Basic YWRhOnNlY3JldA==");
  EXPECT_EQ(server::header(request, "Content-Type"),
            "text/plain; charset=UTF-8");
  EXPECT_EQ(request.substr(request.find("\r\n\r\n") + 4),
            "_target: https://example.org/1\n_profile: erc\nerc.who: Ada\n"
            "erc.what: 100%25%0D%0Asure\nerc.when: 1843\n");
}

TEST_F(http_minting, tells_its_password_to_no_proxy_of_the_environment) {
  const auto answer = [](const auto&) {
    return created("success: ark:/99999/fk4abc");
  };
  const server at{answer};
  const server proxy{answer};
  setenv("http_proxy", proxy.url("").c_str(), 1);
  const auto ark = mint(at);
  unsetenv("http_proxy");
  EXPECT_TRUE(ark) << render(ark.error());
  EXPECT_EQ(at.requests().size(), 1u);
  EXPECT_TRUE(proxy.requests().empty());
}

TEST_F(http_minting, S12_tries_three_times) {
  std::atomic<int> count = 0;
  const server at{[&](const auto&) {
    return count++ < 2
             ? server::response("502 Bad Gateway", "Content-Length: 0\r\n", "")
             : created("success: ark:/99999/fk4abc");
  }};
  const auto ark = mint(at);
  ASSERT_TRUE(ark) << render(ark.error());
  EXPECT_EQ(*ark, "ark:/99999/fk4abc");
  count = -1;
  EXPECT_EQ(mint(at).error(), ec::overloaded);
}

TEST_F(http_minting, is_there_as_long_as_somebody_answers) {
  const auto look = [](const std::string& url) {
    return look_for_http_minter({.url = url, .user = "ada"});
  };
  std::atomic<const char*> status = "405 Method Not Allowed";
  const server at{[&](const auto&) {
    return server::response(status.load(), "Content-Length: 0\r\n", "");
  }};
  const auto url = at.url("/shoulder/ark:/99999/fk4");
  for (const auto* fine : {"405 Method Not Allowed", "401 Unauthorized",
                           "500 Internal Server Error", "200 OK"}) {
    status = fine;
    EXPECT_FALSE(look(url)) << fine;
  }
  for (const auto& request : at.requests())
    EXPECT_TRUE(request.starts_with("HEAD ")) << request;
  for (const auto* nobody :
       {"502 Bad Gateway", "503 Unavailable", "504 Timeout"}) {
    status = nobody;
    EXPECT_EQ(render(look(url)), "the minter answers with "
                                   + std::string{nobody}.substr(0, 3));
  }
  EXPECT_EQ(look("http://127.0.0.1:1/shoulder/ark:/1/x"), ec::overloaded);
}

TEST_F(http_minting, is_broken_off_when_the_engine_stops) {
  const testing::loopback_listener silent;
  http_minter_options options;
  options.url =
    "http://127.0.0.1:" + std::to_string(silent.port()) + "/shoulder/ark:/1/x";
  options.time_limit = std::chrono::hours{1};
  options.retry_delay = std::chrono::hours{1};
  options.stopped = [] { return true; };
  EXPECT_EQ(make_http_minter(options)->mint({}).error(), ec::overloaded);
  EXPECT_FALSE(look_for_http_minter(options)) << "which says nothing of it";
}

TEST_F(http_minting, tells_what_is_wrong_for_good) {
  const server at{[](const auto&) {
    return server::response("401 Unauthorized", "Content-Length: 10\r\n",
                            "error: no\n");
  }};
  const auto out = mint(at);
  EXPECT_EQ(out.error(), ec::wrong_credentials);
  EXPECT_EQ(render(out.error()), "the minter answers: error: no ");
  EXPECT_EQ(at.requests().size(), 1u);
  const server bad{[](const auto&) {
    return server::response("400 Bad Request", "Content-Length: 0\r\n", "");
  }};
  EXPECT_EQ(mint(bad).error(), ec::invalid_argument);
}

TEST_F(http_minting, tells_what_answers_instead_of_a_minter) {
  std::string answer;
  const server at{[&](const auto&) { return answer; }};
  answer = server::response("302 Found",
                            "Content-Length: 0\r\nLocation: /closed\r\n", "");
  auto out = mint(at);
  EXPECT_EQ(out.error(), ec::overloaded) << "it leads everybody there";
  EXPECT_EQ(render(out.error()), "the minter answers with 302");
  answer = server::response("200 OK", "",
                            "success: ark:/99999/fk4a\n"
                              + std::string(64 * 1024, 'x'));
  out = mint(at);
  EXPECT_EQ(out.error(), ec::malformed);
  EXPECT_EQ(render(out.error()), "the minter answers more than 65536 bytes");
}

TEST_F(http_minting, takes_nothing_but_arks) {
  for (const auto* answer :
       {"success: doi:10.5072/x", "success:", "success: ark:/99999/",
        "<html>hello</html>", "", "error: x", "success: ark:/9/a\x1b[2J"}) {
    const server at{[&](const auto&) { return created(answer); }};
    EXPECT_EQ(mint(at).error(), ec::malformed) << answer;
  }
}

} // namespace depositd
