#include "adapters/doors/crossref/at_once_answers.hpp"

#include "adapters/doors/crossref/pages.hpp"
#include "adapters/processing/crossref/diagnostic.hpp"
#include "messages/values/operations.hpp"

#include <utility>

namespace depositd::crossref {

http::response processed_page(const submission_row& row) {
  auto document = diagnostic_of(row);
  const bool clean =
    !row.failed
    && (document.find("<failure_count>") == std::string::npos
        || document.find("<failure_count>0<") != std::string::npos);
  return xml_document(clean ? 200 : 403, std::move(document));
}

http::response going_on_page(unsigned status, item_id id,
                             std::string_view reason) {
  std::string text{reason};
  text += text.empty() ? "" : ". ";
  text += "Submission " + std::to_string(id);
  text += " goes on: ask for its result instead of sending it again";
  return failure_page(status, text);
}

submission_row row_of(item_id id, const outcome& ended) {
  submission_row out;
  out.id = id;
  out.status = submission_status::completed;
  out.failed = ended.says == verdict::failed;
  out.batch_id = ended.batch_id;
  out.document = ended.document;
  out.reason = ended.reason;
  out.processor = source_v2.name;
  return out;
}

settle_items settlement_of(const std::string& queue, const std::string& user,
                           item_id id, const outcome& ended) {
  settle_items::one one;
  one.name = {id, digest_of_user(user)};
  one.says = ended.says;
  one.delay_ms = ended.delay_ms;
  one.reason = ended.reason;
  one.batch_id = ended.batch_id;
  one.document = ended.document;
  return {queue, {std::move(one)}};
}

http::response page_of(item_id id, const outcome& ended) {
  return ended.says == verdict::done || ended.says == verdict::failed
           ? processed_page(row_of(id, ended))
           : going_on_page(500, id, ended.reason);
}

} // namespace depositd::crossref
