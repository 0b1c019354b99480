#include "adapters/stores/rows/fixity_table.hpp"

namespace depositd::rows {

bool is_only_in(std::string_view storage,
                const std::vector<std::string>& cold) {
  if (storage.empty())
    return false;
  while (!storage.empty()) {
    const auto end = storage.find('\n');
    const auto name = storage.substr(0, end);
    if (std::find(cold.begin(), cold.end(), name) == cold.end())
      return false;
    storage.remove_prefix(end == storage.npos ? storage.size() : end + 1);
  }
  return true;
}

} // namespace depositd::rows
