#pragma once

// W3C trace context, as it comes with a record or a request; and the trace of
// whatever came without one.

#include "messages/values/types.hpp"

#include <string>
#include <string_view>

namespace depositd {

/// Header of a record or a request; HTTP compares it without case.
inline constexpr const char* traceparent_header = "traceparent";

/// Whether this is a `traceparent` of version 00: `00-<32>-<16>-<2>` in lower
/// case hexadecimal digits, neither of the first two nothing but zeros.
bool legal_traceparent(std::string_view x);

/// Which trace something belongs to, and below which span.
struct trace_place {
  std::string trace;   ///< 32 lower-case hexadecimal digits
  std::string parent;  ///< the sender's span, 16 digits; empty: there is none
  bool sampled = true; ///< the sender wants spans of it, or has said nothing

  friend bool operator==(const trace_place&, const trace_place&) = default;
};

/// Where an item belongs. Without a legal `traceparent` it has a trace of its
/// own, which is always the same for the same item.
trace_place trace_of(std::string_view traceparent, item_id id,
                     micros received_us);

/// Likewise of a batch, whose own trace is the number in its "bid-..."; one
/// without such a number has no trace.
trace_place trace_of_batch(std::string_view traceparent, std::string_view uuid);

/// The trace of a claimed item, or empty if nothing in it says which: the body
/// of a deposit or of a job does, where it is there.
std::string trace_of(const claimed_item& x);

/// The same for the end of a log line: " trace=...", or empty.
std::string trace_text(const claimed_item& x);

/// 16 digits, the same for the same span: the `number`th of that name that the
/// item has in its trace.
std::string span_id(std::string_view trace, item_id id, std::string_view name,
                    std::uint32_t number);

} // namespace depositd
