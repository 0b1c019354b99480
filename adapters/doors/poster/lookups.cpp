// What became of a batch or a job, for those who may know.

#include "adapters/doors/poster/parts.hpp"
#include "messages/values/work_documents.hpp"
#include "messages/work.hpp"

#include <nlohmann/json.hpp>

#include <charconv>
#include <utility>

namespace depositd::poster {

namespace {

/// Nothing of this length is an id.
constexpr std::size_t id_bytes_max = 64;

/// Whether it is the user's, or of a collection that he may submit to.
bool may_see(door_pointer self, const std::string& user,
             const std::string& owner, const std::string& collection) {
  if (user == owner)
    return true;
  const auto& all = self->state.logins->control()->collections;
  const auto at = all.find(collection);
  return at != all.end() && may_submit(at->second, user);
}

/// Sets number or uuid of the query; false: there can be no such thing.
template <class Query>
bool name_one(Query& query, const std::string& id) {
  query.count_max = 1;
  if (id.empty() || id.size() > id_bytes_max)
    return false;
  const auto* end = id.data() + id.size();
  const auto [stop, code] = std::from_chars(id.data(), end, query.id);
  if (stop == end && code == std::errc{})
    return query.id != 0;
  query.id = 0;
  query.uuid = id;
  return true;
}

/// A batch and what is known of its jobs so far.
struct batch_in_hand {
  std::shared_ptr<http::responder> answer;
  batch_row row;
  ended_jobs ended;
};

using batch_ptr = std::shared_ptr<batch_in_hand>;

/// The jobs of the batch in this state go to `to`, then it goes on.
void list_jobs(door_pointer self, const batch_ptr& x, job_state state,
               std::vector<item_id> ended_jobs::*to,
               std::function<void()> then) {
  job_query query;
  query.user = x->row.user;
  query.batch = x->row.id;
  query.states = {state};
  query.count_max = listed_jobs_max;
  const auto& options = self->state.options;
  self->request(options.projector, options.ask_timeout, std::move(query))
    .then(
      [=](const jobs_found& found) {
        for (const auto& job : found.rows)
          (x->ended.*to).push_back(job.id);
        then();
      },
      [=](const caf::error& why) { x->answer->send(answer_of(self, why)); });
}

/// One that failed without jobs has none that could say why.
auto document_of(const batch_in_hand& x) {
  auto out = depositd::document_of(x.row, x.ended);
  if (x.row.status.state == batch_state::failed && x.row.jobs.total() == 0)
    out["note"] = x.row.status.note;
  return out;
}

void answer_batch(door_pointer self, const batch_ptr& x) {
  list_jobs(self, x, job_state::failed, &ended_jobs::failed, [=] {
    list_jobs(self, x, job_state::completed, &ended_jobs::successful, [=] {
      x->answer->send(document_answer(200, document_of(*x)));
    });
  });
}

http::response unknown(const document_request& x) {
  return refusal(404, std::string{"There is no "}
                        + (x.kind == document_kind::batch ? "batch" : "job")
                        + " " + x.id.substr(0, id_bytes_max) + ".");
}

http::response not_yours(const document_request& x) {
  return refusal(403, x.id + " is somebody else's.");
}

/// Whoever asks may see the row: `show` answers with it.
template <class Query, class Found, class Show>
void find_one(door_pointer self, const document_request& x,
              const std::string& user, Show show) {
  Query query;
  if (!name_one(query, x.id)) {
    x.answer->send(unknown(x));
    return;
  }
  const auto& options = self->state.options;
  self->request(options.projector, options.ask_timeout, std::move(query))
    .then(
      [=](const Found& found) {
        if (found.rows.empty())
          return void(x.answer->send(unknown(x)));
        const auto& row = found.rows.front();
        if (!may_see(self, user, row.user, row.info.collection))
          return void(x.answer->send(not_yours(x)));
        show(row);
      },
      [=](const caf::error& why) { x.answer->send(answer_of(self, why)); });
}

void find_batch(door_pointer self, const document_request& x,
                const std::string& user) {
  find_one<batch_query, batches_found>(self, x, user, [=](const auto& row) {
    answer_batch(
      self, std::make_shared<batch_in_hand>(batch_in_hand{x.answer, row, {}}));
  });
}

void find_job(door_pointer self, const document_request& x,
              const std::string& user) {
  find_one<job_query, jobs_found>(self, x, user, [=](const auto& row) {
    x.answer->send(document_answer(200, document_of(row)));
  });
}

} // namespace

void find_document(door_pointer self, const document_request& given) {
  with_login(
    self, given.who, given.peer,
    {[=](const std::string& user) {
       if (given.kind == document_kind::batch)
         find_batch(self, given, user);
       else
         find_job(self, given, user);
     },
     [=](http::response what) { given.answer->send(std::move(what)); }});
}

} // namespace depositd::poster
