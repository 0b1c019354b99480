#include "adapters/processing/exec/child.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace depositd::exec {

namespace {

struct pipe_ends {
  unique_fd read;
  unique_fd write;
};

bool open_pipe(pipe_ends& out) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0)
    return false;
  out.read = unique_fd{fds[0]};
  out.write = unique_fd{fds[1]};
  return true;
}

bool unblock(const unique_fd& x) {
  return ::fcntl(x.value(), F_SETFL, O_NONBLOCK) == 0;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const auto& x : texts)
    out.push_back(const_cast<char*>(x.c_str()));
  out.push_back(nullptr);
  return out;
}

/// All that the child reads; it shares our memory until it is another program.
struct exec_arguments {
  const char* program;
  char* const* command;
  char* const* environment;
  const char* folder;
  int input;
  int output;
  int complaints;
  pid_t parent; ///< this process
};

/// In the child: nothing but system calls.
int become(const exec_arguments& x) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != x.parent)
    return ESRCH; // it died before it could be waited for
  if (::dup2(x.input, 0) < 0 || ::dup2(x.output, 1) < 0
      || ::dup2(x.complaints, 2) < 0 || ::close_range(3, ~0U, 0) != 0
      || ::chdir(x.folder) != 0)
    return errno;
  ::umask(077);
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal)
    ::sigaction(signal, &usual, nullptr); // some cannot be, which is right
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execve(x.program, x.command, x.environment);
  return errno;
}

/// The process; or -1, and why. We sleep until it is another program or gone,
/// so a large memory is not copied.
__attribute__((noinline)) pid_t split(const exec_arguments& x,
                                      volatile int& failure) {
  const pid_t id = ::vfork();
  if (id == 0) {
    failure = become(x);
    ::_exit(127);
  }
  if (id < 0)
    failure = errno;
  return id;
}

child failed(int code) {
  child out;
  out.failure = code;
  return out;
}

} // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return std::filesystem::absolute(name).string();
  for (const auto* folder : {"/usr/local/bin/", "/usr/bin/", "/bin/",
                             "/usr/local/sbin/", "/usr/sbin/", "/sbin/"}) {
    auto file = folder + name;
    if (::access(file.c_str(), X_OK) == 0)
      return file;
  }
  return {};
}

child start_child(const child_plan& plan) {
  pipe_ends input;
  pipe_ends output;
  pipe_ends complaints;
  if (!open_pipe(input) || !open_pipe(output) || !open_pipe(complaints))
    return failed(errno);
  if (!unblock(input.write) || !unblock(output.read)
      || !unblock(complaints.read))
    return failed(errno);
  const auto command = pointers_to(plan.command);
  const auto environment = pointers_to(plan.environment);
  const exec_arguments arguments{plan.program.c_str(),     command.data(),
                                 environment.data(),       plan.folder.c_str(),
                                 input.read.value(),       output.write.value(),
                                 complaints.write.value(), ::getpid()};
  // No handler of ours may run in the child.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  volatile int failure = 0;
  child out;
  out.id = split(arguments, failure);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  out.failure = failure;
  if (out.id > 0 && out.failure == 0) {
    out.ended = unique_fd{
      static_cast<int>(::syscall(SYS_pidfd_open, out.id, 0))};
    if (!out.ended)
      out.failure = errno;
  }
  out.input = std::move(input.write);
  out.output = std::move(output.read);
  out.complaints = std::move(complaints.read);
  return out;
}

} // namespace depositd::exec
