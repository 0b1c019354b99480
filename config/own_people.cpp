#include "config/own_people.hpp"

#include <spdlog/spdlog.h>

#include <map>
#include <mutex>
#include <pwd.h>
#include <unistd.h>

namespace depositd {

rules::access::own_people own_people_of(const depositd_settings& settings) {
  rules::access::own_people out;
  out.account = ::geteuid();
  out.administrators = settings.operators.administrators;
  return out;
}

std::string account_name(std::uint32_t user) {
  static std::mutex guard;
  static std::map<std::uint32_t, std::string> known;
  const std::lock_guard lock{guard};
  const auto [at, fresh] = known.try_emplace(user);
  if (!fresh)
    return at->second;
  passwd entry{};
  passwd* found = nullptr;
  std::string room(16'384, '\0');
  if (::getpwuid_r(user, &entry, room.data(), room.size(), &found) == 0
      && found != nullptr)
    at->second = found->pw_name;
  return at->second;
}

void warn_of_root() {
  if (::geteuid() == 0)
    spdlog::warn("engine_runs_as_root reason=\"whatever gets into it owns this "
                 "machine, and only root operates it; give it an account of "
                 "its own\"");
}

} // namespace depositd
