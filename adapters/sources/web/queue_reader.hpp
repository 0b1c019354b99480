#pragma once

// Messages of a queue of another depositd, or of an EmoDB.

#include "adapters/sources/records/records.hpp"
#include "messages/ports/source_reader.hpp"

#include <memory>
#include <string>

namespace depositd::sources {

/// Claims messages for `from.claim_ttl_s` and acknowledges them when their
/// records are applied; there is no cursor. What is bad is not acknowledged,
/// nor is what was not applied: it comes again when its claim has ended, and
/// after a start a message that was applied before is acknowledged when it has
/// come again and was known. The key is the id of the message, the body its
/// payload. Messages with equal keys are acknowledged together. Whoever names
/// no file of a key asks without one.
///
/// A batch that has something ends without error where a further question
/// fails: what is claimed already would be hidden for long. `ec::bad_setting`
/// for an URL that cannot be; touches nothing.
caf::expected<std::unique_ptr<source_reader>>
make_queue_reader(const std::string& name, const source_settings& x,
                  const reader_context& in);

} // namespace depositd::sources
