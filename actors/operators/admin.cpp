#include "actors/operators/command.hpp"
#include "messages/shard.hpp"
#include "messages/values/names.hpp"

#include <caf/sec.hpp>

namespace depositd::operators {

namespace {

/// Changes that wait for their turn; more are refused.
constexpr std::size_t changes_max = 1'000;

/// CAF's own errors say nothing to an operator.
caf::error explained(const caf::error& problem) {
  if (problem == caf::sec::request_timeout)
    return refuse(ec::overloaded, "the engine did not answer in time");
  if (problem.category() != caf::atom("depositd"))
    return refuse(ec::draining, "this part of the engine is not running ("
                                  + render(problem) + ")");
  // Without a text of its own only the number would reach the shell's user.
  return refuse(static_cast<ec>(problem.code()), render(problem));
}

} // namespace

void deliver(const admin_call_ptr& call, const document& x) {
  call->answer.deliver(admin_reply{to_text(x)});
}

void refuse(const admin_call_ptr& call, const caf::error& problem) {
  call->answer.deliver(explained(problem));
}

void refuse(const admin_call_ptr& call, ec code, std::string text) {
  refuse(call, refuse(code, std::move(text)));
}

void audit(admin_pointer self, const admin_call_ptr& call,
           const document& before, const document& after,
           const std::string& result) {
  const auto ascii = [](const document& x) {
    return x.dump(-1, ' ', true, document::error_handler_t::replace);
  };
  self->state.options.audit->info(
    "audit who={} command={} arguments={} before={} after={} result={}",
    call->who, ascii(call->command),
    call->arguments.redacted(find_command(call->command)->row), ascii(before),
    ascii(after), ascii(result));
}

namespace {

// -- changes ------------------------------------------------------------------

void make_next_change(admin_pointer self);

void finish_change(admin_pointer self) {
  self->state.changes.pop_front();
  make_next_change(self);
}

void refuse_change(admin_pointer self, const admin_call_ptr& call,
                   const caf::error& problem) {
  audit(self, call, nullptr, nullptr, render(explained(problem)));
  refuse(call, problem);
  finish_change(self);
}

void propose_change(admin_pointer self, const admin_call_ptr& call,
                    const control_state& now) {
  const auto& row = *find_command(call->command);
  auto decided = std::get<decide_function>(row.run)(call->arguments, now);
  if (!decided)
    return refuse_change(self, call, decided.error());
  const auto answer = [=, before = decided->before,
                       after = decided->after](const char* result) {
    audit(self, call, before, after, result);
    deliver(call, after);
    finish_change(self);
  };
  if (decided->events.empty())
    return answer("no change");
  self
    ->request(self->state.options.shard, self->state.options.timeout,
              propose{std::move(decided->events)})
    .then([=](done) { answer("done"); },
          [=](const caf::error& x) { refuse_change(self, call, x); });
}

void make_next_change(admin_pointer self) {
  if (self->state.changes.empty())
    return;
  const auto call = self->state.changes.front();
  self
    ->request(self->state.options.shard, self->state.options.timeout,
              watch_control{nullptr})
    .then(
      [=](const control_changed& x) { propose_change(self, call, *x.state); },
      [=](const caf::error& x) { refuse_change(self, call, x); });
}

void add_change(admin_pointer self, const admin_call_ptr& call) {
  if (self->state.changes.size() >= changes_max)
    return refuse(call, ec::overloaded, "too many changes are waiting");
  self->state.changes.push_back(call);
  if (self->state.changes.size() == 1)
    make_next_change(self);
}

// -- routing ------------------------------------------------------------------

std::string name_of(const caf::strong_actor_ptr& sender) {
  return sender ? caf::to_string(sender->node()) : "local";
}

void start_call(admin_pointer self, const admin_call_ptr& call) {
  const auto found = find_command(call->command);
  if (!found)
    return refuse(call, ec::not_found,
                  "this engine has no command " + shown(call->command));
  const auto run = std::get_if<run_function>(&found->run);
  if (const auto wrong = call->arguments.check(found->row)) {
    if (!run)
      audit(self, call, nullptr, nullptr, render(wrong));
    refuse(call, wrong);
  } else if (run) {
    (*run)(self, call);
  } else {
    add_change(self, call);
  }
}

caf::result<admin_reply> start(admin_pointer self, const admin_request& x) {
  if (x.command == publish_commands) {
    static const auto text = to_json_text(published_commands());
    return admin_reply{text};
  }
  auto arguments = admin_arguments::parse(x.arguments);
  if (!arguments)
    return std::move(arguments.error());
  auto call = std::make_shared<admin_call>();
  // Before the promise, which takes the sender over.
  call->who = name_of(self->current_sender());
  call->answer = self->make_response_promise<admin_reply>();
  call->command = x.command;
  call->arguments = std::move(*arguments);
  start_call(self, call);
  return call->answer;
}

/// The node is watched: its name goes with it. Claims are found by that name,
/// so no two nodes may have the same at once.
caf::result<node_joined> take_node(admin_pointer self, const join_node& x) {
  const auto& options = self->state.options;
  if (!options.stores || !x.manager)
    return refuse(ec::invalid_argument, "this engine takes no nodes");
  if (!legal_processor_name(x.name))
    return refuse(ec::invalid_argument, "this is no name for a node");
  auto& nodes = self->state.nodes;
  const auto known = nodes.find(x.name);
  if (known != nodes.end() && known->second.node() != x.manager.node())
    return refuse(ec::already_exists,
                  "a node named " + x.name
                    + " has joined and is not known to be gone");
  nodes[x.name] = x.manager;
  self->monitor(x.manager);
  options.audit->info("node_joined name={} at={}", x.name,
                      caf::to_string(x.manager.node()));
  return node_joined{options.engine, options.shard, options.stores};
}

void node_gone(admin_pointer self, const caf::actor_addr& who) {
  std::erase_if(self->state.nodes, [&](const auto& entry) {
    if (entry.second.address() != who)
      return false;
    self->state.options.audit->warn("node_gone name={}", entry.first);
    return true;
  });
}

} // namespace

admin_actor::behavior_type
admin(admin_actor::stateful_pointer<admin_state> self, admin_options options) {
  self->state.started_us = options.clock.at(self->clock().now());
  self->state.options = std::move(options);
  self->set_down_handler(
    [=](const caf::down_msg& x) { node_gone(self, x.source); });
  return {
    [=](const admin_request& x) { return start(self, x); },
    [=](const connect_native&) -> caf::result<native_actor> {
      if (!self->state.options.native)
        return refuse(ec::draining, "there is no native door");
      return self->state.options.native;
    },
    [=](const join_node& x) { return take_node(self, x); },
    [=](const meet_engine& x) -> caf::result<engine_met> {
      if (!self->state.options.meet)
        return refuse(ec::invalid_argument, "this engine shares no users");
      return self->state.options.meet(x);
    },
  };
}

} // namespace depositd::operators
