#pragma once

// Who says how much work is left behind a scheduler's queue, where that is not
// the queue itself.

#include "adapters/sources/records/records.hpp"
#include "messages/ports/source_reader.hpp"

#include <memory>

namespace depositd::sources {

/// `x.downstream` at "http://..." or "https://...": the answer to a GET is a
/// number, or an object whose `left` is one; redirects are not followed. The
/// operator has chosen the address: it may be any, that of this machine too.
/// At "postgresql://...": `x.downstream_query` gives one row of one number; the
/// session is opened by the first question and kept. Fractions are rounded up.
///
/// `ec::invalid_argument`: there is no downstream, or it cannot be one. Texts
/// of errors have no address of the web and no password.
caf::expected<std::unique_ptr<downstream_gauge>>
make_gauge(const scheduler_settings& x, const reader_context& in);

} // namespace depositd::sources
