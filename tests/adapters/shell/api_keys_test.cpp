#include "tests/adapters/shell/fake_engine.hpp"

#include "adapters/shell/grammar.hpp"
#include "adapters/shell/secrets.hpp"
#include "adapters/shell/words.hpp"

#include <gtest/gtest.h>

namespace depositd::shell {
namespace {

using json = nlohmann::json;

class api_keys_test : public ::testing::Test {
protected:
  /// Runs a line as a call, with this on standard input.
  int run(const std::string& line, const std::string& typed = "",
          bool person = false) {
    terminal_.emplace(typed);
    auto where = terminal_->where();
    where.reads_from_person = person;
    session with{engine_.factory(), where, operators::published_commands()};
    const auto said = with.read(read_call, *split_words(line));
    return said.call ? with.run(*said.call) : with.tell(said);
  }

  std::string out() const {
    return terminal_->out.str();
  }

  fake_engine engine_;
  std::optional<fake_terminal> terminal_;
};

const std::string answer = R"({"name":"a","permits":["queue|post|x"]})";

TEST_F(api_keys_test, digests_are_those_of_fips_180) {
  EXPECT_EQ(digest_of_api_key("abc"), "ba7816bf8f01cfea414140de5dae2223"
                                      "b00361a396177a9cb410ff61f20015ad");
}

TEST_F(api_keys_test, a_made_key_is_printed_once_and_never_travels) {
  engine_.answers = {answer};
  EXPECT_EQ(run("key add a --permit 'queue|post|x' --json"), exit_done);
  const auto printed = json::parse(out());
  const auto key = printed["key"].get<std::string>();
  EXPECT_EQ(printed["permits"], json{"queue|post|x"});
  EXPECT_EQ(key.size(), 64u);
  EXPECT_EQ(engine_.requests.front().arguments,
            (json{{"name", "a"},
                  {"permits", {"queue|post|x"}},
                  {"digest", digest_of_api_key(key)}}));
  EXPECT_EQ(out().find(key, out().find(key) + 1), std::string::npos);
  EXPECT_EQ(terminal_->err.str(), "");
}

TEST_F(api_keys_test, people_see_the_key_too) {
  engine_.answers = {answer};
  EXPECT_EQ(run("key add a --permit 'queue|post|x'"), exit_done);
  EXPECT_NE(out().find("queue|post|x"), std::string::npos);
  ASSERT_GT(out().size(), 65u);
  const auto key = out().substr(out().size() - 65, 64);
  EXPECT_EQ(engine_.requests.front().arguments["digest"],
            digest_of_api_key(key))
    << out();
}

TEST_F(api_keys_test, no_two_made_keys_are_equal) {
  EXPECT_NE(*make_api_key(), *make_api_key());
}

TEST_F(api_keys_test, a_key_that_was_refused_is_not_printed) {
  engine_.answers = {caf::make_error(ec::already_exists, std::string{"no"})};
  EXPECT_EQ(run("key add a --role queue_post"), exit_refused);
  EXPECT_EQ(out(), "");
}

TEST_F(api_keys_test, a_key_from_standard_input_is_not_repeated) {
  engine_.answers = {answer};
  const std::string key = "0123456789-my-own";
  EXPECT_EQ(run("key add a --role queue_post --key-stdin --json",
                key + "\nrest\n"),
            exit_done);
  EXPECT_EQ(engine_.requests.front().arguments["digest"],
            digest_of_api_key(key));
  EXPECT_EQ(engine_.requests.front().arguments.dump().find("my-own"),
            std::string::npos);
  EXPECT_EQ(out(), answer + "\n");
}

TEST_F(api_keys_test, keys_of_16_to_256_printable_characters_are_taken) {
  const std::string line = "key add a --role queue_post --key-stdin";
  EXPECT_EQ(run(line, std::string(16, '!') + "\n"), exit_done);
  EXPECT_EQ(run(line, std::string(256, '~') + "\r\n"), exit_done);
  EXPECT_EQ(engine_.requests.size(), 2u);
  for (const auto& key :
       {std::string{}, std::string(15, 'x'), std::string(257, 'x'),
        std::string{"0123456789 12345"}, std::string{"0123456789\t12345"},
        std::string{"0123456789\xc3\xa4"
                    "12345"}}) {
    EXPECT_EQ(run(line, key + "\n"), exit_refused) << key;
    EXPECT_EQ(engine_.requests.size(), 2u);
  }
}

TEST_F(api_keys_test, a_person_types_a_key_twice) {
  const std::string key(16, 'x');
  EXPECT_EQ(run("key add a --role queue_post --key-stdin",
                key + "\n" + key + "y\n", true),
            exit_refused);
  EXPECT_TRUE(engine_.requests.empty());
  EXPECT_EQ(run("key add a --role queue_post --key-stdin",
                key + "\n" + key + "\n", true),
            exit_done);
}

TEST_F(api_keys_test, removing_a_key_asks_back) {
  EXPECT_EQ(run("key remove a"), exit_wrong_usage);
  EXPECT_TRUE(engine_.requests.empty());
  EXPECT_EQ(run("key remove a --yes"), exit_done);
  EXPECT_EQ(engine_.requests.front().command, "key remove");
}

TEST_F(api_keys_test, keys_are_listed_as_a_table) {
  engine_.answers = {std::string{
    R"({"keys":[{"name":"a","permits":["queue|post|x","queue|*|*"],)"
    R"("user":"a","expires_at":null,"used_at":null,"queues_max":5}]})"}};
  EXPECT_EQ(run("key list"), exit_done);
  EXPECT_EQ(out(),
            "KEY  PERMITS                 USER  EXPIRES  USED  QUEUES\n"
            "a    queue|post|x,queue|*|*  a     -        -          5\n");
}

} // namespace
} // namespace depositd::shell
