#include "actors/operators/letter_reader.hpp"

#include <algorithm>
#include <charconv>

namespace depositd::operators {

namespace {

/// Headers that say what the letter is about; the record had none of them.
constexpr const char* ours[] = {
  "event-id",      "schema-version", "source-topic",      "source-partition",
  "source-offset", "reason",         value_omitted_header};

bool is_ours(const record_header& x) {
  return std::find(std::begin(ours), std::end(ours), x.name) != std::end(ours);
}

std::string header(const source_record& x, std::string_view name) {
  for (const auto& one : x.headers)
    if (one.name == name)
      return one.value;
  return {};
}

} // namespace

std::string text_of(const letter_place& x) {
  return std::to_string(x.partition) + '-' + std::to_string(x.offset);
}

std::optional<letter_place> read_place(std::string_view text) {
  letter_place out;
  const auto* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, out.partition);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '-')
    return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, out.offset);
  if (second.ec != std::errc{} || second.ptr != end || out.partition < 0
      || out.offset < 0)
    return std::nullopt;
  return out;
}

letter_facts facts_of(const source_record& x) {
  letter_facts out{.id = text_of(letter_place{x.partition, x.offset}),
                   .written_us = x.written_us,
                   .event_id = header(x, "event-id"),
                   .topic = header(x, "source-topic"),
                   .partition = header(x, "source-partition"),
                   .offset = header(x, "source-offset"),
                   .reason = header(x, "reason"),
                   .key = x.key,
                   .value_bytes = x.value.size()};
  if (const auto had = header(x, value_omitted_header); !had.empty()) {
    out.value_omitted = true;
    std::from_chars(had.data(), had.data() + had.size(), out.value_bytes);
  }
  return out;
}

std::vector<record_header> own_headers(const source_record& x) {
  auto out = x.headers;
  std::erase_if(out, is_ours);
  return out;
}

std::chrono::milliseconds letter_reader::left() const {
  return std::max(
    std::chrono::duration_cast<std::chrono::milliseconds>(end_ - clock::now()),
    std::chrono::milliseconds{0});
}

caf::expected<std::map<std::int32_t, partition_range>> letter_reader::ranges() {
  auto count = from_.partitions();
  if (!count)
    return std::move(count.error());
  std::map<std::int32_t, partition_range> out;
  for (std::int32_t i = 0; i < *count; ++i) {
    auto range = from_.range(i);
    if (!range)
      return std::move(range.error());
    out[i] = *range;
  }
  return out;
}

caf::error
letter_reader::read(const letter_bounds& from, const letter_bounds& to,
                    const std::function<void(const source_record&)>& use) {
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
    for (const auto& x : *records) {
      const auto bound = to.at(x.partition);
      if (x.offset < bound)
        use(x);
      if (x.offset + 1 >= bound)
        open.erase(x.partition);
    }
    any = any || !records->empty();
    if (!records->empty() || wait.count() > 0)
      continue;
    // Offsets may have gaps, also before the end.
    if (any && from_.trouble().empty())
      return {};
    return caf::make_error(
      ec::store_failed,
      "the dead letters were not read in time"
        + (from_.trouble().empty() ? std::string{} : ": " + from_.trouble()));
  }
  return {};
}

} // namespace depositd::operators
