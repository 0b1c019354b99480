#include "adapters/doors/operations/api_answers.hpp"
#include "adapters/doors/operations/api_parts.hpp"
#include "adapters/doors/operations/openapi.hpp"

#include <utility>

namespace depositd {

namespace {

constexpr auto table_patience = std::chrono::seconds{10};

void describe(api_pointer self, const api_call_ptr& call) {
  with_commands(self, call, [=](const auto& known) {
    auto& text = self->state.description;
    if (text.empty())
      text = openapi_text(known->table, self->state.options.version);
    call->from.answer->send(api_document(200, text));
  });
}

/// Goes on for whoever may see the numbers of queues, which are asked for: the
/// register has the say, and a session outlives its operator.
void for_who_may_look(api_pointer self, const api_call_ptr& call,
                      std::function<void()> go_on) {
  give(self, call, "queue list", R"({"limit":1})", table_patience,
       [go_on = std::move(go_on)](const std::string&) { go_on(); });
}

/// Goes on for whoever may see what is of all users: operators who are limited
/// to some are refused the settings, too.
void for_who_may_see_all(api_pointer self, const api_call_ptr& call,
                         std::function<void()> go_on) {
  give(self, call, "settings", "{}", table_patience,
       [go_on = std::move(go_on)](const std::string&) { go_on(); });
}

void tell_of_what_is_measured(
  const api_call_ptr& call,
  const std::function<void(std::shared_ptr<http::responder>)>& tell) {
  if (tell)
    tell(call->from.answer);
  else
    call->from.answer->send(
      api_refusal(404, "not_found", "nobody measures this engine"));
}

void tell_of_clients(api_pointer self, const api_call_ptr& call) {
  for_who_may_see_all(self, call, [=] {
    const auto& clients = self->state.options.nsq_clients;
    call->from.answer->send(api_document(
      200, clients ? clients() : R"({"clients":[],"more":false})"));
  });
}

void answer(api_pointer self, const api_call_ptr& call) {
  switch (call->from.question) {
    case api_question::log_in:
      return;
    case api_question::who:
      return tell_visitor(self, call);
    case api_question::log_out:
      return log_out_visitor(self, call);
    case api_question::commands:
      return with_commands(self, call, [=](const auto& known) {
        call->from.answer->send(api_document(200, known->text));
      });
    case api_question::description:
      return describe(self, call);
    case api_question::history:
      return for_who_may_look(self, call, [=] {
        tell_of_what_is_measured(call, self->state.options.history);
      });
    case api_question::metrics: // which name users
      return for_who_may_see_all(self, call, [=] {
        tell_of_what_is_measured(call, self->state.options.metrics);
      });
    case api_question::clients:
      return tell_of_clients(self, call);
    case api_question::call:
      return run_command(self, call);
    case api_question::watch:
      return open_watch(self, call);
  }
}

void take(api_pointer self, const api_request& x) {
  if (x.question == api_question::log_in)
    return log_in_visitor(self, x);
  with_visitor(self, x, [=](const api_call_ptr& call) { answer(self, call); });
}

void count_out(api_pointer self, const std::string& whose) {
  auto& state = self->state;
  const auto at = state.streams.find(whose);
  if (at == state.streams.end())
    return;
  --state.streams_all;
  if (--at->second == 0)
    state.streams.erase(at);
}

std::shared_ptr<const published_table> table_of(const std::string& text) {
  auto table = parse_command_table(text);
  if (!table)
    return nullptr;
  auto out = std::make_shared<published_table>();
  out->text = text;
  out->table = std::move(*table);
  for (const auto& row : out->table.commands) {
    out->by_words[row.words] = &row;
    if (!row.alias.empty())
      out->by_words[row.alias] = &row;
  }
  return out;
}

} // namespace

const command_spec* published_table::find(const std::string& words) const {
  const auto at = by_words.find(words);
  return at == by_words.end() ? nullptr : at->second;
}

micros api_now(api_pointer self) {
  return self->state.options.clock.at(self->clock().now());
}

void with_commands(
  api_pointer self, const api_call_ptr& call,
  std::function<void(const std::shared_ptr<const published_table>&)> go_on) {
  if (const auto known = self->state.commands)
    return go_on(known);
  const auto refuse = [=](const caf::error& why) {
    call->from.answer->send(api_refusal(why));
  };
  self
    ->request(self->state.options.admin, table_patience,
              admin_request{publish_commands, "{}"})
    .then(
      [=](const admin_reply& x) {
        const auto table = table_of(x.document);
        if (!table)
          return refuse(ec::draining);
        self->state.commands = table;
        go_on(table);
      },
      refuse);
}

api_door_self::behavior_type api_door(api_pointer self, api_options options) {
  auto& state = self->state;
  state.options = std::move(options);
  kit::session_limits limits;
  limits.age_max = state.options.session_age_max;
  limits.idle_max = std::min(limits.idle_max, limits.age_max);
  state.sessions.emplace(limits);
  return {
    [=](const api_request& x) { take(self, x); },
    [=](const api_head& x) { look_ahead(self, x); },
    [=](const api_stream_gone& x) { count_out(self, x.whose); },
    [=](const api_password_hashed& x) {
      --self->state.hashing;
      x.use(x.hash);
    },
  };
}

} // namespace depositd
