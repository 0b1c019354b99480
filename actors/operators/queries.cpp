#include "actors/operators/calls.hpp"
#include "actors/operators/keys.hpp"
#include "actors/operators/why.hpp"
#include "messages/receiving.hpp"
#include "messages/shard.hpp"

#include <functional>
#include <limits>
#include <map>

namespace depositd::operators {

namespace {

using call_ptr = admin_call_ptr;

// -- status -------------------------------------------------------------------

/// Answers that one document is made of, gathered one after the other.
struct status_parts {
  control_snapshot state;
  queues_listed queues;
  slots_report slots;
};

void status_from_store(admin_pointer self, const call_ptr& call,
                       const std::shared_ptr<status_parts>& parts) {
  ask(self, call, self->state.options.projector, report_store{},
      [=](const store_report& store) {
        const auto& options = self->state.options;
        const status_numbers engine{options.version, self->state.started_us,
                                    options.clock.at(self->clock().now())};
        auto out = status_document(engine, *parts->state, parts->queues,
                                   parts->slots, store);
        gather_logs(self, [=](const std::vector<log_report>& logs) mutable {
          out["record_logs"] = logs_document(logs);
          deliver(call, out);
        });
      });
}

void status_from_slots(admin_pointer self, const call_ptr& call,
                       const std::shared_ptr<status_parts>& parts) {
  gather_slots(self, call, [=](const slots_gathered& x) {
    parts->slots = x.slots;
    status_from_store(self, call, parts);
  });
}

void status(admin_pointer self, const call_ptr& call) {
  if (wrong(call))
    return;
  const auto parts = std::make_shared<status_parts>();
  ask(self, call, self->state.options.shard, watch_control{nullptr},
      [=](const control_changed& x) {
        parts->state = x.state;
        ask(self, call, self->state.options.shard, list_queues{},
            [=](const queues_listed& queues) {
              parts->queues = queues;
              status_from_slots(self, call, parts);
            });
      });
}

// -- queues -------------------------------------------------------------------

void queue_list(admin_pointer self, const call_ptr& call) {
  if (wrong(call))
    return;
  ask(self, call, self->state.options.shard, list_queues{},
      [=](const queues_listed& x) {
        document out{{"suspended", x.suspended}, {"queues", document::array()}};
        for (const auto& queue : x.queues)
          out["queues"].push_back(queue_document(queue));
        deliver(call, out);
      });
}

void queue_show(admin_pointer self, const call_ptr& call) {
  with_queue(self, call, [=](const queue_report& queue) {
    deliver(call, queue_document(queue));
  });
}

void queue_size(admin_pointer self, const call_ptr& call) {
  with_queue(self, call, [=](const queue_report& found) {
    const auto queue = found;
    ask(self, call, self->state.options.shard, count_queue{queue.name},
        [=](const queue_counted& x) {
          deliver(call, {{"name", queue.name},
                         {"size", x.items},
                         {"ready", queue.ready},
                         {"in_flight", x.claims}});
        });
  });
}

void queue_peek(admin_pointer self, const call_ptr& call) {
  const auto limit = call->arguments.number_or("limit", 1, 1'000, 10);
  with_queue(self, call, [=](const queue_report& queue) {
    peek_items what{queue.name, static_cast<std::uint32_t>(limit)};
    const auto name = queue.name;
    ask(self, call, self->state.options.projector, std::move(what),
        [=](const items_found& x) {
          document out{{"name", name}, {"items", document::array()}};
          for (const auto& row : x.rows)
            out["items"].push_back(item_document(row));
          deliver(call, out);
        });
  });
}

// -- users --------------------------------------------------------------------

void list_them(admin_pointer self, const call_ptr& call,
               const users_wanted& wanted,
               const std::function<void(document)>& use) {
  ask(self, call, self->state.options.shard, watch_control{nullptr},
      [=](const control_changed& control) {
        const auto state = control.state;
        if (!wanted.queue.empty() && !state->queues.count(wanted.queue)) {
          refuse(call, ec::not_found, "there is no queue of this name");
          return;
        }
        ask(self, call, self->state.options.shard, list_users{wanted.queue},
            [=](const users_listed& x) {
              use(users_document(*state, x, wanted));
            });
      });
}

void user_list(admin_pointer self, const call_ptr& call) {
  users_wanted wanted;
  wanted.queue = call->arguments.text_or("queue", "");
  wanted.after = call->arguments.text_or("after", "");
  wanted.count_max = static_cast<std::size_t>(
    call->arguments.number_or("limit", 1, 10'000, 1'000));
  if (wrong(call))
    return;
  list_them(self, call, wanted, [=](document x) { deliver(call, x); });
}

/// Adds what waits in the queues from `at` on, then answers.
void count_pending_from(admin_pointer self, const call_ptr& call,
                        const std::shared_ptr<document>& user, std::size_t at) {
  auto& queues = (*user)["queues"];
  if (at == queues.size()) {
    deliver(call, *user);
    return;
  }
  count_pending what;
  what.queue = queues[at]["queue"].get<std::string>();
  what.user = (*user)["user"].get<std::string>();
  ask(self, call, self->state.options.shard, std::move(what),
      [=](const pending_counted& x) {
        auto& queue = (*user)["queues"][at];
        queue["pending"] = x.pending;
        queue["pending_limit"] =
          x.limit >= no_cap ? document(nullptr) : document(x.limit);
        count_pending_from(self, call, user, at + 1);
      });
}

void user_show(admin_pointer self, const call_ptr& call) {
  users_wanted wanted;
  wanted.only = call->arguments.user("name");
  if (wrong(call))
    return;
  list_them(self, call, wanted, [=](document x) {
    if (x["users"].empty()) {
      refuse(call, ec::not_found, "nothing is known of " + wanted.only);
      return;
    }
    count_pending_from(self, call,
                       std::make_shared<document>(x["users"].front()), 0);
  });
}

// -- keys ---------------------------------------------------------------------

void key_list(admin_pointer self, const call_ptr& call) {
  if (wrong(call))
    return;
  ask(self, call, self->state.options.shard, watch_control{nullptr},
      [=](const control_changed& control) {
        document out{{"keys", document::array()}};
        for (const auto& [name, key] : control.state->keys)
          out["keys"].push_back(key_document(key));
        deliver(call, out);
      });
}

// -- processors ---------------------------------------------------------------

void sp_list(admin_pointer self, const call_ptr& call) {
  if (wrong(call))
    return;
  ask(self, call, self->state.options.shard, watch_control{nullptr},
      [=](const control_changed& control) {
        const auto state = control.state;
        gather_slots(self, call, [=](const slots_gathered& x) {
          auto out = processors_document(*state, x.slots);
          out["nodes"] = nodes_document(x.nodes, x.silent);
          deliver(call, out);
        });
      });
}

// -- submissions --------------------------------------------------------------

void submission_list(admin_pointer self, const call_ptr& call) {
  auto& in = call->arguments;
  submission_query query;
  query.user = in.text_or("user", "");
  query.queue = in.text_or("queue", "");
  query.count_max =
    static_cast<std::uint32_t>(in.number_or("limit", 1, 10'000, 100));
  query.with_documents = false;
  const auto status = in.text_or("status", "");
  static const std::map<std::string, submission_status> words{
    {"queued", submission_status::queued},
    {"in_process", submission_status::in_process},
    {"completed", submission_status::completed}};
  if (wrong(call))
    return;
  if (const auto at = words.find(status); at != words.end()) {
    query.has_status = true;
    query.status = at->second;
  } else if (!status.empty()) {
    refuse(call, ec::invalid_argument,
           "status must be queued, in_process or completed");
    return;
  }
  ask(self, call, self->state.options.projector, std::move(query),
      [=](const submissions_found& x) {
        document out{{"submissions", document::array()}};
        for (const auto& row : x.rows)
          out["submissions"].push_back(submission_document(row, false));
        deliver(call, out);
      });
}

item_id submission_id(const call_ptr& call) {
  return static_cast<item_id>(
    call->arguments.number("id", 1, std::numeric_limits<std::int64_t>::max()));
}

/// Finds the submission; `otherwise` is called if there is none.
template <class F, class G>
void find_submission(admin_pointer self, const call_ptr& call, item_id id,
                     F use, G otherwise) {
  submission_query query;
  query.id = id;
  ask(self, call, self->state.options.projector, std::move(query),
      [=](const submissions_found& x) {
        if (!x.rows.empty())
          use(x.rows.front());
        else
          otherwise();
      });
}

void submission_show(admin_pointer self, const call_ptr& call) {
  const auto id = submission_id(call);
  if (wrong(call))
    return;
  find_submission(
    self, call, id,
    [=](const submission_row& row) {
      deliver(call, submission_document(row, true));
    },
    [=] {
      refuse(call, ec::not_found,
             "there is no submission " + std::to_string(id));
    });
}

/// An item of a queue of messages, which leaves no record when it ends.
void message_why(admin_pointer self, const call_ptr& call, item_id id,
                 const std::string& user) {
  const auto text = std::to_string(id);
  if (user.empty()) {
    refuse(call, ec::not_found,
           "there is no submission " + text
             + "; for an item of a queue of messages name its user too");
    return;
  }
  ask(self, call, self->state.options.shard, explain_item{id, user},
      [=](const item_explained& x) {
        if (x.live)
          deliver(call, why_document(x));
        else
          refuse(call, ec::not_found, user + " has no item " + text);
      });
}

void submission_why(admin_pointer self, const call_ptr& call) {
  const auto id = submission_id(call);
  const auto user = call->arguments.text_or("user", "");
  if (wrong(call))
    return;
  const auto explain = [=](const submission_row& found) {
    if (found.status == submission_status::completed) {
      deliver(call, why_finished_document(found));
      return;
    }
    const auto row = found;
    ask(self, call, self->state.options.shard, explain_item{row.id, row.user},
        [=](const item_explained& x) {
          deliver(call, x.live ? why_document(x) : why_finished_document(row));
        });
  };
  find_submission(self, call, id, explain,
                  [=] { message_why(self, call, id, user); });
}

using query = std::function<void(admin_pointer, const call_ptr&)>;

const std::map<std::string, query>& queries() {
  static const std::map<std::string, query> all{
    {"status", status},
    {"shards", list_all_shards},
    {"queue list", queue_list},
    {"queue show", queue_show},
    {"queue size", queue_size},
    {"queue peek", queue_peek},
    {"user list", user_list},
    {"user show", user_show},
    {"key list", key_list},
    {"sp list", sp_list},
    {"submission list", submission_list},
    {"submission show", submission_show},
    {"submission why", submission_why},
  };
  return all;
}

} // namespace

bool start_query(admin_pointer self, const admin_call_ptr& call) {
  const auto at = queries().find(call->command);
  if (at == queries().end())
    return false;
  at->second(self, call);
  return true;
}

} // namespace depositd::operators
