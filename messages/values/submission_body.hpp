#pragma once

// The body of a deposit's item: its metadata, and what was sent itself unless
// that is in the blob store.

#include "messages/values/errors.hpp"
#include "messages/values/types.hpp"

#include <string>
#include <string_view>

namespace depositd {

struct submission_body {
  depositd::submission submission;
  std::string body; ///< empty: under `submission.blob`
};

/// Of a deposit whose own body is in the blob store, or comes along.
std::string encode_submission_body(const submission& x,
                                   std::string_view body = {});

/// What was sent itself, inside the body of its item; empty if that is none or
/// has only metadata. Decodes nothing.
std::string_view file_in_submission_body(std::string_view bytes) noexcept;

/// `ec::malformed` if the bytes are none.
caf::expected<submission_body> decode_submission_body(std::string_view bytes);

} // namespace depositd
