#pragma once

#include "adapters/logs/kafka/records.hpp"

namespace depositd::kafka {

/// `ec::malformed`, `ec::too_large` or `ec::invalid_argument` if the record is
/// neither deposit nor batch; the text says why.
caf::expected<record_content> read_ingress(const record_format_options& options,
                                           const source_record& x);

} // namespace depositd::kafka
