#include "config/process_memory.hpp"

#include "messages/values/free_memory.hpp"

#include <algorithm>
#include <cxxabi.h>
#include <exception>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <typeinfo>

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace depositd {

namespace {

constexpr std::uint64_t mib = 1024 * 1024;

/// Without any work: code, tables, Argon2id's 19 MiB for each of two logins.
constexpr std::uint64_t idle_bytes = 120 * mib;

/// Reserved once all pools have their threads, some 35, each with a stack and
/// the allocator's first segment of 32 MiB. At start it is half as much.
constexpr std::uint64_t idle_addresses = 1'250 * mib;

constexpr std::uint64_t budget_bytes_min = 32 * mib;

/// What passes through beside bodies that stay, unless it is said.
constexpr std::uint64_t passing_bytes = 256 * mib;

/// XML is as deep as its reader lets it be; nothing else is deep.
constexpr std::size_t stack_bytes = 2 * mib;

/// The least limit in these files of a cgroup and of those it is in.
std::uint64_t limit_in(const std::filesystem::path& root,
                       const std::string& group, const char* name) {
  auto out = no_size_limit;
  const auto below = std::filesystem::path{group}.relative_path();
  for (auto at = root / below;; at = at.parent_path()) {
    std::ifstream file{at / name};
    std::uint64_t bytes = 0;
    if (file >> bytes) // else "max", or none
      out = std::min(out, bytes);
    if (at == root || !at.has_relative_path())
      return out;
  }
}

/// Of version 2, or of the memory controller of version 1. A line is
/// "NUMBER:CONTROLLERS:GROUP".
std::uint64_t cgroup_limit() {
  auto out = no_size_limit;
  std::ifstream own{"/proc/self/cgroup"};
  for (std::string line; std::getline(own, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos)
      continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const auto group = line.substr(second + 1);
    if (controllers.empty())
      out = std::min(out, limit_in("/sys/fs/cgroup", group, "memory.max"));
    else if (controllers == "memory")
      out = std::min(
        out, limit_in("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
  }
  return out;
}

void write_line(std::string_view text) noexcept {
  [[maybe_unused]] const auto n =
    ::write(STDERR_FILENO, text.data(), text.size());
}

/// A line of one's own, whatever is in it.
void write_plain(const char* text) noexcept {
  for (; *text != '\0'; ++text)
    write_line({static_cast<unsigned char>(*text) < ' ' ? "?" : text, 1});
}

/// What is thrown says, or only its type.
void write_exception(const std::type_info& type) noexcept {
  try {
    throw;
  } catch (const std::system_error& x) {
    write_plain(x.what());
    if (x.code() == std::errc::resource_unavailable_try_again)
      write_line(" (no more threads may be started: see TasksMax, pids.max "
                 "and ulimit -u, or there is too little memory)");
  } catch (const std::exception& x) {
    write_plain(x.what());
  } catch (...) {
    write_line(type.name());
  }
}

/// Nothing here may need memory.
[[noreturn]] void say_last_words() noexcept {
  const auto* type = abi::__cxa_current_exception_type();
  if (type != nullptr && *type == typeid(std::bad_alloc)) {
    write_line("depositd: out of memory: the engine ends. Nothing that was "
               "answered is lost. Give it more memory or a smaller "
               "memory.budget_mb.\n");
  } else if (type != nullptr) {
    write_line("depositd: the engine ends because of an exception: ");
    write_exception(*type);
    write_line("\n");
  } else {
    write_line("depositd: the engine ends: it was told to terminate\n");
  }
  std::abort();
}

} // namespace

memory_limits find_memory_limits() {
  memory_limits out;
  const auto pages = sysconf(_SC_PHYS_PAGES);
  const auto page_bytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0)
    out.machine = static_cast<std::uint64_t>(pages)
                  * static_cast<std::uint64_t>(page_bytes);
  out.machine = std::min(out.machine, cgroup_limit());
  rlimit addresses{};
  if (getrlimit(RLIMIT_AS, &addresses) == 0
      && addresses.rlim_cur != RLIM_INFINITY)
    out.addresses = addresses.rlim_cur;
  return out;
}

memory_budget::limits budget_of(const memory_settings& settings,
                                const memory_limits& given) {
  const auto kept = std::uint64_t{settings.body_budget_mb} * mib;
  if (settings.budget_mb > 0) {
    const auto all = std::uint64_t{settings.budget_mb} * mib;
    return {all, std::min(kept, all / 2)};
  }
  const auto part = [](std::uint64_t all, std::uint64_t idle) {
    return all == no_size_limit ? all : all > idle ? (all - idle) / 2 : 0;
  };
  const auto most =
    std::max(budget_bytes_min, std::min(part(given.machine, idle_bytes),
                                        part(given.addresses, idle_addresses)));
  const auto all = std::min(kept + passing_bytes, most);
  return {all, std::min(kept, all == kept + passing_bytes ? kept : all / 2)};
}

void prepare_for_little_memory() {
  std::set_terminate(say_last_words);
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return;
  if (pthread_attr_setstacksize(&attributes, stack_bytes) == 0)
    pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

void memory_watch::look(std::uint64_t used) noexcept {
  // Threads free what others have allocated some time after the last use.
  constexpr unsigned asks = 3;
  constexpr std::uint64_t much = 16 * mib;
  highest_ = std::max(highest_, used);
  if (highest_ - used > much) {
    highest_ = used;
    asks_left_ = asks;
  }
  if (asks_left_ == 0)
    return;
  --asks_left_;
  ask_to_free_memory();
  free_memory_if_asked();
}

} // namespace depositd
