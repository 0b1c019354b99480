#pragma once

// The body of a deposit's item: its metadata, and the post itself unless
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

/// The body of a deposit whose post is in the blob store, or comes along.
std::string encode_submission_body(const submission& x,
                                   std::string_view post = {});

/// `ec::malformed` if the bytes are none.
caf::expected<submission_body> decode_submission_body(std::string_view bytes);

} // namespace depositd
