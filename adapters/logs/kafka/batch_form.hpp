#pragma once

// The form of a batch in a record: the fields of Merritt's form, as JSON.

#include "adapters/doors/kit/json_reader.hpp"
#include "messages/records.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace depositd::kafka {

/// Inside the record's own object, so that 64 is the most in all.
inline constexpr kit::json_rules strict{
  .depth_max = 63, .byte_order_mark = false, .lone_surrogates = false};

/// What a record says of a batch besides its form.
struct batch_given {
  std::string id; ///< a UUID
  std::string user;
  std::uint8_t priority = 0;
  std::string payload; ///< empty: at `payload_url`
  std::string payload_url;
};

/// `ec::malformed` or `ec::invalid_argument` if the form is none,
/// `ec::too_large` for too many fields; the text is one line.
caf::expected<read_batch> read_form_of_batch(std::string_view form,
                                             batch_given&& given);

/// An order about what is stored: `order`, `profile`, `object` and `file`.
/// Errors likewise; `ec::not_allowed` for a deletion, which is asked for.
caf::expected<read_batch> read_form_of_order(std::string_view form,
                                             batch_given&& given);

} // namespace depositd::kafka
