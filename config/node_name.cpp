#include "config/node_name.hpp"

#include <algorithm>
#include <cctype>
#include <unistd.h>

namespace depositd {

std::string node_name(const depositd_settings& settings) {
  if (!settings.node.name.empty())
    return settings.node.name;
  char host[48] = {};
  ::gethostname(host, sizeof host - 1);
  std::string out = host;
  std::replace_if(
    out.begin(), out.end(),
    [](unsigned char x) {
      return std::isalnum(x) == 0 && x != '.' && x != '-';
    },
    '-');
  return out + "-" + std::to_string(::getpid());
}

} // namespace depositd
