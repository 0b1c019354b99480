#include "adapters/logs/kafka/dead_letters.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace depositd::kafka {

namespace {

constexpr const char* event_id = "event-id";
constexpr const char* version = "schema-version";
constexpr const char* source_topic = "source-topic";
constexpr const char* source_partition = "source-partition";
constexpr const char* source_offset = "source-offset";
constexpr const char* reason = "reason";

/// What is said about the record. Its own headers of these names are left out:
/// a reader must be able to believe ours.
constexpr const char* ours[] = {
  event_id,      version, source_topic,        source_partition,
  source_offset, reason,  value_omitted_header};

bool is_ours(const record_header& x) {
  return std::find(std::begin(ours), std::end(ours), x.name) != std::end(ours);
}

std::vector<record_header> without_ours(std::vector<record_header> x) {
  std::erase_if(x, is_ours);
  return x;
}

/// "topic/number" in two.
std::pair<std::string, std::string> origin(const std::string& partition) {
  const auto slash = partition.rfind('/');
  if (slash == std::string::npos)
    return {partition, ""};
  return {partition.substr(0, slash), partition.substr(slash + 1)};
}

std::string header(const source_record& x, std::string_view name) {
  for (const auto& one : x.headers)
    if (one.name == name)
      return one.value;
  return {};
}

} // namespace

/// A tombstone arrives here without bytes, and leaves as an empty value.
outgoing_record write_dead_letter(const std::string& topic,
                                  const dead_letter& x) {
  const auto [source, number] = origin(x.what.partition);
  outgoing_record out{
    .topic = topic,
    .key = x.what.key,
    .value = x.what.value,
    .headers = {{event_id, x.event_id},
                {version, schema_version},
                {source_topic, source},
                {source_partition, number},
                {source_offset, std::to_string(x.what.offset)},
                {reason, x.what.reason}}};
  for (auto& own : without_ours(x.what.headers))
    out.headers.push_back(std::move(own));
  return out;
}

letter read_dead_letter(source_record x) {
  letter out;
  auto& facts = out.facts;
  facts.written_us = x.written_us;
  facts.event_id = header(x, event_id);
  facts.topic = header(x, source_topic);
  facts.partition = header(x, source_partition);
  facts.offset = header(x, source_offset);
  facts.reason = header(x, reason);
  facts.value_bytes = x.value.size();
  if (const auto had = header(x, value_omitted_header); !had.empty()) {
    facts.value_omitted = true;
    std::from_chars(had.data(), had.data() + had.size(), facts.value_bytes);
    out.lost = "its value was left out";
  } else if (facts.reason == other_version_reason) {
    out.lost = other_version_reason;
  } else if (!header(x, key_omitted_header).empty()) {
    out.lost = "its key was left out";
  }
  facts.key = std::move(x.key);
  out.headers = without_ours(std::move(x.headers));
  out.value = std::move(x.value);
  return out;
}

} // namespace depositd::kafka
