#include "actors/operators/letter_reader.hpp"

#include <algorithm>

namespace depositd::operators {

std::chrono::milliseconds letter_reader::left() const {
  return std::max(
    std::chrono::duration_cast<std::chrono::milliseconds>(end_ - clock::now()),
    std::chrono::milliseconds{0});
}

caf::error letter_reader::too_late() const {
  const auto trouble = from_.trouble();
  return caf::make_error(ec::store_failed,
                         "the dead letters were not read in time"
                           + (trouble.empty() ? "" : ": " + trouble));
}

caf::expected<rules::letter_ranges> letter_reader::ranges() {
  const auto count = from_.partitions();
  if (!count)
    return count.error();
  rules::letter_ranges out;
  for (std::int32_t i = 0; i < *count; ++i) {
    const auto range = from_.range(i);
    if (!range)
      return range.error();
    out[i] = {range->low, range->high};
    // Each may wait for a broker of its own.
    if (left().count() == 0)
      return too_late();
  }
  return out;
}

caf::error letter_reader::read(const rules::letter_span& what,
                               const std::function<void(source_record&)>& use) {
  const auto& [from, to] = what;
  std::vector<partition_position> positions;
  for (const auto& [partition, next] : from)
    positions.push_back({partition, next});
  if (auto error = from_.assign(positions))
    return error;
  auto open = to;
  bool any = false;
  while (!open.empty()) {
    const auto wait = left();
    auto records = from_.poll({.wait = wait});
    if (!records)
      return std::move(records.error());
    for (auto& x : *records) {
      const auto bound = to.at(x.partition);
      if (x.offset + 1 >= bound)
        open.erase(x.partition);
      if (x.offset < bound)
        use(x);
    }
    any = any || !records->empty();
    // Offsets may have gaps, also before the end.
    if (records->empty() && wait.count() == 0)
      return any && from_.trouble().empty() ? caf::error{} : too_late();
  }
  return {};
}

} // namespace depositd::operators
