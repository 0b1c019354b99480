#include "tests/adapters/shell/fake_engine.hpp"

#include "adapters/shell/grammar.hpp"
#include "adapters/shell/interactive.hpp"
#include "adapters/shell/secrets.hpp"
#include "adapters/shell/words.hpp"

#include "messages/values/base64.hpp"
#include "messages/values/password_hash.hpp"

#include <gtest/gtest.h>
#include <sodium.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace depositd::shell {
namespace {

using json = nlohmann::json;
namespace fs = std::filesystem;

class session_test : public ::testing::Test {
protected:
  session_test() {
    auto name = (fs::temp_directory_path() / "depositctl-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }

  ~session_test() override {
    fs::remove_all(folder_);
  }

  /// Runs a line as a call, with this on standard input.
  int run(const std::string& line, const std::string& typed = "",
          bool person = false) {
    terminal_.emplace(typed);
    auto where = terminal_->where();
    where.reads_from_person = person;
    where.stopped = [this] { return stopped_; };
    where.pause = [this](unsigned seconds) { pauses_.push_back(seconds); };
    session with{engine_.factory(), where, operators::published_commands()};
    const auto said = with.read(read_call, *split_words(line));
    return said.call ? with.run(*said.call) : with.tell(said);
  }

  int script(const std::string& typed) {
    terminal_.emplace(typed);
    session with{engine_.factory(), terminal_->where(),
                 operators::published_commands()};
    return run_script(with);
  }

  std::string out() const {
    return terminal_->out.str();
  }

  std::string err() const {
    return terminal_->err.str();
  }

  std::string file(const std::string& name, const std::string& bytes) {
    std::ofstream{folder_ / name, std::ios::binary} << bytes;
    return (folder_ / name).string();
  }

  fake_engine engine_;
  std::optional<fake_terminal> terminal_;
  std::vector<unsigned> pauses_;
  bool stopped_ = false;
  fs::path folder_;
};

TEST_F(session_test, json_prints_the_document_as_it_is) {
  engine_.answers = {std::string{R"({"b":1,"a":2})"}};
  EXPECT_EQ(run("status --json"), exit_done);
  EXPECT_EQ(out(), "{\"b\":1,\"a\":2}\n");
  EXPECT_EQ(err(), "");
}

TEST_F(session_test, a_refusal_is_exit_1_with_the_reason_on_standard_error) {
  engine_.answers = {caf::make_error(ec::not_found, std::string{"no \x1b"})};
  EXPECT_EQ(run("queue show a"), exit_refused);
  EXPECT_EQ(out(), "");
  EXPECT_EQ(err(), "depositctl: no \\x1b\n");
}

TEST_F(session_test, what_cannot_be_written_is_exit_4) {
  fake_terminal full{""};
  full.out.setstate(std::ios::badbit); // as after a write to a disk that is
  auto where = full.where();
  EXPECT_EQ(told(where, exit_refused), exit_refused);
  EXPECT_EQ(told(where, exit_done), exit_not_told);
  EXPECT_NE(full.err.str().find("could be written"), std::string::npos);
  // Who reads a part only has what they want.
  fake_terminal left{""};
  left.out.setstate(std::ios::badbit);
  auto unread = left.where();
  unread.unread = [] { return true; };
  EXPECT_EQ(told(unread, exit_done), exit_done);
  EXPECT_EQ(left.err.str(), "");
}

TEST_F(session_test, no_engine_is_exit_3) {
  engine_.down = true;
  EXPECT_EQ(run("status"), exit_no_engine);
  EXPECT_EQ(err(), "depositctl: no engine\n");
}

TEST_F(session_test, wrong_usage_asks_only_which_commands_there_are) {
  EXPECT_EQ(run("queue show"), exit_wrong_usage);
  EXPECT_TRUE(engine_.requests.empty());
  EXPECT_NE(err().find("name"), std::string::npos);
}

TEST_F(session_test, destruction_needs_yes_without_a_person) {
  EXPECT_EQ(run("queue purge query"), exit_wrong_usage);
  EXPECT_NE(err().find("needs --yes"), std::string::npos);
  EXPECT_TRUE(engine_.requests.empty());
  EXPECT_EQ(run("queue purge query --yes"), exit_done);
  EXPECT_EQ(engine_.requests.size(), 1u);
}

TEST_F(session_test, a_person_is_asked_and_only_yes_is_yes) {
  EXPECT_EQ(run("user remove ann", "n\n", true), exit_refused);
  EXPECT_EQ(run("user remove ann", "", true), exit_refused);
  EXPECT_TRUE(engine_.requests.empty());
  EXPECT_EQ(run("user remove ann", "y\n", true), exit_done);
  EXPECT_EQ(engine_.requests.size(), 1u);
}

TEST_F(session_test, park_shows_the_count_before_it_parks) {
  engine_.answers = {std::string{R"({"matched":12})"},
                     std::string{R"({"matched":12,"parked":12})"}};
  EXPECT_EQ(run("park --user ann", "yes\n", true), exit_done);
  ASSERT_EQ(engine_.requests.size(), 2u);
  EXPECT_EQ(engine_.requests[0].arguments,
            (json{{"users", {"ann"}}, {"count_only", true}}));
  EXPECT_EQ(engine_.requests[1].arguments, (json{{"users", {"ann"}}}));
  EXPECT_NE(err().find("12 items match"), std::string::npos);
}

TEST_F(session_test, park_without_yes_only_counts) {
  engine_.answers = {std::string{R"({"matched":12})"}};
  EXPECT_EQ(run("park"), exit_wrong_usage);
  EXPECT_EQ(engine_.requests.size(), 1u);
  EXPECT_EQ(run("unpark --count --json"), exit_done);
  EXPECT_EQ(engine_.requests.size(), 2u);
  EXPECT_EQ(engine_.requests[1].arguments["count_only"], true);
}

TEST_F(session_test, one_job_is_moved_without_a_question) {
  engine_.answers = {std::string{R"({"matched":1,"question":""})"},
                     std::string{R"({"id":7})"}};
  EXPECT_EQ(run("job requeue 7"), exit_done);
  ASSERT_EQ(engine_.requests.size(), 2u);
  EXPECT_EQ(engine_.requests[0].arguments,
            (json{{"id", "7"}, {"count_only", true}}));
  EXPECT_EQ(engine_.requests[1].arguments, (json{{"id", "7"}}));
  EXPECT_EQ(err(), "");
}

TEST_F(session_test, unfinished_work_is_deleted_after_the_engines_question) {
  const std::string asks = R"({"matched":1,"question":"Job 7 is held. Sure?"})";
  engine_.answers = {asks};
  EXPECT_EQ(run("job delete 7"), exit_wrong_usage);
  EXPECT_EQ(engine_.requests.size(), 1u);
  EXPECT_NE(err().find("Job 7 is held. Sure?"), std::string::npos);
  EXPECT_NE(err().find("needs --yes"), std::string::npos);
  engine_.answers = {asks};
  EXPECT_EQ(run("job delete 7", "n\n", true), exit_refused);
  EXPECT_EQ(engine_.requests.size(), 2u);
  engine_.answers = {asks};
  EXPECT_EQ(run("job delete 7 --yes"), exit_done);
  EXPECT_EQ(engine_.requests.size(), 4u);
  EXPECT_EQ(err().find("Sure"), std::string::npos);
}

TEST_F(session_test, a_move_of_many_jobs_needs_yes) {
  engine_.answers = {std::string{R"({"matched":12})"}};
  EXPECT_EQ(run("job requeue --collection c1"), exit_wrong_usage);
  EXPECT_EQ(engine_.requests.size(), 1u);
  EXPECT_NE(err().find("12 items match"), std::string::npos);
}

TEST_F(session_test, a_key_for_callbacks_travels_as_it_is) {
  EXPECT_EQ(run("collection set c1 --callback-key-stdin", "s3cret\nrest\n"),
            exit_done);
  EXPECT_EQ(engine_.requests.front().arguments,
            (json{{"name", "c1"}, {"callback_key", "s3cret"}}));
  EXPECT_EQ(run("collection set c1 --callback-key-stdin", "\n"), exit_refused);
  EXPECT_EQ(engine_.requests.size(), 1u);
}

TEST_F(session_test, a_password_travels_as_a_hash_only) {
  EXPECT_EQ(run("user add ann --password-stdin", "s3cret pass\nrest\n"),
            exit_done);
  const auto arguments = engine_.requests.front().arguments;
  const auto hash = arguments["password_hash"].get<std::string>();
  EXPECT_TRUE(legal_password_hash(hash)) << hash;
  EXPECT_EQ(arguments.dump().find("s3cret"), std::string::npos);
  EXPECT_EQ(crypto_pwhash_str_verify(hash.c_str(), "s3cret pass", 11), 0);
}

TEST_F(session_test, bad_passwords_are_refused_here) {
  EXPECT_EQ(run("user add ann --password-stdin", "\n"), exit_refused);
  EXPECT_EQ(run("user add ann --password-stdin", std::string(2'000, 'x')),
            exit_refused);
  EXPECT_EQ(run("user add ann", "one\ntwo\n", true), exit_refused);
  EXPECT_NE(err().find("differ"), std::string::npos);
  EXPECT_TRUE(engine_.requests.empty());
}

TEST_F(session_test, files_are_submitted_one_by_one_with_their_bytes) {
  const auto a = file("a.xml", "<a/>");
  const auto b = file("b.xml", std::string{"\0\xff", 2});
  engine_.answers = {std::string{R"({"id":4})"}, std::string{R"({"id":5})"}};
  EXPECT_EQ(run("submit " + a + " " + b + " --user ann --json"), exit_done);
  EXPECT_EQ(engine_.requests[0].arguments,
            (json{{"user", "ann"},
                  {"file_name", "a.xml"},
                  {"content_base64", encode_base64("<a/>")}}));
  EXPECT_EQ(json::parse(out())["submissions"],
            (json{{{"file", a}, {"id", 4}}, {{"file", b}, {"id", 5}}}));
}

TEST_F(session_test, files_that_fail_do_not_stop_the_others) {
  const auto good = file("good.xml", "<a/>");
  const auto empty = file("empty.xml", "");
  engine_.answers = {std::string{R"({"id":4})"}};
  EXPECT_EQ(run("submit " + empty + " " + folder_.string() + " " + good
                + " --user ann"),
            exit_refused);
  EXPECT_EQ(engine_.requests.size(), 1u);
  EXPECT_NE(out().find("submitted 4"), std::string::npos);
  EXPECT_NE(err().find("empty.xml: is empty"), std::string::npos);
}

TEST_F(session_test, a_file_that_is_too_large_never_leaves) {
  const auto large = file("large.xml", std::string((10 << 20) + 1, 'x'));
  EXPECT_EQ(run("submit " + large + " --user ann"), exit_refused);
  EXPECT_NE(err().find("larger than 10 MiB"), std::string::npos);
  const auto full = file("full.xml", std::string(10 << 20, 'x'));
  EXPECT_EQ(run("submit " + full + " --user ann"), exit_done);
}

TEST_F(session_test, progress_is_drawn_on_terminals_only) {
  const auto a = file("a.xml", "<a/>");
  run("submit " + a + " --user ann");
  EXPECT_EQ(err(), "");
  terminal_.emplace();
  auto where = terminal_->where();
  where.draws = true;
  session with{engine_.factory(), where, operators::published_commands()};
  with.run(
    *read_call(with.commands(), {"submit", a, "--user", "ann"}).call);
  EXPECT_NE(err().find("0/1"), std::string::npos);
}

TEST_F(session_test, a_connection_that_is_cut_at_once_is_made_again) {
  engine_.cuts = 2;
  engine_.answers.push_back(R"({"users":[],"more":false})");
  EXPECT_EQ(run("user list"), exit_done);
  EXPECT_EQ(engine_.connections, 3);
}

TEST_F(session_test, connections_that_are_all_cut_are_no_engine) {
  engine_.cuts = 100;
  EXPECT_EQ(run("user list"), exit_no_engine);
  EXPECT_EQ(engine_.connections, 3);
}

TEST_F(session_test, what_changes_nothing_is_asked_again_when_it_is_cut) {
  const auto cut = caf::make_error(caf::sec::cannot_connect_to_node);
  engine_.answers = {cut, std::string{R"({"users":[],"more":false})"}};
  EXPECT_EQ(run("user list"), exit_done);
  EXPECT_EQ(engine_.requests.size(), 2u);
  engine_.answers = {cut};
  EXPECT_EQ(run("suspend"), exit_no_engine);
  EXPECT_EQ(engine_.requests.size(), 3u) << "perhaps it has been done";
}

TEST_F(session_test, a_silent_engine_is_waited_for_half_a_minute) {
  engine_.commands =
    caf::make_error(caf::sec::request_timeout, std::string{"no answer"});
  EXPECT_EQ(run("user list"), exit_no_engine);
  EXPECT_EQ(engine_.connections, 3);
  EXPECT_EQ(engine_.waited, std::chrono::seconds{30});
  EXPECT_EQ(err(), "depositctl: no answer\n");
}

TEST_F(session_test, watch_repeats_with_pauses_and_ends) {
  EXPECT_EQ(run("watch --times 3 5 status"), exit_done);
  EXPECT_EQ(engine_.requests.size(), 3u);
  EXPECT_EQ(pauses_, (std::vector<unsigned>{5, 5}));
  stopped_ = true;
  EXPECT_EQ(run("watch status"), exit_done);
  EXPECT_EQ(engine_.requests.size(), 4u);
}

TEST_F(session_test, watch_connects_again_after_the_engine_went_away) {
  engine_.answers = {std::string{"{}"},
                     caf::make_error(caf::sec::cannot_connect_to_node),
                     std::string{"{}"}};
  EXPECT_EQ(run("watch --times 3 status"), exit_done);
  EXPECT_EQ(engine_.connections, 2);
}

// -- which commands there are -------------------------------------------------

TEST_F(session_test, the_engine_says_which_commands_there_are) {
  engine_.commands = std::string{
    R"({"commands":[{"words":"tea brew","help":"Make tea","arguments":[
        {"spelling":"--cups","key":"cups","kind":"number"}]}],
        "groups":[{"word":"tea","help":"Tea"}],"later":"ignored"})"};
  EXPECT_EQ(run("tea brew --cups 3"), exit_done);
  EXPECT_EQ(engine_.requests.back().command, "tea brew");
  EXPECT_EQ(engine_.requests.back().arguments, (json{{"cups", 3}}));
  EXPECT_EQ(run("tea brew --help"), exit_done);
  EXPECT_NE(out().find("Make tea"), std::string::npos);
  EXPECT_EQ(run("status"), exit_wrong_usage);
}

TEST_F(session_test, the_content_of_a_file_travels_as_the_row_says) {
  engine_.commands = std::string{
    R"({"commands":[{"words":"brew","arguments":[{"spelling":"files",
        "key":"leaves","kind":"files","required":true}]}],"groups":[]})"};
  EXPECT_EQ(run("brew " + file("a.xml", "<a/>")), exit_done);
  EXPECT_EQ(engine_.requests.back().arguments,
            (json{{"file_name", "a.xml"}, {"leaves", encode_base64("<a/>")}}));
}

