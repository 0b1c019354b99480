#pragma once

// What commands about batches and jobs share: which one is meant, which the
// caller sees, and pages of them.

#include "actors/operators/command.hpp"

#include "messages/shard.hpp"
#include "messages/work.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

namespace depositd::operators {

/// Finds the job that the argument `id` names, by number or uuid, and goes on
/// with its row. None, or none that the caller sees: `ec::not_found`.
void with_job(admin_pointer self, const admin_call_ptr& call,
              std::function<void(const job_row&)> use);

/// The same for the batch that `text` names.
void with_batch(admin_pointer self, const admin_call_ptr& call,
                const std::string& text,
                std::function<void(const batch_row&)> use);

/// Finds a job by its number and goes on with it; null: there is none, or none
/// that the caller sees.
void find_job(admin_pointer self, const admin_call_ptr& call, item_id id,
              std::function<void(const job_row*)> use);

/// Finds the submission that the argument `id` names; null likewise.
void find_submission(admin_pointer self, const admin_call_ptr& call,
                     std::function<void(const submission_row*)> use);

/// The same with what was sent, as far as the tables have it.
void find_with_contents(admin_pointer self, const admin_call_ptr& call,
                        std::function<void(const submission_row*)> use);

/// Restricts a query to what the caller sees, and to the user and the
/// collection that the arguments name; `ec::not_allowed` for those of others.
template <class Query>
caf::error restrict(const admin_call& call, Query& to);

/// Where the page begins that the arguments ask for, and how long it is: one
/// row more than that, which tells whether there is another page.
template <class Query>
caf::error begin_page(const admin_call& call, Query& to);

/// The rows of such a page as `list`, and `next` if it is not the last.
template <class Found, class F>
document page_document(const admin_call& call, const char* list,
                       const Found& found, F show);

/// Goes on unless the queue is one of jobs, which have commands of their own.
void unless_stage(admin_pointer self, const admin_call_ptr& call,
                  const std::string& queue, std::function<void()> use);

/// Has something handed in; `use` gets its number.
template <class Message, class F>
void hand_in(admin_pointer self, const admin_call_ptr& call, Message what,
             F use);

/// Asks the inventory, where there is one; `use` gets the answer.
template <class Message, class F>
void ask_inventory(admin_pointer self, const admin_call_ptr& call, Message what,
                   F use);

/// What an operator says of an order, and who it is; `text` may be empty.
caf::expected<std::string> note_of(const admin_call& call, const char* order,
                                   const std::string& text);

inline constexpr std::size_t note_bytes_max = 1'000;

/// "ID" of a submission: its number.
argument_spec submission_id_argument();

/// "ID": a number or a uuid. `what` is a job or a batch.
argument_spec work_id_argument(const char* what, bool required = true);

argument_spec of_user_argument();
argument_spec of_collection_argument();
argument_spec of_batch_argument();

/// "--note": why.
argument_spec note_argument();

/// "--state": one of the words of `State`.
template <class State>
argument_spec of_state_argument() {
  const auto words = all_words<State>();
  return {"--state", "state", value_kind::word, "STATE", any_of(words), false,
          "",        words};
}

/// A command about batches or jobs, of which each caller sees their own.
inline command of_work(command x) {
  return concerning(concern::answered, std::move(x));
}

// -- implementation -----------------------------------------------------------

/// Where the arguments' page goes on; nothing if that is no cursor.
std::optional<std::vector<item_id>> cursor_of(const admin_call& call);

/// `next` of a page; `seen` are the numbers on it.
std::string cursor_behind(const admin_call& call,
                          const std::vector<item_id>& seen);

/// `ec::not_allowed` if the arguments name a user or a collection that the
/// caller does not see.
caf::error check_sight(const admin_call& call);

template <class Message, class F>
void ask_inventory(admin_pointer self, const admin_call_ptr& call, Message what,
                   F use) {
  const auto& whom = self->state.options.catalogue;
  if (!whom)
    return refuse(call, ec::not_found, "this engine keeps no inventory");
  ask(self, call, whom, std::move(what), std::move(use));
}

template <class Message, class F>
void hand_in(admin_pointer self, const admin_call_ptr& call, Message what,
             F use) {
  const auto& options = self->state.options;
  ask(
    self, call, options.submitter, std::move(what),
    [=](const enqueued& x) {
      if (x.ids.empty() || x.ids.front() == 0)
        return refuse(call, ec::pending_limit_reached,
                      "the user has too many pending submissions");
      audit(call, nullptr, nullptr, "done");
      use(x.ids.front());
    },
    options.timeout_long);
}

template <class Query>
caf::error restrict(const admin_call& call, Query& to) {
  if (auto wrong = check_sight(call))
    return wrong;
  const auto& by = call.by;
  to.users = by.users;
  to.collections = by.collections;
  if (const auto user = call.arguments.text("user"); !user.empty())
    to.users = {user};
  if (const auto name = call.arguments.text("collection"); !name.empty())
    to.collections = {name};
  return caf::none;
}

template <class Query>
caf::error begin_page(const admin_call& call, Query& to) {
  auto after = cursor_of(call);
  if (!after)
    return refuse(ec::invalid_argument,
                  "after must be what a page before gave as next");
  to.after = std::move(*after);
  to.count_max = static_cast<std::uint32_t>(call.arguments.number("limit")) + 1;
  return caf::none;
}

template <class Found, class F>
document page_document(const admin_call& call, const char* list,
                       const Found& found, F show) {
  const auto limit = static_cast<std::size_t>(call.arguments.number("limit"));
  const auto count = std::min(found.rows.size(), limit);
  document out{{list, document::array()}};
  std::vector<item_id> seen;
  for (std::size_t i = 0; i < count; ++i) {
    out[list].push_back(show(found.rows[i]));
    seen.push_back(found.rows[i].id);
  }
  if (found.more || found.rows.size() > limit)
    out["next"] = cursor_behind(call, seen);
  return out;
}

} // namespace depositd::operators
