#include "adapters/processing/exec/program.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace depositd::exec {

namespace {

program_ending run(std::vector<std::string> command, std::string input = {}) {
  program_request x;
  x.command = std::move(command);
  x.input = std::move(input);
  x.time_limit = std::chrono::seconds{60};
  return run_program(x);
}

program_ending run_shell(const std::string& script) {
  return run({"sh", "-c", script});
}

/// Of a processor, by this thread so far.
std::chrono::nanoseconds computed() {
  timespec out{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &out);
  return std::chrono::seconds{out.tv_sec}
         + std::chrono::nanoseconds{out.tv_nsec};
}

} // namespace

TEST(a_program, gets_its_input_and_gives_its_output) {
  const auto ended = run({"cat"}, "one\ntwo\n");
  EXPECT_EQ(ended.how, program_end::exited);
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.output, "one\ntwo\n");
}

TEST(a_program, reads_and_prints_more_than_a_pipe_holds) {
  program_request x;
  x.command = {"cat"};
  x.input = std::string(3'000'000, 'x');
  x.output_max = x.input.size();
  const auto ended = run_program(x);
  EXPECT_EQ(ended.how, program_end::exited);
  EXPECT_EQ(ended.output, x.input);
}

TEST(a_program, that_does_not_read_its_input_is_no_harm) {
  const auto ended = run({"true"}, std::string(1'000'000, 'x'));
  EXPECT_EQ(ended.how, program_end::exited);
  EXPECT_EQ(ended.code, 0);
}

TEST(a_program, that_closes_its_input_is_waited_for_without_computing) {
  const auto before = computed();
  const auto ended = run({"sh", "-c", "exec <&-; sleep 2; echo said"},
                         std::string(1'000'000, 'x'));
  EXPECT_EQ(ended.output, "said\n");
  EXPECT_LT(computed() - before, std::chrono::milliseconds{200});
}

TEST(a_program, says_how_it_ended) {
  EXPECT_EQ(run_shell("exit 7").code, 7);
  const auto killed = run_shell("kill -9 $$");
  EXPECT_EQ(killed.how, program_end::killed);
  EXPECT_EQ(killed.code, SIGKILL);
}

TEST(a_program, leaves_the_end_of_its_complaints) {
  program_request x;
  x.command = {"sh", "-c", "printf 'first and last' >&2"};
  x.complaints_max = 4;
  EXPECT_EQ(run_program(x).complaints, "last");
}

TEST(a_program, that_is_not_there_is_not_started) {
  if (!vfork_shares_memory)
    GTEST_SKIP() << "ThreadSanitizer hides why a child could not begin";
  for (const auto* name : {"/no/such/program", "no-such-program", "/etc"}) {
    const auto ended = run({name});
    EXPECT_EQ(ended.how, program_end::not_started) << name;
    EXPECT_NE(ended.code, 0) << name;
  }
  EXPECT_EQ(run({}).how, program_end::not_started);
}

TEST(a_program, ends_with_all_that_it_started_when_its_time_is_over) {
  const temporary_folder folder;
  const auto lock = (folder.path() / "lock").string();
  program_request x;
  x.command = {"flock", lock, "sh", "-c", "echo held; sleep 600"};
  x.time_limit = std::chrono::seconds{2};
  const auto ended = run_program(x);
  EXPECT_EQ(ended.how, program_end::too_slow);
  EXPECT_EQ(ended.output, "held\n");
  // Free once nobody has it any more: the shell and its sleep included.
  const int file = ::open(lock.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  EXPECT_EQ(::flock(file, LOCK_EX), 0);
  ::close(file);
}

TEST(a_program, leaves_nobody_behind_to_who_has_to_bury_them) {
  // As the first process of a container has.
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  const auto ending = run_shell("sleep 1000 & sleep 1000 & true");
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  EXPECT_EQ(ending.how, program_end::exited);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "somebody is left";
  EXPECT_EQ(errno, ECHILD);
}

TEST(a_program, ends_although_somebody_keeps_its_pipes) {
  const auto begun = std::chrono::steady_clock::now();
  const auto ended = run_shell("setsid sleep 30 & echo said");
  EXPECT_EQ(ended.how, program_end::exited);
  EXPECT_EQ(ended.output, "said\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds{20});
}

TEST(a_program, that_prints_too_much_is_stopped) {
  const auto ended = run({"yes"});
  EXPECT_EQ(ended.how, program_end::too_much);
  EXPECT_LE(ended.output.size(), program_request{}.output_max);
}

TEST(a_program, may_be_read_as_it_prints) {
  std::string taken;
  program_request x;
  x.command = {"sh", "-c", "printf one; printf two"};
  x.output_max = 0;
  x.take_output = [&](std::string_view bytes) {
    taken += bytes;
    return true;
  };
  const auto ended = run_program(x);
  EXPECT_EQ(ended.how, program_end::exited);
  EXPECT_EQ(taken, "onetwo");
  EXPECT_EQ(ended.output, "");
  x.take_output = [](std::string_view) { return false; };
  EXPECT_EQ(run_program(x).how, program_end::too_much);
}

TEST(a_program, ends_with_all_that_it_started_when_it_is_stopped) {
  const temporary_folder folder;
  const auto lock = (folder.path() / "lock").string();
  const int stop = ::eventfd(0, EFD_CLOEXEC);
  ASSERT_GE(stop, 0);
  program_request x;
  x.command = {"flock", lock, "sh", "-c", "echo held; sleep 600"};
  x.stop = stop;
  x.take_output = [&](std::string_view) { // it has the lock
    return ::eventfd_write(stop, 1) == 0;
  };
  EXPECT_EQ(run_program(x).how, program_end::stopped);
  const int file = ::open(lock.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  EXPECT_EQ(::flock(file, LOCK_EX), 0);
  ::close(file);
  ::close(stop);
}

TEST(a_program, may_complain_as_much_as_it_likes) {
  const auto ended =
    run_shell("head -c 1000000 /dev/zero | tr '\\0' x >&2; echo done");
  EXPECT_EQ(ended.how, program_end::exited);
  EXPECT_EQ(ended.output, "done\n");
  EXPECT_EQ(ended.complaints.size(), program_request{}.complaints_max);
}

TEST(a_program, inherits_no_descriptors) {
  const int ours = ::open("/dev/null", O_RDONLY); // on purpose without CLOEXEC
  ASSERT_GE(ours, 3);
  // The fourth is the folder that it lists.
  EXPECT_EQ(run({"ls", "/proc/self/fd"}).output, "0\n1\n2\n3\n");
  ::close(ours);
}

TEST(a_program, has_the_environment_and_folder_that_it_is_given) {
  const temporary_folder folder;
  program_request x;
  x.command = {"/usr/bin/env"};
  x.environment = {"ONE=1", "TWO=2"};
  EXPECT_EQ(run_program(x).output, "ONE=1\nTWO=2\n");
  x.command = {"pwd", "-P"};
  x.folder = std::filesystem::canonical(folder.path());
  EXPECT_EQ(run_program(x).output, x.folder.string() + "\n");
}

TEST(a_program, takes_signals_though_we_do_not) {
  sigset_t ours;
  sigset_t before;
  sigemptyset(&ours);
  sigaddset(&ours, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &ours, &before);
  const auto ended = run({"grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"});
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(ended.output, "SigBlk:\t0000000000000000\n"
                          "SigIgn:\t0000000000000000\n");
}

} // namespace depositd::exec
