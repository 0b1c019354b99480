#include "adapters/shell/words.hpp"

#include <utility>

namespace depositd::shell {

std::vector<std::string> split_names(const std::vector<std::string>& texts) {
  std::vector<std::string> out;
  for (const auto& text : texts) {
    std::string name;
    for (const char c : text + ",") {
      if (c != ',' && c != ' ') {
        name += c;
      } else if (!name.empty()) {
        out.push_back(std::move(name));
        name.clear();
      }
    }
  }
  return out;
}

} // namespace depositd::shell
