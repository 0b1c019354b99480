#include "actors/operators/command.hpp"
#include "messages/shard.hpp"
#include "messages/values/json_text.hpp"
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
  // Without a text of its own only the number would reach the shell's user. A
  // wrong setting is wrong usage of the engine, of a command it is a refusal.
  const auto code = problem == ec::bad_setting
                      ? ec::invalid_argument
                      : static_cast<ec>(problem.code());
  return refuse(code, render(problem));
}

} // namespace

void deliver(const admin_call_ptr& call, const document& x) {
  call->answer.deliver(admin_reply{to_text(x)});
}

void refuse(const admin_call_ptr& call, const caf::error& problem) {
  auto why = explained(problem);
  if (call->owes_line)
    audit(call, call->before, nullptr, render(why));
  call->answer.deliver(std::move(why));
}

void refuse(const admin_call_ptr& call, ec code, std::string text) {
  refuse(call, refuse(code, std::move(text)));
}

void audit(const admin_call_ptr& call, const document& before,
           const document& after, const std::string& result) {
  call->owes_line = false;
  const auto ascii = [](const document& x) { return ascii_json_text(x); };
  call->audit->info(
    "audit who={} command={} arguments={} before={} after={} result={}",
    ascii(call->by.who), ascii(call->command),
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
  refuse(call, problem);
  finish_change(self);
}

void propose_change(admin_pointer self, const admin_call_ptr& call,
                    const control_state& now) {
  const auto& row = *find_command(call->command);
  if (row.check)
    if (const auto wrong = row.check(self->state.options, call->arguments))
      return refuse_change(self, call, wrong);
  auto decided = std::get<decide_function>(row.run)(call->arguments, now);
  if (!decided)
    return refuse_change(self, call, decided.error());
  const auto answer = [=, before = decided->before,
                       after = decided->after](const char* result) {
    audit(call, before, after, result);
    if (const auto& then = find_command(call->command)->then)
      then(self, call, after);
    else
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

void change_what_is_set(admin_pointer self, const admin_call_ptr& call) {
  self
    ->request(self->state.options.shard, self->state.options.timeout,
              watch_control{nullptr})
    .then(
      [=](const control_changed& x) { propose_change(self, call, *x.state); },
      [=](const caf::error& x) { refuse_change(self, call, x); });
}

void make_next_change(admin_pointer self) {
  if (self->state.changes.empty())
    return;
  const auto call = self->state.changes.front();
  const auto& ask_first = find_command(call->command)->ask_first;
  if (!ask_first)
    return change_what_is_set(self, call);
  ask_first(self, call, [=](const caf::error& objection) {
    if (objection)
      refuse_change(self, call, objection);
    else
      change_what_is_set(self, call);
  });
}

void add_change(admin_pointer self, const admin_call_ptr& call) {
  if (self->state.changes.size() >= changes_max)
    return refuse(call, ec::overloaded, "too many changes are waiting");
  self->state.changes.push_back(call);
  if (self->state.changes.size() == 1)
    make_next_change(self);
}

namespace access = rules::access;

// -- routing ------------------------------------------------------------------

/// Whoever looks at what is not for them is in the audit log too. Strangers
/// could fill it.
void refuse_call(admin_pointer self, const admin_call_ptr& call,
                 const caf::error& why) {
  if (why == ec::not_allowed) {
    call->owes_line = call->by.looks || call->by.works;
    if (!call->owes_line)
      log_refusal(self, call->by, call->command, why);
  }
  refuse(call, why);
}

/// `wrong`: why the arguments cannot be read, if they can't.
void start_call(admin_pointer self, const admin_call_ptr& call,
                const caf::error& wrong) {
  const auto found = find_command(call->command);
  if (!found)
    return refuse(call, ec::not_found,
                  "this engine has no command " + shown(call->command));
  call->owes_line = !found->row.reads;
  if (const auto why = check_rights(*call, *found, wrong))
    return refuse_call(self, call, why);
  if (const auto run = std::get_if<run_function>(&found->run))
    (*run)(self, call);
  else
    add_change(self, call);
}

/// `with` goes on with whoever gives the command.
template <class With>
caf::result<admin_reply> start(admin_pointer self, const admin_request& x,
                               With with) {
  // Says nothing of this engine but its version.
  if (x.command == publish_commands) {
    static const auto text = to_json_text(published_commands());
    return admin_reply{text};
  }
  // Before the promise, which takes the sender over.
  const auto sender = self->current_sender();
  auto place = place_for(self, sender);
  if (!place)
    return refuse(ec::overloaded, "too many commands at once wait for answers");
  auto arguments = admin_arguments::parse(x.arguments);
  auto call = std::make_shared<admin_call>();
  call->place = std::move(place);
  call->answer = self->make_response_promise<admin_reply>();
  call->command = x.command;
  call->audit = self->state.options.audit;
  const auto wrong = arguments ? caf::error{} : arguments.error();
  if (arguments)
    call->arguments = std::move(*arguments);
  call->arguments.came(self->state.options.clock.at(self->clock().now()));
  with(sender, [=](const caf::expected<caller>& who) {
    if (!who)
      return refuse(call, who.error());
    call->by = *who;
    start_call(self, call, wrong);
  });
  return call->answer;
}

caf::result<admin_reply> start(admin_pointer self, const admin_request& x) {
  return start(self, x, [=](const auto& sender, auto use) {
    with_caller(self, sender, std::move(use));
  });
}

caf::result<admin_reply> start(admin_pointer self, const command_as& x) {
  return start(self, x.what, [&](const auto& sender, auto use) {
    with_operator_at_door(self, sender, x, std::move(use));
  });
}

// -- other nodes --------------------------------------------------------------

/// Answers a node that is let in, and takes down that it was.
template <class Answer, class May, class Use>
caf::result<Answer> let_in(admin_pointer self, const char* what, May may,
                           Use use) {
  const auto sender = self->current_sender();
  auto promise = self->make_response_promise<Answer>();
  with_caller(self, sender, [=](const caf::expected<caller>& who) mutable {
    if (!who) {
      promise.deliver(who.error());
    } else if (const auto why = may(*who)) {
      log_refusal(self, *who, what, why);
      promise.deliver(why);
    } else if (auto answer = use(peer_at(self, sender), *who)) {
      promise.deliver(std::move(*answer));
    } else {
      promise.deliver(std::move(answer.error()));
    }
  });
  return promise;
}

/// The right to work for the engine.
auto may_work(const char* what) {
  return [=](const caller& who) {
    return who.works ? caf::error{}
                     : access::refusal(what, operator_role::node, who);
  };
}

caf::result<native_actor> open_native(admin_pointer self) {
  return let_in<native_actor>(
    self, "connect_native", may_work("connect_native"),
    [=](const std::optional<peer>& who,
        const caller& as) -> caf::expected<native_actor> {
      const auto& options = self->state.options;
      if (!options.native)
        return refuse(ec::draining, "there is no native door");
      if (who)
        options.given->let_in(*who, as.operator_name);
      options.given->hand_out(options.native, self->node());
      return options.native;
    });
}

/// The node is watched: its name goes with it. Claims are found by that name,
/// so no two nodes may have the same at once. `at`: the node that says it.
caf::expected<node_joined> take_node(admin_pointer self, const join_node& x,
                                     const caf::node_id& at,
                                     const std::optional<peer>& who,
                                     const caller& as) {
  const auto& options = self->state.options;
  if (!options.stores || !x.manager)
    return refuse(ec::invalid_argument, "this engine takes no nodes");
  if (!legal_processor_name(x.name))
    return refuse(ec::invalid_argument, "this is no name for a node");
  // Another node's could be put in its place, or end its name.
  if (who && x.manager.node() != at)
    return refuse(ec::invalid_argument, "this manager is of another node");
  auto& nodes = self->state.nodes;
  const auto known = nodes.find(x.name);
  if (known != nodes.end() && known->second.node() != x.manager.node())
    return refuse(ec::already_exists,
                  "a node named " + x.name
                    + " has joined and is not known to be gone");
  nodes[x.name] = x.manager;
  self->monitor(x.manager);
  if (who)
    options.given->let_in(*who, as.operator_name);
  options.given->hand_out(options.shard_for_nodes, self->node());
  options.given->hand_out(options.stores, self->node());
  options.audit->info("node_joined name={} at={}", x.name,
                      caf::to_string(x.manager.node()));
  return node_joined{options.engine, options.shard_for_nodes, options.stores,
                     options.work_folder_id};
}

caf::result<engine_met> meet(admin_pointer self, const meet_engine& x) {
  const auto may = [](const caller& who) {
    return who.is_engine
             ? caf::error{}
             : refuse(ec::not_allowed,
                      "meet_engine needs the account or the certificate of an "
                      "engine (operators.administrators), and "
                        + who.who + " is none");
  };
  return let_in<engine_met>(
    self, "meet_engine", may,
    [=](const std::optional<peer>& who,
        const caller&) -> caf::expected<engine_met> {
      const auto& options = self->state.options;
      if (!options.meet)
        return refuse(ec::invalid_argument, "this engine shares no users");
      if (who)
        options.given->take_engine(*who);
      return options.meet(x);
    });
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

admin_actor::behavior_type admin(actor_with<admin_state>* self,
                                 admin_options options) {
  self->state.started_us = options.clock.at(self->clock().now());
  self->state.options = std::move(options);
  self->set_down_handler(
    [=](const caf::down_msg& x) { node_gone(self, x.source); });
  return {
    [=](const admin_request& x) { return start(self, x); },
    [=](const sign_in& x) { return sign_in_there(self, x); },
    [=](const command_as& x) { return start(self, x); },
    [=](const log_in& x) { return log_in_at_door(self, x); },
    [=](const know_token& x) { return know_holder(self, x); },
    [=](const connect_native&) { return open_native(self); },
    [=](const join_node& x) {
      const auto sender = self->current_sender();
      const auto at = sender ? sender->node() : caf::node_id{};
      return let_in<node_joined>(
        self, "join_node", may_work("join_node"),
        [=](const std::optional<peer>& who, const caller& as) {
          return take_node(self, x, at, who, as);
        });
    },
    [=](const meet_engine& x) { return meet(self, x); },
  };
}

} // namespace depositd::operators