TEST_F(session_test, one_file_is_an_argument_like_others) {
  const auto table = file("t.csv", "key,user,body\n");
  engine_.answers = {std::string{R"({"name":"s","fed":2,"bad":[]})"}};
  EXPECT_EQ(run("source feed s " + table), exit_done);
  ASSERT_EQ(engine_.requests.size(), 1u);
  EXPECT_EQ(engine_.requests[0].arguments,
            (json{{"name", "s"},
                  {"content_base64", encode_base64("key,user,body\n")}}));
  EXPECT_EQ(out(), "2 fed\n");
  EXPECT_EQ(run("source feed s " + table + ".gone"), exit_refused);
  EXPECT_EQ(engine_.requests.size(), 1u);
  EXPECT_NE(err().find("no such file"), std::string::npos);
}

TEST_F(session_test, a_table_for_a_file_is_not_touched) {
  const std::string cell = "a\u200db\xc2\xa0";
  const auto csv = "key,user,error,body\nk,u,e,\"" + cell + "\"\n";
  engine_.answers
    = {json{{"name", "s"}, {"csv", csv}, {"next", 7}}.dump()};
  EXPECT_EQ(run("source failed s --csv"), exit_done);
  EXPECT_EQ(out(), csv);
  EXPECT_EQ(err(), "there are more; go on with --after 7\n");
}

