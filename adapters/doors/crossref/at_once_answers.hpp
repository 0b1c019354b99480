#pragma once

// What is told of a deposit that was processed at once: to its queue, and to
// who sent it.

#include "adapters/doors/http/message.hpp"
#include "messages/processors.hpp"
#include "messages/receiving.hpp"
#include "messages/values/rows.hpp"

#include <string>
#include <string_view>

namespace depositd::crossref {

/// As it is told of to who asks for it.
submission_row row_of(item_id id, const outcome& ended);

settle_items settlement_of(const std::string& queue, const std::string& user,
                           item_id id, const outcome& ended);

/// Its result is not known here, but will be to who asks for it.
http::response going_on_page(unsigned status, item_id id,
                             std::string_view reason);

/// 403 as soon as one record failed; always with the document.
http::response processed_page(const submission_row& row);

/// What is answered once the outcome is durable.
http::response page_of(item_id id, const outcome& ended);

} // namespace depositd::crossref
