#pragma once

// What is asked of the audit log.

#include "messages/message.hpp"
#include "messages/ports/audit_book.hpp"

namespace depositd {

/// Lines, the newest first.
struct audit_query {
  audit_range where;
};
DEPOSITD_LOCAL(audit_query);

struct audit_found {
  audit_page page;
};
DEPOSITD_LOCAL(audit_found);

} // namespace depositd
