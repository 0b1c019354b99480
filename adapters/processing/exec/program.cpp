#include "adapters/processing/exec/program.hpp"

#include "adapters/processing/exec/child.hpp"

#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <string_view>
#include <utility>

namespace depositd::exec {

namespace {

using clock = std::chrono::steady_clock;

/// A program that does not read to the end must not end us.
class no_sigpipe {
public:
  no_sigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }

  ~no_sigpipe() {
    const timespec now{0, 0};
    while (::sigtimedwait(&pipe_, nullptr, &now) > 0) {
      // one that was meant for us
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

  no_sigpipe(const no_sigpipe&) = delete;
  no_sigpipe& operator=(const no_sigpipe&) = delete;

private:
  sigset_t pipe_;
  sigset_t before_;
};

/// What a program leaves is given to the first process of the machine, which in
/// a container is this one: each would keep its number for ever. They have been
/// killed; one that a disk holds is left after a second.
void reap_orphans(pid_t group) {
  constexpr timespec pause{0, 1'000'000};
  constexpr int looks_max = 1'000;
  for (int i = 0; i < looks_max; ++i) {
    pid_t one = 0;
    while ((one = ::waitpid(-group, nullptr, WNOHANG)) > 0) {
      // nop
    }
    if (one < 0)
      return; // none is ours
    ::nanosleep(&pause, nullptr);
  }
}

/// One program between its start and its end.
class running {
public:
  running(const program_request& x, child process)
    : x_(x), process_(std::move(process)), input_left_(x.input),
      until_(clock::now() + x.time_limit) {
    if (x_.groups != nullptr)
      x_.groups->enter(process_.id);
  }

  program_ending await() {
    if (input_left_.empty())
      process_.input = {};
    while (!over_)
      step();
    end_group();
    drain();
    if (x_.groups != nullptr)
      x_.groups->leave(process_.id);
    reap();
    reap_orphans(process_.id);
    return std::move(out_);
  }

private:
  void step() {
    std::array<pollfd, 5> fds = {{
      {process_.ended.value(), POLLIN, 0},
      {process_.output.value(), POLLIN, 0},
      {process_.complaints.value(), POLLIN, 0},
      {process_.input.value(), POLLOUT, 0},
      {x_.stop, POLLIN, 0},
    }};
    const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(until_ - clock::now());
    if (left.count() <= 0) {
      stop(program_end::too_slow);
      return;
    }
    const auto most = std::min<std::int64_t>(left.count(), 60'000);
    if (::poll(fds.data(), fds.size(), static_cast<int>(most)) <= 0)
      return; // the time is looked at again
    if (fds[4].revents != 0) {
      stop(program_end::stopped);
      return;
    }
    if (fds[3].revents != 0)
      feed();
    if (fds[1].revents != 0)
      take_output();
    if (fds[2].revents != 0)
      take_complaints();
    if (fds[0].revents != 0)
      over_ = true;
  }

  void stop(program_end how) {
    if (out_.how == program_end::exited) // the first reason counts
      out_.how = how;
    over_ = true;
  }

  void feed() {
    const auto written =
      ::write(process_.input.value(), input_left_.data(), input_left_.size());
    if (written > 0)
      input_left_.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EAGAIN && errno != EINTR)
      input_left_ = {}; // it does not want the rest
    if (input_left_.empty())
      process_.input = {};
  }

  /// False at the end, and when there is nothing now.
  template <class Take>
  bool read_some(unique_fd& from, Take take) {
    if (!from)
      return false;
    std::array<char, 16 * 1024> buffer;
    const auto count = ::read(from.value(), buffer.data(), buffer.size());
    if (count > 0) {
      take(std::string_view{buffer.data(), static_cast<std::size_t>(count)});
      return true;
    }
    if (count == 0 || (errno != EAGAIN && errno != EINTR))
      from = {};
    return false;
  }

  bool take_output() {
    return read_some(process_.output, [&](std::string_view bytes) {
      if (x_.take_output ? !x_.take_output(bytes)
                         : out_.output.size() + bytes.size() > x_.output_max)
        stop(program_end::too_much);
      else if (!x_.take_output)
        out_.output += bytes;
    });
  }

  bool take_complaints() {
    return read_some(process_.complaints, [&](std::string_view bytes) {
      auto& all = out_.complaints;
      all += bytes;
      if (all.size() > x_.complaints_max)
        all.erase(0, all.size() - x_.complaints_max);
    });
  }

  /// The process is not reaped yet, so its number is nobody else's.
  void end_group() {
    ::kill(-process_.id, SIGKILL);
  }

  /// What is in the pipes. Who still writes has left the group.
  void drain() {
    constexpr int reads_max = 64;
    for (int i = 0; i < reads_max && take_output(); ++i)
      if (out_.how == program_end::too_much)
        break;
    for (int i = 0; i < reads_max && take_complaints(); ++i) {
      // nop
    }
  }

  void reap() {
    int status = 0;
    while (::waitpid(process_.id, &status, 0) < 0 && errno == EINTR) {
      // nop
    }
    if (out_.how != program_end::exited)
      return;
    if (WIFSIGNALED(status)) {
      out_.how = program_end::killed;
      out_.code = WTERMSIG(status);
    } else {
      out_.code = WEXITSTATUS(status);
    }
  }

  const program_request& x_;
  child process_;
  std::string_view input_left_;
  const clock::time_point until_;
  program_ending out_;
  bool over_ = false;
};

program_ending not_started(int code) {
  program_ending out;
  out.how = program_end::not_started;
  out.code = code;
  return out;
}

} // namespace

program_ending run_program(const program_request& x) {
  if (x.command.empty() || x.command.front().empty())
    return not_started(ENOENT);
  const auto file = find_program(x.command.front());
  if (file.empty())
    return not_started(ENOENT);
  const no_sigpipe quiet;
  auto process = start_child({file, x.command, x.environment, x.folder});
  if (process.failure != 0) {
    if (process.id > 0) {
      ::kill(process.id, SIGKILL);
      ::waitpid(process.id, nullptr, 0);
    }
    return not_started(process.failure);
  }
  return running{x, std::move(process)}.await();
}

} // namespace depositd::exec
