#include "messages/values/sources.hpp"

#include <algorithm>
#include <array>

namespace depositd {

namespace {

constexpr std::array<const char*, 7> kind_words{
  "sql", "sqs", "kafka", "s3", "folder", "queue", "exec"};
constexpr std::array<std::string_view, 6> grammar_words{
  "fair", "weighted", "priority", "prefer", "else", "limit"};

} // namespace

const char* to_string(source_kind x) {
  return kind_words[static_cast<std::size_t>(x)];
}

const char* to_string(source_state x) {
  switch (x) {
    case source_state::running:
      return "running";
    case source_state::paused:
      return "paused";
    case source_state::failing:
      return "failing";
    case source_state::ended:
      return "ended";
  }
  return "?";
}

const char* to_string(scheduler_state x) {
  switch (x) {
    case scheduler_state::feeding:
      return "feeding";
    case scheduler_state::holding:
      return "holding";
    case scheduler_state::suspended:
      return "suspended";
  }
  return "?";
}

const char* to_string(record_state x) {
  switch (x) {
    case record_state::unknown:
      return "unknown";
    case record_state::buffered:
      return "buffered";
    case record_state::queued:
      return "queued";
    case record_state::claimed:
      return "claimed";
    case record_state::finished:
      return "finished";
    case record_state::failed:
      return "failed";
  }
  return "?";
}

std::optional<source_kind> find_source_kind(std::string_view word) {
  for (std::size_t i = 0; i < kind_words.size(); ++i)
    if (word == kind_words[i])
      return static_cast<source_kind>(i);
  return std::nullopt;
}

bool is_strategy_word(std::string_view word) noexcept {
  return std::find(grammar_words.begin(), grammar_words.end(), word)
         != grammar_words.end();
}

bool legal_source_name(std::string_view name) noexcept {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= 64
         && std::all_of(name.begin(), name.end(), fits)
         && !is_strategy_word(name);
}

} // namespace depositd