TEST_F(session_test, a_table_that_makes_no_grammar_is_told_and_done_without) {
  const auto of = [](const std::string& arguments) {
    return R"({"commands":[{"words":"tea","arguments":[)" + arguments + "]}]}";
  };
  for (const auto& table :
       {std::string{R"({"commands":[{"words":"tea"},{"words":"tea"}]})"},
        of(R"({"spelling":"-","key":"a"})"),
        of(R"({"spelling":"--a","key":"a"},{"spelling":"--a","key":"b"})"),
        of(R"({"spelling":"a","key":"a","kind":"files"},)"
           R"({"spelling":"b","key":"b","kind":"files"})")}) {
    engine_.commands = table;
    EXPECT_EQ(run("status"), exit_done) << table;
    EXPECT_NE(err().find("commands that make no grammar"), std::string::npos)
      << err();
  }
}

TEST_F(session_test, an_engine_without_a_table_is_told_and_served) {
  for (const auto& answer :
       {caf::expected<std::string>{caf::make_error(ec::not_found)},
        caf::expected<std::string>{std::string{"{\"commands\":7}"}},
        caf::expected<std::string>{std::string{"nonsense"}}}) {
    engine_.commands = answer;
    EXPECT_EQ(run("status"), exit_done);
    EXPECT_NE(err().find("does not publish its commands"), std::string::npos);
  }
}

