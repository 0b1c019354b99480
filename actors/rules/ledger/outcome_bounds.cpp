#include "actors/rules/ledger/outcome_bounds.hpp"

#include <string>

namespace depositd::rules {

std::size_t bytes_of(const outcome& x) {
  return x.reason.size() + x.batch_id.size() + x.document.size();
}

void keep_within_bounds(outcome& x) {
  const auto bytes = bytes_of(x);
  if (bytes <= outcome_bytes_max)
    return;
  x.says = verdict::failed;
  x.delay_ms = 0;
  x.reason = "the outcome has " + std::to_string(bytes)
             + " bytes, and more than " + std::to_string(outcome_bytes_max)
             + " are not kept";
  x.batch_id.clear();
  x.document.clear();
}

} // namespace depositd::rules
