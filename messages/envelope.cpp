#include "messages/envelope.hpp"

#include "messages/codec.hpp"
#include "messages/events.hpp"

namespace depositd {

// An envelope is a `submission_received` event: one codec, one format.

std::string encode_envelope(const submission& x) {
  submission_received carrier;
  carrier.particulars = x;
  std::string out;
  encode(event{std::move(carrier)}, out);
  return out;
}

caf::expected<submission> decode_envelope(std::string_view bytes) {
  auto decoded = decode_event(bytes);
  if (decoded)
    if (auto* carrier = std::get_if<submission_received>(&*decoded))
      return std::move(carrier->particulars);
  return caf::make_error(ec::malformed, "not a deposit envelope");
}

} // namespace depositd
