#pragma once

// Messages of an SQS queue.

#include "adapters/sources/records/records.hpp"
#include "messages/ports/source_reader.hpp"

#include <memory>
#include <string>

namespace depositd::sources {

/// Receives messages, ten at a time, and deletes them when their records are
/// applied, by the receipt of their latest delivery; there is no cursor. What
/// is bad is not deleted, nor is what was not applied: it comes again after
/// `from.visibility_timeout_s`, and after a start a message that was applied
/// before is deleted when it has come again and was known. The key is the id of
/// the message; the body the message itself if it is JSON, else as a JSON
/// string. Messages with equal keys are deleted together. Whoever names no
/// files of keys does not sign.
///
/// A batch that has something ends without error where a further question
/// fails: what is received already would be hidden for long. `ec::bad_setting`
/// for an URL, region or files of keys that cannot be; touches nothing.
caf::expected<std::unique_ptr<source_reader>>
make_sqs_reader(const std::string& name, const source_settings& x,
                const reader_context& in);

} // namespace depositd::sources
