#include "messages/values/submission_body.hpp"

#include "messages/values/codec.hpp"
#include "messages/values/events.hpp"

#include <optional>

namespace depositd {

namespace {

// It is a `submission_received` event: one codec, one format. Before
// it stands a mark; with a body also the event's length in four bytes, and the
// body as it is behind it. Without `trace` in it, it began with the
// event's kind or, if it had a body, with another mark.
constexpr char bare_1 = 1;
constexpr char with_body_1 = 2;
constexpr char bare_2 = 3;
constexpr char with_body_2 = 4;

/// Of a body with a file: the bytes of its event.
struct head {
  std::string_view event;
  std::string_view file;
};

/// Nothing if the bytes end before.
std::optional<head> head_of(std::string_view bytes) noexcept {
  constexpr std::size_t begin = 5; // the mark and the length
  if (bytes.size() < begin)
    return std::nullopt;
  std::size_t size = 0;
  for (unsigned i = 0; i < 4; ++i)
    size |= std::size_t{static_cast<unsigned char>(bytes[i + 1])} << 8 * i;
  if (size > bytes.size() - begin)
    return std::nullopt;
  return head{bytes.substr(begin, size), bytes.substr(begin + size)};
}

bool has_file(char mark) noexcept {
  return mark == with_body_1 || mark == with_body_2;
}

caf::expected<submission> submission_in(std::string_view bytes) {
  auto decoded = decode_event(bytes);
  if (decoded)
    if (auto* carrier = std::get_if<submission_received>(&*decoded))
      return std::move(carrier->submission);
  return caf::make_error(ec::malformed, "not the body of a deposit");
}

} // namespace

std::string encode_submission_body(const submission& x, std::string_view body) {
  submission_received carrier;
  carrier.submission = x;
  std::string event_bytes;
  encode(event{std::move(carrier)}, event_bytes);
  std::string out;
  out.reserve(event_bytes.size() + body.size() + 5);
  out.push_back(body.empty() ? bare_2 : with_body_2);
  if (body.empty())
    return out += event_bytes;
  for (unsigned shift = 0; shift < 32; shift += 8)
    out.push_back(static_cast<char>(event_bytes.size() >> shift));
  out += event_bytes;
  out += body;
  return out;
}

std::string_view file_in_submission_body(std::string_view bytes) noexcept {
  if (bytes.empty() || !has_file(bytes[0]))
    return {};
  const auto parts = head_of(bytes);
  return parts ? parts->file : std::string_view{};
}

caf::expected<submission_body> decode_submission_body(std::string_view bytes) {
  const auto malformed = [] {
    return caf::make_error(ec::malformed, "not the body of a deposit");
  };
  if (bytes.empty())
    return malformed();
  submission_body out;
  const auto mark = bytes[0];
  auto event = mark == bare_2 ? bytes.substr(1) : bytes;
  if (has_file(mark)) {
    const auto parts = head_of(bytes);
    if (!parts)
      return malformed();
    event = parts->event;
    out.body = parts->file;
  } else if (mark != bare_1 && mark != bare_2) {
    return malformed();
  }
  // `trace` is the last field, and an empty one is a single zero.
  auto submission = mark == bare_1 || mark == with_body_1
                      ? submission_in(std::string{event} + '\0')
                      : submission_in(event);
  if (!submission)
    return std::move(submission.error());
  out.submission = std::move(*submission);
  return out;
}

} // namespace depositd
