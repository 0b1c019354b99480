#include "tests/adapters/doors/emodb/acceptance_engine.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace depositd::testing {

namespace {

constexpr auto start_limit = std::chrono::seconds{30};
constexpr std::size_t log_tail_bytes = 3000;

std::filesystem::path programs() {
  if (const char* said = std::getenv("DEPOSITD_PROGRAMS"))
    return said;
  return std::filesystem::read_symlink("/proc/self/exe")
           .parent_path()
           .parent_path()
         / "bin";
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

struct child_files {
  int input;
  int output;
  int errors;
};

int opened(const std::filesystem::path& path, int flags) {
  const int out = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (out < 0)
    throw std::runtime_error("cannot open " + path.string());
  return out;
}

pid_t run(const std::vector<std::string>& line, child_files files) {
  std::vector<char*> words;
  for (const auto& x : line)
    words.push_back(const_cast<char*>(x.c_str()));
  words.push_back(nullptr);
  const auto out = ::fork();
  if (out < 0)
    throw std::runtime_error("cannot fork");
  if (out > 0)
    return out;
  // Nobody may be left behind by a test that crashes.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(files.input, 0);
  ::dup2(files.output, 1);
  ::dup2(files.errors, 2);
  ::execv(words[0], words.data());
  ::_exit(127);
}

std::uint16_t port_in(const std::string& line, const std::string& door) {
  const auto at = line.find(door + "=127.0.0.1:");
  if (at == std::string::npos)
    throw std::runtime_error("no " + door + " in: " + line);
  return static_cast<std::uint16_t>(
    std::stoul(line.substr(line.find(':', at) + 1)));
}

std::string first_line(int from) {
  const auto deadline = std::chrono::steady_clock::now() + start_limit;
  std::string out;
  while (out.find('\n') == std::string::npos
         && std::chrono::steady_clock::now() < deadline) {
    pollfd wait{from, POLLIN, 0};
    if (::poll(&wait, 1, 100) <= 0)
      continue;
    char bytes[512];
    const auto n = ::read(from, bytes, sizeof bytes);
    if (n <= 0)
      break;
    out.append(bytes, static_cast<std::size_t>(n));
  }
  return out.substr(0, out.find('\n'));
}

} // namespace

engine_process::engine_process(store where, std::vector<std::string> settings)
  : folder_(where == store::ram_disk
              ? temporary_folder::fast_base()
              : std::filesystem::temp_directory_path()),
    settings_(std::move(settings)) {
  // A write that is not allowed must fail and not end the program; ignored
  // signals are inherited.
  std::signal(SIGXFSZ, SIG_IGN);
  for (const char* door : {"http", "admin", "node"})
    settings_.push_back(std::string{door} + ".listen=127.0.0.1:0");
  settings_.push_back("processors.count=0");
  if (std::getenv("DEPOSITD_TEST_ACTOR_LOOP"))
    settings_.push_back("threads.one_loop=true");
  settings_.push_back(where == store::memory ? "store.kind=memory"
                                             : "store.segment_mb=4");
}

engine_process::~engine_process() {
  kill();
}

void engine_process::start() {
  std::vector<std::string> line{(programs() / "depositd").string(), "--data",
                                (folder_.path() / "data").string()};
  for (const auto& x : settings_) {
    line.push_back("--set");
    line.push_back(x);
  }
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error("no pipe");
  const auto nothing = opened("/dev/null", O_RDONLY);
  const auto errors =
    opened(folder_.path() / "log", O_WRONLY | O_CREAT | O_APPEND);
  pid_ = run(line, {nothing, ends[1], errors});
  for (const int x : {nothing, errors, ends[1]})
    ::close(x);
  output_ = ends[0];
  const auto ready = first_line(output_);
  if (ready.rfind("ready ", 0) != 0)
    throw std::runtime_error("depositd is not ready: " + ready + log());
  http_port_ = port_in(ready, "http");
  admin_port_ = port_in(ready, "admin");
  node_ = "127.0.0.1:" + std::to_string(port_in(ready, "node"));
}

int engine_process::await_end() {
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  ::close(output_);
  output_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void engine_process::kill() {
  if (pid_ < 0)
    return;
  ::kill(pid_, SIGKILL);
  await_end();
}

int engine_process::stop() {
  ::kill(pid_, SIGTERM);
  return await_end();
}

void engine_process::allow_writes(bool allowed) {
  // What may be at most stays: who has run the test may have set it.
  rlimit bytes{};
  const bool known = ::prlimit(pid_, RLIMIT_FSIZE, nullptr, &bytes) == 0;
  bytes.rlim_cur = allowed ? bytes.rlim_max : 0;
  if (!known || ::prlimit(pid_, RLIMIT_FSIZE, &bytes, nullptr) != 0)
    throw std::runtime_error("cannot change the limits of depositd");
}

std::string engine_process::ctl(std::vector<std::string> arguments,
                                const std::string& input) {
  const auto given = folder_.path() / "input";
  const auto printed = folder_.path() / "output";
  std::ofstream{given, std::ios::binary} << input;
  std::vector<std::string> line{(programs() / "depositctl").string(),
                                "--connect", node_};
  line.insert(line.end(), arguments.begin(), arguments.end());
  const auto in = opened(given, O_RDONLY);
  const auto out = opened(printed, O_WRONLY | O_CREAT | O_TRUNC);
  const auto child = run(line, {in, out, out});
  ::close(in);
  ::close(out);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) {
    std::string what = "depositctl";
    for (const auto& x : arguments)
      what += ' ' + x;
    throw std::runtime_error(what + ": " + text_of(printed));
  }
  return text_of(printed);
}

void engine_process::add_key(const std::string& name, const std::string& key,
                             const std::vector<std::string>& permits) {
  std::vector<std::string> line{"key", "add", name, "--key-stdin"};
  for (const auto& x : permits) {
    line.push_back("--permit");
    line.push_back(x);
  }
  ctl(std::move(line), key + "\n");
}

std::string engine_process::log() const {
  auto out = text_of(folder_.path() / "log");
  if (out.size() > log_tail_bytes)
    out.erase(0, out.size() - log_tail_bytes);
  return "\n" + out;
}

} // namespace depositd::testing
