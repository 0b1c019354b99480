#pragma once

// A form of Merritt's submitters, understood. docs/PROTOCOL.md names the
// fields.

#include "adapters/doors/http/form.hpp"
#include "messages/values/job_documents.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace depositd::poster {

/// Texts and file names of a form, all together; an item's body holds them.
inline constexpr std::size_t text_bytes_max = 100 * 1024;

/// What stands in the path of a request.
struct submission_target {
  std::string ark; ///< empty: none
  bool update = false;
};

struct submission {
  std::string submitter; ///< as the form says
  /// Without uuid, user, time, and blobs of the payloads.
  batch_document document;
  /// Of each payload that has no URL, in their order; parts of the form.
  std::vector<std::string_view> files;
  std::vector<std::string> warnings;
};

/// What never changes of its batch, which has a payload.
batch_info info_of(const batch_document& x, const std::string& submitter,
                   const char* source);

/// `ec::malformed` names the field and what is wrong with it.
caf::expected<submission> read_submission(const http::form& from,
                                          const submission_target& target);

} // namespace depositd::poster
