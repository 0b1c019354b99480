#pragma once

// To which traces items belong that came lately, for those who know of an item
// its number alone: log lines, and spans of messages, which say nothing of
// themselves in the journal.

#include "messages/values/types.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace depositd {

/// So many of the newest are known.
inline constexpr std::size_t traces_noted_max = 50'000;

struct noted_trace {
  std::string trace;       ///< 32 hexadecimal digits
  std::string traceparent; ///< of a message whose sender gave one, else empty
  micros at_us = never;    ///< when such a message came
};

/// Until this is called nobody asks, and nothing is noted.
void open_trace_book();
bool is_trace_book_open();

// Any thread.

void note_trace(item_id id, std::string trace);

/// A message came with a legal `traceparent`; others are passed.
void note_message(item_id id, std::string_view traceparent, micros at_us);

std::optional<noted_trace> trace_noted(item_id id);

} // namespace depositd
