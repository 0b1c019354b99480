#include "actors/operators/work.hpp"

#include "actors/rules/pages/pages.hpp"
#include "messages/shard.hpp"

#include <charconv>

namespace depositd::operators {

namespace {

constexpr std::size_t uuid_bytes_max = 128;

/// What a text says which batch or job is meant: its number, or its uuid.
template <class Query>
caf::expected<Query> query_for(const char* what, const std::string& text) {
  Query out;
  out.count_max = 1;
  const auto end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, out.id);
  if (failure == std::errc{} && stop == end && out.id > 0)
    return out;
  out.id = 0;
  out.uuid = text;
  if (stop != text.data() && stop == end)
    return refuse(ec::invalid_argument,
                  shown(text) + " is no number of a " + std::string{what});
  if (text.empty() || text.size() > uuid_bytes_max)
    return refuse(ec::invalid_argument,
                  "name a " + std::string{what} + " by its number or its uuid");
  return out;
}

template <class Query, class Found, class F>
void find(admin_pointer self, const admin_call_ptr& call, Query query, F use) {
  ask(self, call, self->state.options.projector, std::move(query),
      [=](const Found& x) {
        const bool is_seen =
          !x.rows.empty()
          && call->by.sees(x.rows.front().user, x.rows.front().info.collection);
        use(is_seen ? &x.rows.front() : nullptr);
      });
}

template <class Query, class Found, class F>
void with(admin_pointer self, const admin_call_ptr& call, const char* what,
          const std::string& text, F use) {
  auto query = query_for<Query>(what, text);
  if (!query)
    return refuse(call, query.error());
  find<Query, Found>(self, call, std::move(*query), [=](const auto* row) {
    if (row)
      use(*row);
    else
      refuse(call, ec::not_found,
             "there is no " + std::string{what} + " " + shown(text));
  });
}

} // namespace

void with_job(admin_pointer self, const admin_call_ptr& call,
              std::function<void(const job_row&)> use) {
  with<job_query, jobs_found>(self, call, "job", call->arguments.text("id"),
                              std::move(use));
}

void with_batch(admin_pointer self, const admin_call_ptr& call,
                const std::string& text,
                std::function<void(const batch_row&)> use) {
  with<batch_query, batches_found>(self, call, "batch", text, std::move(use));
}

void find_job(admin_pointer self, const admin_call_ptr& call, item_id id,
              std::function<void(const job_row*)> use) {
  job_query query;
  query.id = id;
  query.count_max = 1;
  find<job_query, jobs_found>(self, call, std::move(query), std::move(use));
}

namespace {

void find_one(admin_pointer self, const admin_call_ptr& call,
              submission_query query,
              std::function<void(const submission_row*)> use) {
  query.id = static_cast<item_id>(call->arguments.number("id"));
  ask(self, call, self->state.options.projector, std::move(query),
      [=](const submissions_found& x) {
        const bool seen = !x.rows.empty() && call->by.sees(x.rows.front().user);
        use(seen ? &x.rows.front() : nullptr);
      });
}

} // namespace

void find_submission(admin_pointer self, const admin_call_ptr& call,
                     std::function<void(const submission_row*)> use) {
  find_one(self, call, {}, std::move(use));
}

void find_with_contents(admin_pointer self, const admin_call_ptr& call,
                        std::function<void(const submission_row*)> use) {
  submission_query query;
  query.with_contents = true;
  find_one(self, call, std::move(query), std::move(use));
}

caf::error check_sight(const admin_call& call) {
  const auto& by = call.by;
  const auto check = [&](const char* key, const auto& own) {
    const auto name = call.arguments.text(key);
    if (name.empty() || own.empty()
        || std::find(own.begin(), own.end(), name) != own.end())
      return caf::error{};
    return refuse(ec::not_allowed, call.command + " concerns the " + key + " "
                                     + shown(name) + ", and " + by.who
                                     + " is limited to others");
  };
  if (auto wrong = check("user", by.users))
    return wrong;
  return check("collection", by.collections);
}

std::optional<std::vector<item_id>> cursor_of(const admin_call& call) {
  return rules::pages::read_cursor(call.arguments.text("after"));
}

std::string cursor_behind(const admin_call& call,
                          const std::vector<item_id>& seen) {
  return rules::pages::cursor_after(*cursor_of(call), seen);
}

void unless_stage(admin_pointer self, const admin_call_ptr& call,
                  const std::string& queue, std::function<void()> use) {
  if (queue.empty())
    return use();
  with_control(self, call, [=](const control_snapshot& now) {
    const auto at = now->queues.find(queue);
    if (at == now->queues.end() || at->second.kind != queue_kind::stage)
      return use();
    refuse(call, ec::invalid_argument,
           queue + " is a queue of batches and jobs, not for " + call->command
             + ": see job hold, job fail, job delete and batch delete");
  });
}

caf::expected<std::string> note_of(const admin_call& call, const char* order,
                                   const std::string& text) {
  if (text.size() > note_bytes_max)
    return refuse(ec::too_large, "a note has at most "
                                   + std::to_string(note_bytes_max) + " bytes");
  return text.empty() ? order + (" by " + call.by.who)
                      : text + " (" + call.by.who + ")";
}

argument_spec submission_id_argument() {
  const auto max = std::numeric_limits<std::int64_t>::max();
  return {"id",
          "id",
          value_kind::number,
          "ID",
          "Number of the submission",
          true,
          "",
          {},
          1,
          max};
}

argument_spec work_id_argument(const char* what, bool required) {
  return {"id",
          "id",
          value_kind::text,
          "ID",
          "Number or uuid of the " + std::string{what},
          required};
}

argument_spec of_user_argument() {
  return {"--user", "user",     value_kind::text, "USER", "Only of this user",
          false,    "user list"};
}

argument_spec of_collection_argument() {
  return {"--collection",
          "collection",
          value_kind::text,
          "NAME",
          "Only of this collection",
          false,
          "collection list"};
}

argument_spec of_batch_argument() {
  return {"--batch", "batch", value_kind::text, "ID",
          "Only of this batch, by number or uuid"};
}

argument_spec note_argument() {
  return {"--note", "note", value_kind::text, "TEXT", "Why, for people"};
}

} // namespace depositd::operators
