#include "messages/envelope.hpp"

#include "messages/codec.hpp"
#include "messages/events.hpp"

namespace depositd {

namespace {

// An envelope is a `submission_received` event: one codec, one format. With a
// post it is a mark that no event of this kind begins with, the event's length
// in four bytes, the event, and the post as it is.
constexpr char with_post = 2;

caf::expected<submission> particulars_in(std::string_view bytes) {
  auto decoded = decode_event(bytes);
  if (decoded)
    if (auto* carrier = std::get_if<submission_received>(&*decoded))
      return std::move(carrier->particulars);
  return caf::make_error(ec::malformed, "not a deposit envelope");
}

} // namespace

std::string encode_envelope(const submission& x, std::string_view post) {
  submission_received carrier;
  carrier.particulars = x;
  std::string event_bytes;
  encode(event{std::move(carrier)}, event_bytes);
  if (post.empty())
    return event_bytes;
  std::string out;
  out.reserve(event_bytes.size() + post.size() + 5);
  out.push_back(with_post);
  for (unsigned shift = 0; shift < 32; shift += 8)
    out.push_back(static_cast<char>(event_bytes.size() >> shift));
  out += event_bytes;
  out += post;
  return out;
}

caf::expected<envelope> decode_envelope(std::string_view bytes) {
  envelope out;
  auto head = bytes;
  if (!bytes.empty() && bytes[0] == with_post) {
    std::size_t size = 0;
    if (bytes.size() >= 5)
      for (unsigned i = 0; i < 4; ++i)
        size |= std::size_t{static_cast<unsigned char>(bytes[i + 1])} << 8 * i;
    if (bytes.size() < 5 || size > bytes.size() - 5)
      return caf::make_error(ec::malformed, "not a deposit envelope");
    head = bytes.substr(5, size);
    out.post = bytes.substr(5 + size);
  }
  auto particulars = particulars_in(head);
  if (!particulars)
    return std::move(particulars.error());
  out.particulars = std::move(*particulars);
  return out;
}

} // namespace depositd
