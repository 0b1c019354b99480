// What a user has handed in, and what becomes of it.

#include "adapters/doors/deposits/parts.hpp"
#include "adapters/processing/crossref/diagnostic.hpp"
#include "messages/operators.hpp"
#include "messages/projection.hpp"
#include "messages/values/json_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace depositd::deposits {

namespace {

using json = nlohmann::ordered_json;

std::string text_of(const json& what) {
  return json_text(what) + '\n';
}

/// One row more than a page has tells that there is another.
json page_document(const submissions_found& found) {
  const auto count = std::min<std::size_t>(found.rows.size(), page_rows);
  json out{{"submissions", json::array()}};
  for (std::size_t i = 0; i < count; ++i)
    out["submissions"].push_back(document_of(found.rows[i]));
  if (count > 0 && (found.more || found.rows.size() > count))
    out["next"] = std::to_string(found.rows[count - 1].id);
  return out;
}

} // namespace

void list_own(door_pointer self, const page_request& given,
              const std::string& user) {
  submission_query query;
  query.user = user;
  query.with_documents = false;
  query.count_max = page_rows + 1;
  query.bytes_max = page_bytes_max;
  if (given.id != 0)
    query.after = {given.id};
  const auto& options = self->state.options;
  self->request(options.projector, options.ask_timeout, std::move(query))
    .then(
      [=](const submissions_found& found) {
        given.answer->send(
          known_answer(text_of(page_document(found)), given.known));
      },
      [=](const caf::error& why) { given.answer->send(answer_of(self, why)); });
}

void show_one(door_pointer self, const page_request& given,
              const std::string& user) {
  submission_query query;
  query.id = given.id;
  query.user = user; // somebody else's is as unknown as none
  query.count_max = 1;
  const auto& options = self->state.options;
  self->request(options.projector, options.ask_timeout, std::move(query))
    .then(
      [=](const submissions_found& found) {
        if (found.rows.empty())
          return void(given.answer->send(unknown_one()));
        const auto& row = found.rows.front();
        auto out = document_of(row);
        out["document"] = row.status == submission_status::completed
                            ? crossref::diagnostic_of(row)
                            : std::string{};
        given.answer->send(known_answer(text_of(out), given.known));
      },
      [=](const caf::error& why) { given.answer->send(answer_of(self, why)); });
}

void tell_place(door_pointer self, const page_request& given,
                const std::string& user) {
  const auto& options = self->state.options;
  if (!options.places) {
    given.answer->send(known_answer("{\"queues\":[]}\n", given.known));
    return;
  }
  self
    ->request(options.places, options.ask_timeout,
              admin_request{"user place", json_text(json{{"name", user}})})
    .then(
      [=](const admin_reply& said) {
        given.answer->send(known_answer(said.document, given.known));
      },
      [=](const caf::error& why) { given.answer->send(answer_of(self, why)); });
}

} // namespace depositd::deposits
