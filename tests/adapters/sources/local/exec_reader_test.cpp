#include "adapters/sources/local/exec_reader.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>

namespace depositd::sources {

namespace {

class exec_reader_test : public ::testing::Test {
protected:
  exec_reader_test() {
    settings.kind = source_kind::exec;
    settings.key = "id";
    settings.from.cursor = "at";
    context.body_bytes_max = 100;
  }

  /// A source that runs a shell script.
  void use(const std::string& script) {
    const auto file = folder.path() / "script";
    std::ofstream{file} << script << '\n';
    settings.from.command = "sh '" + file.string() + "'";
    auto made = make_exec_reader("src", settings, context);
    ASSERT_TRUE(made) << render(made.error());
    reader = std::move(*made);
  }

  caf::expected<pulled_batch>
  ask(std::uint64_t limit = 10, std::string cursor = {},
      std::chrono::milliseconds timeout = std::chrono::seconds{60}) {
    return reader->next_batch({limit, std::move(cursor), timeout});
  }

  pulled_batch next(std::uint64_t limit = 10, std::string cursor = {}) {
    auto out = ask(limit, std::move(cursor));
    EXPECT_TRUE(out) << render(out.error());
    return out ? std::move(*out) : pulled_batch{};
  }

  temporary_folder folder;
  source_settings settings;
  reader_context context;
  std::unique_ptr<source_reader> reader;
};

} // namespace

TEST_F(exec_reader_test, tells_the_program_what_is_asked) {
  settings.from.cursor_start = "the start";
  use("echo \"{\\\"id\\\":\\\"$DEPOSITD_SOURCE $DEPOSITD_LIMIT "
      "$DEPOSITD_CURSOR\\\"}\"");
  EXPECT_EQ(next(7).records.at(0).key, "src 7 the start");
  EXPECT_EQ(next(8, "a cursor").records.at(0).key, "src 8 a cursor");
  settings.from.cursor_start.clear();
  use("test -z \"$DEPOSITD_CURSOR\" && echo '{\"id\":\"none\"}'");
  EXPECT_EQ(next().records.at(0).key, "none");
}

TEST_F(exec_reader_test, needs_no_end_of_line_at_the_end_and_skips_blank_ones) {
  use("printf '\\n{\"id\":1,\"at\":\"x\"}\\r\\n  \\n {\"id\":2}'");
  const auto batch = next();
  ASSERT_EQ(batch.records.size(), 2u);
  EXPECT_EQ(batch.records[1].body, R"({"id":2})");
  EXPECT_TRUE(batch.bad.empty());
  EXPECT_EQ(batch.cursor, "x") << "of the last record that has one";
}

TEST_F(exec_reader_test, has_no_cursor_if_no_field_says_one) {
  use("echo '{\"id\":1,\"at\":2}'");
  EXPECT_TRUE(next().has_cursor);
  settings.from.cursor.clear();
  use("echo '{\"id\":1,\"at\":2}'");
  EXPECT_FALSE(next().has_cursor);
}

TEST_F(exec_reader_test, passes_over_lines_beyond_the_limit) {
  use("for i in 1 2 3 4 5; do echo \"{\\\"id\\\":$i,\\\"at\\\":$i}\"; done\n"
      "head -c 3000000 /dev/zero; echo; echo garbage");
  const auto batch = next(3);
  EXPECT_EQ(batch.records.size(), 3u);
  EXPECT_TRUE(batch.bad.empty());
  EXPECT_EQ(batch.cursor, "3");
}

TEST_F(exec_reader_test, a_line_that_is_too_long_is_bad_and_the_rest_counts) {
  use("echo '{\"id\":1}'; head -c 3000000 /dev/zero | tr '\\0' x; echo\n"
      "echo '{\"id\":2}'");
  const auto batch = next();
  EXPECT_EQ(batch.records.size(), 2u);
  ASSERT_EQ(batch.bad.size(), 1u);
  EXPECT_EQ(batch.bad[0].reason, "a line has more than 65636 bytes");
  EXPECT_LE(batch.bad[0].body.size(), 65'536u);
  EXPECT_EQ(batch.bad[0].at, 1u);
}

TEST_F(exec_reader_test, a_line_may_have_as_many_bytes_as_are_said) {
  // {"id":1} and blanks.
  for (const auto bytes : {65'636, 65'637}) {
    use("printf '{\"id\":1}'; head -c " + std::to_string(bytes - 8)
        + " /dev/zero | tr '\\0' ' '; echo");
    EXPECT_EQ(next().bad.size(), bytes == 65'636 ? 0u : 1u) << bytes;
  }
}

TEST_F(exec_reader_test, a_line_that_is_no_object_is_bad_and_the_rest_counts) {
  use("printf '[1]\\n{\"id\":1}\\nTraceback\\n\\377\\n{\"id\":2}\\n'");
  const auto batch = next();
  EXPECT_EQ(batch.records.size(), 2u);
  ASSERT_EQ(batch.bad.size(), 3u);
  EXPECT_EQ(batch.bad[0].reason, "is no JSON object");
  EXPECT_EQ(batch.bad[1].body, "Traceback");
  EXPECT_EQ(batch.bad[2].reason, "is not UTF-8");
}

TEST_F(exec_reader_test, nothing_counts_if_the_program_fails) {
  use("echo '{\"id\":1}'; echo 'no route to the archive' >&2; exit 7");
  const auto out = ask();
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::store_failed);
  EXPECT_EQ(render(out.error()),
            "sh ended with exit code 7: no route to the archive");
  use("echo '{\"id\":1}'; kill -9 $$");
  EXPECT_EQ(render(ask().error()), "sh was killed by signal 9");
}

TEST_F(exec_reader_test, a_program_that_never_ends_is_killed_with_its_group) {
  const auto lock = (folder.path() / "lock").string();
  use("exec flock '" + lock + "' sh -c 'echo garbage; sleep 600'");
  const auto out = ask(10, {}, std::chrono::seconds{2});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::store_failed);
  EXPECT_EQ(render(out.error()), "sh was not done after 2000 ms");
  // Free once nobody has it any more: the shell and its sleep included.
  const int file = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  EXPECT_EQ(::flock(file, LOCK_EX), 0);
  ::close(file);
}

TEST_F(exec_reader_test, a_program_that_prints_for_ever_is_killed_as_well) {
  use("exec yes '{\"id\":1}'");
  const auto out = ask(10, {}, std::chrono::seconds{1});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::store_failed);
}

