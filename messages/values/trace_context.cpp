#include "messages/values/trace_context.hpp"

#include "messages/values/hex.hpp"
#include "messages/values/job_documents.hpp"
#include "messages/values/submission_body.hpp"

#include <algorithm>
#include <cstddef>

#include <xxhash.h>

namespace depositd {

namespace {

constexpr std::string_view digits = "0123456789abcdef";
constexpr std::size_t trace_digits = 32;
constexpr std::size_t span_digits = 16;
constexpr std::size_t trace_at = 3; ///< in a `traceparent`
constexpr std::size_t parent_at = trace_at + trace_digits + 1;

/// Takes so many digits and what must follow them; not all zeros if `real`.
bool take_number(std::string_view& from, std::size_t size, std::string_view end,
                 bool real) {
  const auto number = from.substr(0, size);
  if (number.size() != size
      || number.find_first_not_of(digits) != std::string_view::npos
      || (real && number.find_first_not_of('0') == std::string_view::npos))
    return false;
  from.remove_prefix(size);
  if (!from.starts_with(end))
    return false;
  from.remove_prefix(end.size());
  return true;
}

std::string digits_of(std::uint64_t high, std::uint64_t low) {
  std::string out(trace_digits, '0');
  put_hex(out.data(), high, span_digits);
  // Nothing but zeros is no trace.
  put_hex(out.data() + span_digits, high == 0 && low == 0 ? 1 : low,
          span_digits);
  return out;
}

/// Of a `traceparent` that is legal.
trace_place taken_from(std::string_view x) {
  std::uint8_t flags = 0;
  take_hex(x.substr(parent_at + span_digits + 1), flags);
  return {std::string{x.substr(trace_at, trace_digits)},
          std::string{x.substr(parent_at, span_digits)}, (flags & 1) != 0};
}

/// What a batch hands on to its jobs.
std::string traceparent_in(const nlohmann::json& more) {
  const auto at = more.find(traceparent_header);
  return at != more.end() && at->is_string() ? at->get<std::string>()
                                             : std::string{};
}

} // namespace

bool legal_traceparent(std::string_view x) {
  return x.starts_with("00-") && take_number(x, 2, "-", false)
         && take_number(x, trace_digits, "-", true)
         && take_number(x, span_digits, "-", true)
         && take_number(x, 2, "", false) && x.empty();
}

trace_place trace_of(std::string_view traceparent, item_id id,
                     micros received_us) {
  if (legal_traceparent(traceparent))
    return taken_from(traceparent);
  const auto seed =
    "depositd " + std::to_string(id) + " " + std::to_string(received_us);
  const auto hash = XXH3_128bits(seed.data(), seed.size());
  return {digits_of(hash.high64, hash.low64), {}, true};
}

trace_place trace_of_batch(std::string_view traceparent,
                           std::string_view uuid) {
  if (legal_traceparent(traceparent))
    return taken_from(traceparent);
  std::string number;
  if (uuid.starts_with("bid-"))
    for (const char c : uuid.substr(4))
      if (c != '-')
        number += c;
  const bool legal = number.size() == trace_digits
                     && number.find_first_not_of(digits) == std::string::npos
                     && number.find_first_not_of('0') != std::string::npos;
  return {legal ? number : std::string{}, {}, true};
}

std::string trace_of(const claimed_item& x) {
  if (x.body.empty() || x.kind != body_kind::inline_bytes)
    return {};
  if (x.body.front() == '{') {
    // Batches and jobs say alike of which batch they are.
    const auto job = decode_job_document(x.body);
    return job
             ? trace_of_batch(traceparent_in(job->more), job->batch_uuid).trace
             : std::string{};
  }
  const auto deposit = decode_submission_body(x.body);
  return deposit
           ? trace_of(deposit->submission.trace, x.id, x.received_us).trace
           : std::string{};
}

std::string trace_text(const claimed_item& x) {
  auto trace = trace_of(x);
  return trace.empty() ? trace : " trace=" + trace;
}

std::string span_id(std::string_view trace, item_id id, std::string_view name,
                    std::uint32_t number) {
  const auto seed = std::string{trace} + " " + std::to_string(id) + " "
                    + std::to_string(number) + " " + std::string{name};
  const auto hash = XXH3_64bits(seed.data(), seed.size());
  std::string out(span_digits, '0');
  put_hex(out.data(), hash == 0 ? 1 : hash, span_digits);
  return out;
}

} // namespace depositd
