// What became of it?

#include "adapters/doors/crossref/parts.hpp"
#include "adapters/processing/crossref/diagnostic.hpp"
#include "messages/projection.hpp"

#include <charconv>
#include <utility>

namespace depositd::crossref {

namespace {

void send_contents(door_pointer self, const status_request& x,
                   const submission_row& row) {
  const auto answer = x.answer;
  const auto& options = self->state.options;
  if (!row.contents.empty()) {
    answer->send(deposited_file(row.contents));
    return;
  }
  if (row.submission.blob.empty()) {
    answer->send(contents_not_kept_page());
    return;
  }
  self
    ->request(options.blobs, options.ask_timeout,
              accounts::fetch_blob{row.submission.blob})
    .then(
      [=](accounts::blob_fetched& found) {
        answer->send(deposited_file(std::move(found.bytes)));
      },
      [=](const caf::error& why) { answer->send(page_of(self, why)); });
}

void look_up_contents(door_pointer self, const status_request& x,
                      const submission_query& query) {
  const auto& options = self->state.options;
  self->request(options.projector, options.ask_timeout, query)
    .then(
      [=](const submissions_found& found) {
        if (found.rows.empty())
          x.answer->send(xml_document(404, diagnostic_unknown()));
        else
          send_contents(self, x, found.rows[0]);
      },
      [=](const caf::error& why) { x.answer->send(page_of(self, why)); });
}

/// Answered where the answer is found: depositors ask again and again.
void look_up_result(door_pointer self, const status_request& x,
                    const submission_query& query) {
  const auto& options = self->state.options;
  self->state.asked->ask(
    options.projector, query,
    [answer = x.answer, later = options.retry_after_s](kit::core_answer said) {
      const auto* found = said.as<submissions_found>();
      if (found == nullptr)
        answer->send(error_page(said.why(), later));
      else
        // To know of none is an answer like any other: clients wait for more.
        answer->send(xml_document(200, found->rows.empty()
                                         ? diagnostic_unknown()
                                         : diagnostic_of(found->rows[0])));
    });
}

/// Nothing if the request names no submission.
std::optional<submission_query>
query_of(const status_request& x, const std::string& user, bool newest_first) {
  submission_query out;
  out.user = user;
  out.count_max = 1;
  out.newest_first = newest_first;
  out.with_documents = x.type == "result";
  out.with_contents = x.type == "contents";
  // Only its number is nobody else's.
  const auto& text = x.submission_id;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, out.id);
  if (read.ec == std::errc{} && read.ptr == end && out.id != 0)
    return out;
  out.id = 0;
  out.file_name = x.file_name;
  if (x.file_name.empty())
    out.batch_id = x.batch_id;
  if (out.file_name.empty() && out.batch_id.empty())
    return std::nullopt;
  return out;
}

void look_up(door_pointer self, const status_request& x,
             const std::string& user) {
  if (x.type != "result" && x.type != "contents") {
    x.answer->send(failure_page(400, "type must be result or contents."));
    return;
  }
  const auto query = query_of(x, user, self->state.options.newest_first);
  if (!query)
    x.answer->send(failure_page(400, "No file_name nor doi_batch_id."));
  else if (x.type == "contents")
    look_up_contents(self, x, *query);
  else
    look_up_result(self, x, *query);
}

} // namespace

void take_status(door_pointer self, const status_request& given) {
  with_login(
    self, given.who, given.peer,
    {[=](const std::string& user) { look_up(self, given, user); },
     [=](http::response page) { given.answer->send(std::move(page)); }});
}

} // namespace depositd::crossref