TEST_F(session_test, without_an_engine_there_is_help_that_says_so) {
  engine_.down = true;
  EXPECT_EQ(run("usr list --help"), exit_done);
  EXPECT_NE(out().find("queue"), std::string::npos);
  EXPECT_NE(err().find("no engine; this is what depositctl itself knows"),
            std::string::npos);
  EXPECT_EQ(run("usr list"), exit_wrong_usage);
  EXPECT_NE(err().find("no engine; this is what depositctl itself knows"),
            std::string::npos);
}

TEST_F(session_test, help_and_wrong_usage_wait_for_no_engine) {
  EXPECT_EQ(run("queue --help"), exit_done);
  EXPECT_NE(out().find("peek"), std::string::npos);
  EXPECT_EQ(run("help queue"), exit_done);
  EXPECT_NE(out().find("purge"), std::string::npos);
  EXPECT_EQ(run("help"), exit_done);
  EXPECT_NE(out().find("manifest check FILE"), std::string::npos);
  for (const auto line : {"queue show", "why x", "queue peek a --limit -1"})
    EXPECT_EQ(run(line), exit_wrong_usage);
  EXPECT_EQ(script("help queue set\nqueue show\n"), exit_wrong_usage);
  EXPECT_EQ(engine_.connections, 0);
}

