// Queues: what they hold, and what holds for all of their users.

#include "actors/operators/work.hpp"

#include "messages/receiving.hpp"
#include "messages/shard.hpp"
#include "messages/values/words.hpp"

namespace depositd::operators {

namespace about_queues {
namespace {

document item_document(const item_row& x) {
  const bool claimed = x.state == item_state::claimed;
  return {
    {"id", x.id},
    {"user", x.user},
    {"priority", x.priority},
    {"size", x.size},
    {"state", word(x.state)},
    {"attempt", x.attempt},
    {"received_at", time_or_null(x.received_us)},
    {"available_at", time_or_null(x.available_us)},
    {"processor", claimed ? document(x.processor) : document(nullptr)},
    {"deadline_at", claimed ? time_or_null(x.deadline_us) : document(nullptr)}};
}

/// What the queue shares out fairly.
fair_by fairness_of(const control_state& now, const std::string& queue) {
  const auto at = now.fairness.find(queue);
  return at == now.fairness.end() ? fair_by::turns : at->second.by;
}

document full_document(const control_state& now, const queue_report& x) {
  auto out = queue_document(x);
  out["fair_by"] = word(fairness_of(now, x.name));
  return out;
}

void list(admin_pointer self, const admin_call_ptr& call) {
  with_control(self, call, [=](const control_snapshot& now) {
    ask(self, call, self->state.options.shard, list_queues{},
        [=](const queues_listed& x) {
          std::map<std::string_view, const queue_report*> by_name;
          for (const auto& queue : x.queues)
            by_name[queue.name] = &queue;
          document out{{"suspended", x.suspended}};
          add_page(
            out, "queues", by_name, call->arguments,
            [&](const auto& y) { return full_document(*now, *y.second); });
          deliver(call, out);
        });
  });
}

constexpr const char* no_such_queue = "there is no queue of this name";

/// Finds the queue that the argument `name` names and goes on with its ring.
template <class F>
void with_queue(admin_pointer self, const admin_call_ptr& call, F use) {
  with_ring(self, call, call->arguments.text("name"),
            [=](const ring_report* ring) {
              if (ring == nullptr)
                refuse(call, ec::not_found, no_such_queue);
              else
                use(*ring);
            });
}

void show_listed(admin_pointer self, const admin_call_ptr& call,
                 const queues_listed& x) {
  const auto name = call->arguments.text("name");
  for (const auto& queue : x.queues)
    if (queue.name == name)
      return with_control(self, call, [=](const control_snapshot& now) {
        deliver(call, full_document(*now, queue));
      });
  refuse(call, ec::not_found, no_such_queue);
}

void show(admin_pointer self, const admin_call_ptr& call) {
  ask(self, call, self->state.options.shard, list_queues{},
      [=](const queues_listed& x) { show_listed(self, call, x); });
}

void size(admin_pointer self, const admin_call_ptr& call) {
  with_queue(self, call, [=](const ring_report& ring) {
    ask(self, call, self->state.options.shard, count_queue{ring.queue},
        [=, queue = ring.queue, ready = ring.ready](const queue_counted& x) {
          deliver(call, {{"name", queue},
                         {"size", x.items},
                         {"ready", ready},
                         {"in_flight", x.claims}});
        });
  });
}

void peek(admin_pointer self, const admin_call_ptr& call) {
  with_queue(self, call, [=](const ring_report& ring) {
    const auto name = ring.queue;
    const auto limit = call->arguments.number("limit");
    peek_items what{name, static_cast<std::uint32_t>(limit)};
    what.users = call->by.users;
    ask(self, call, self->state.options.projector, std::move(what),
        [=](const items_found& x) {
          document out{{"name", name}, {"items", document::array()}};
          for (const auto& row : x.rows)
            if (call->by.sees(row.user))
              out["items"].push_back(item_document(row));
          deliver(call, out);
        });
  });
}

void purge(admin_pointer self, const admin_call_ptr& call) {
  with_queue(self, call, [=](const ring_report& ring) {
    const auto name = ring.queue;
    unless_stage(self, call, name, [=] {
      act(self, call, self->state.options.shard, purge_queue{name},
                [=](const done&) {
                  deliver(call, {{"name", name}, {"purged", true}});
                });
    });
  });
}

// -- settings -----------------------------------------------------------------

/// Proposes what `edit` makes of the settings of the queue that is named.
change edit(const admin_arguments& in, const control_state& now,
            const std::function<void(queue_settings&)>& how) {
  const auto at = now.queues.find(in.text("name"));
  if (at == now.queues.end())
    return refuse(ec::not_found, "there is no queue of this name");
  const queue_changed before{at->first, at->second};
  auto after = before;
  how(after.settings);
  return changed(before, after, [&](const queue_changed& x) {
    auto out = settings_document(x.queue, x.settings);
    out["fair_by"] = word(fairness_of(now, x.queue));
    return out;
  });
}

decide_function suspend(bool on) {
  return [=](const admin_arguments& in, const control_state& now) {
    return edit(in, now, [=](queue_settings& x) { x.suspended = on; });
  };
}

change set(const admin_arguments& in, const control_state& now) {
  auto out = edit(in, now, [&](queue_settings& x) {
    in.take("allocation", x.allocation);
    in.take("concurrency", x.concurrency);
    in.take("pending_limit", x.pending_limit);
    in.take("attempts_max", x.attempts_max);
    in.take("retry_delay_ms", x.retry_delay_ms);
  });
  if (!out)
    return out;
  if (const auto quota = quota_change(in, now, in.text("name"), "")) {
    out->before.update(quota->before);
    out->after.update(quota->after);
    out->events.insert(out->events.end(), quota->events.begin(),
                       quota->events.end());
  }
  if (const auto* by = find_word<fair_by>(in.text("fair_by"))) {
    const auto name = in.text("name");
    if (*by != fairness_of(now, name))
      out->events.emplace_back(fairness_changed{name, *by});
    out->after["fair_by"] = word(*by);
  }
  return out;
}

/// Numbers only.
command of_nobody(command x) {
  return concerning(concern::nobody, std::move(x));
}

} // namespace
} // namespace about_queues

std::vector<command> queue_commands() {
  using namespace about_queues;
  using kind = value_kind;
  const auto name = queue_name_argument();
  const auto quotas = quota_arguments();
  argument_spec allocation{"--allocation", "allocation", kind::number, "N",
                           "Items per user and turn"};
  allocation.max = no_cap - 1;
  argument_spec retry_delay{"--retry-delay-ms", "retry_delay_ms", kind::number,
                            "N", "Delay before the second attempt; doubles"};
  retry_delay.max = 86'400'000;
  argument_spec fair{"--fair-by", "fair_by", kind::word, "WHAT",
                     "What users get equal shares of: turns, bytes or seconds"};
  fair.words = all_words<fair_by>();
  const auto items = table_view(
    "items", ">ID={id}; USER={user}; >PRIORITY={priority}; >SIZE={size}; "
             "STATE={state}; >ATTEMPT={attempt}; RECEIVED={received_at:time}; "
             "PROCESSOR={processor}");
  return {
    of_nobody(reading(
      "queue list", "All queues with their numbers",
      {limit_argument(10'000),
       after_argument("QUEUE", "Go on after this name", "queue list")},
      {line_view("suspended", "the server is suspended: nothing is handed out"),
       queue_table(), next_page_line("queues")},
      list)),
    of_nobody(reading("queue show", "One queue", {name}, {}, show)),
    of_nobody(reading("queue size", "How many items it has", {name}, {}, size)),
    concerning(concern::answered,
               reading("queue peek", "The first items that live in a queue",
                       {name, limit_argument(10, 1'000)}, {items}, peek)),
    queue_ring_command(),
    operating(doing("queue suspend", "Accept, but hand out nothing", {name},
                    suspend(true))),
    operating(doing("queue resume", "Hand out again", {name}, suspend(false))),
    doing("queue set", "Change what holds for all users of a queue",
          {name,
           allocation,
           {"--concurrency", "concurrency", kind::limit, "N",
            "Items per user in process; or none"},
           {"--pending-limit", "pending_limit", kind::limit, "N",
            "Items per user waiting; or none"},
           {"--attempts-max", "attempts_max", kind::limit, "N",
            "Attempts per item; or none"},
           retry_delay,
           fair,
           quotas[0],
           quotas[1]},
          set),
    asking(
      "Remove all items of this queue for good, also those that somebody works "
      "on?",
      slow(doing("queue purge", "Remove all items, claimed ones too", {name},
                 purge))),
  };
}

} // namespace depositd::operators