TEST_F(exec_reader_test, a_program_that_is_not_there_is_named) {
  if (!vfork_shares_memory)
    GTEST_SKIP() << "ThreadSanitizer hides why a child could not begin";
  settings.from.command = "/no/such/program --quickly";
  auto made = make_exec_reader("src", settings, context);
  ASSERT_TRUE(made) << "nothing is touched yet";
  const auto out = (*made)->next_batch({1, {}, std::chrono::seconds{9}});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::not_found);
  EXPECT_EQ(render(out.error()),
            "cannot run /no/such/program: No such file or directory");
}

TEST_F(exec_reader_test, a_cursor_that_cannot_be_given_back_is_an_error) {
  use("printf '%s\\n' '{\"id\":1,\"at\":\"a\\u0000b\"}'");
  const auto out = ask();
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error(), ec::malformed);
}

TEST_F(exec_reader_test, settings_that_cannot_work_are_refused_at_once) {
  const auto why = [this] {
    const auto made = make_exec_reader("src", settings, context);
    EXPECT_FALSE(made);
    EXPECT_EQ(made.error(), ec::bad_setting);
    return render(made.error());
  };
  settings.from.command = "";
  EXPECT_EQ(why(), "command: names no program");
  settings.from.command = "echo 'open";
  EXPECT_EQ(why().find("command: "), 0u);
  settings.from.command = "true";
  settings.key.clear();
  EXPECT_EQ(why().find("key: "), 0u);
}

} // namespace depositd::sources