TEST_F(session_test, what_is_unknown_is_named_with_what_was_meant) {
  const auto said = [&](const char* line) {
    EXPECT_EQ(run(line), exit_wrong_usage) << line;
    return err();
  };
  EXPECT_EQ(said("usr list"),
            "depositctl: unknown command: usr; did you mean user?\n");
  EXPECT_EQ(said("queue lst"), "depositctl: unknown command: queue lst; did "
                               "you mean queue list?\n");
  EXPECT_EQ(said("queue frob"),
            "depositctl: unknown command: queue frob; see queue --help\n");
  EXPECT_EQ(said("queue peek a --limt 3"),
            "depositctl: unknown option: --limt; did you mean --limit?\n");
  EXPECT_EQ(said("--jsn status"),
            "depositctl: unknown option: --jsn; did you mean --json?\n");
  EXPECT_EQ(said("submission list --user x --stat queued"),
            "depositctl: unknown option: --stat; did you mean --status?\n");
  EXPECT_EQ(said("watch 3 usr list"),
            "depositctl: unknown command: usr; did you mean user?\n");
  EXPECT_EQ(said("frobnicate"),
            "depositctl: unknown command: frobnicate; see --help\n");
  EXPECT_EQ(said("why -1"), "depositctl: id: must be a number, not -1\n");
  EXPECT_EQ(said("backup ''"), "depositctl: folder: must be a folder\n");
  EXPECT_EQ(said("stat"),
            "depositctl: unknown command: stat; did you mean status?\n");
}

// -- scripts ------------------------------------------------------------------

TEST_F(session_test, a_script_runs_line_by_line_on_one_connection) {
  EXPECT_EQ(script("status\n\n# note\nqueue show 'a'\r\nquit\nstatus\n"),
            exit_done);
  ASSERT_EQ(engine_.requests.size(), 2u);
  EXPECT_EQ(engine_.requests[1].arguments, (json{{"name", "a"}}));
  EXPECT_EQ(engine_.connections, 1);
}

TEST_F(session_test, a_script_goes_on_after_an_error_and_reports_it) {
  engine_.answers = {caf::make_error(ec::not_found, std::string{"no"})};
  EXPECT_EQ(script("queue show a\nstatus\n"), exit_refused);
  EXPECT_EQ(engine_.requests.size(), 2u);
  EXPECT_NE(err().find("line 1 failed (exit 1)"), std::string::npos) << err();
  EXPECT_EQ(script("frob\nstatus"), exit_wrong_usage);
}

TEST_F(session_test, a_script_says_in_which_lines_errors_were) {
  engine_.answers = {std::string{"{}"}};
  EXPECT_EQ(script("user add ann --password-stdin\nsecret\n\nfrob\nstatus\n"),
            exit_wrong_usage);
  EXPECT_NE(err().find("line 4 failed (exit 2)"), std::string::npos)
    << "what a command reads is lines of the script as well: " << err();
  EXPECT_EQ(err().find("line 5"), std::string::npos);
}

TEST_F(session_test, broken_lines_are_wrong_usage_with_clean_texts) {
  for (const auto& line :
       {std::string{"queue show 'a"}, "status " + std::string(1 << 20, 'x'),
        std::string{"\x1b[31mstatus"}, std::string{"\xff\xfe"},
        std::string("a\0b", 3)}) {
    EXPECT_EQ(script(line + "\n"), exit_wrong_usage);
    EXPECT_EQ(err().find('\x1b'), std::string::npos);
    EXPECT_LT(err().size(), 1'000u);
  }
  EXPECT_TRUE(engine_.requests.empty());
}

TEST_F(session_test, help_explains_commands_and_the_loop) {
  EXPECT_EQ(script("help\nhelp queue set\n"), exit_done);
  EXPECT_NE(out().find("watch [SECONDS]"), std::string::npos);
  EXPECT_NE(out().find("--pending-limit"), std::string::npos);
}

TEST_F(session_test, names_for_completion_come_from_the_engine) {
  terminal_.emplace();
  session with{engine_.factory(), terminal_->where(),
               operators::published_commands()};
  engine_.answers = {std::string{R"({"users":[{"user":"ann"},7]})"}};
  EXPECT_EQ(with.names("user list"), std::vector<std::string>{"ann"});
  engine_.answers = {std::string{"nonsense"}};
  EXPECT_TRUE(with.names("queue list").empty());
  EXPECT_EQ(engine_.requests.back().command, "queue list");
}

} // namespace
} // namespace depositd::shell
