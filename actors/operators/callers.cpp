// Who sends commands, and operators who sign in.

#include "actors/operators/calls.hpp"

#include "messages/senders.hpp"
#include "messages/shard.hpp"
#include "messages/values/names.hpp"
#include "messages/values/password_hash.hpp"
#include "messages/values/words.hpp"

namespace depositd::operators {

namespace {

namespace access = rules::access;

/// Who has passwords checked at a time, and how many of them each.
constexpr std::size_t signing_in_max = 100;
constexpr std::size_t signing_in_each_max = 8;
constexpr std::size_t signed_in_max = 1'000;
constexpr std::uint32_t refusal_lines_per_second = 10;

std::optional<peer> peer_of(admin_pointer self, const caf::node_id& node) {
  const auto& peers = self->state.options.peers;
  return peers ? peers->peer_of(node) : std::nullopt;
}

/// Empty if nobody has, over this connection.
std::string signed_in_at(admin_pointer self, const caf::node_id& node,
                         const peer& who) {
  const auto at = self->state.signed_in.find(node);
  const bool same = at != self->state.signed_in.end() && !who.forwarded
                    && same_holder(at->second.who, who);
  return same ? at->second.name : "";
}

caller caller_at(admin_pointer self, const peer& who, const std::string& name,
                 const shared_map<std::string, operator_changed>& known) {
  // An operator who was removed meanwhile is who the connection says.
  if (const auto at = known.find(name); at != known.end())
    return access::signed_in_caller(at->second);
  const auto& options = self->state.options;
  const auto account = who.kind == peer_kind::account
                         ? options.account_name(who.account)
                         : std::string{};
  return access::caller_at(who, account, options.given->own(), known);
}

/// Forgets connections that are gone.
void forget_gone(admin_pointer self) {
  std::erase_if(self->state.signed_in, [&](const auto& entry) {
    const auto now = peer_of(self, entry.first);
    return !now || !same_holder(*now, entry.second.who);
  });
}

caf::error remember(admin_pointer self, const caf::node_id& node,
                    const peer& who, const std::string& name) {
  auto& known = self->state.signed_in;
  forget_gone(self);
  if (known.size() >= signed_in_max)
    return refuse(ec::overloaded, "too many operators have signed in");
  known[node] = {who, name};
  return caf::none;
}

caf::error check_form(admin_pointer self, const sign_in& x,
                      const std::optional<peer>& who) {
  const auto& state = self->state;
  if (!who || !access::may_sign_in(*who))
    return refuse(ec::not_allowed, "nobody can sign in over this connection");
  if (!legal_user_name(x.name) || x.password.size() > password_bytes_max)
    return refuse(ec::wrong_credentials, "wrong operator or password");
  if (!state.options.passwords)
    return refuse(ec::not_allowed, "nobody can sign in to this engine");
  const auto at = state.signing_in.find(access::holder_of(*who));
  if (at != state.signing_in.end() ? at->second >= signing_in_each_max
                                   : state.signing_in.size() >= signing_in_max)
    return refuse(ec::overloaded, "too many are signing in; try again");
  return caf::none;
}

/// One who signs in, until it is known how that ends.
struct newcomer {
  caf::node_id node;
  peer who;
  sign_in said;
  caf::typed_response_promise<signed_in> answer;

  void refuse(const caf::error& why) {
    answer.deliver(why);
  }
};

void count_out(admin_pointer self, const peer& who) {
  const auto at = self->state.signing_in.find(access::holder_of(who));
  if (--at->second == 0)
    self->state.signing_in.erase(at);
}

void end_check(admin_pointer self, newcomer who, const operator_changed* known,
               bool right) {
  if (!right || !known)
    return who.refuse(
      refuse(ec::wrong_credentials, "wrong operator or password"));
  if (auto wrong = remember(self, who.node, who.who, known->name))
    return who.refuse(wrong);
  self->state.options.audit->info("signed_in operator={} from=\"{}\"",
                                  known->name, access::holder_of(who.who));
  who.answer.deliver(signed_in{word(known->role)});
}

void check_newcomer(admin_pointer self, newcomer who,
                    const control_snapshot& control) {
  const auto at = control->operators.find(who.said.name);
  const auto* known = at == control->operators.end() ? nullptr : &at->second;
  const auto& options = self->state.options;
  self
    ->request(options.passwords, options.timeout,
              check_password{who.said.name, access::holder_of(who.who),
                             known ? known->password_hash : "",
                             who.said.password})
    .then(
      [=](const password_checked& x) { // `control` keeps `known` alive
        count_out(self, who.who);
        end_check(self, who, control ? known : nullptr, x.right);
      },
      [=](const caf::error& why) mutable {
        count_out(self, who.who);
        who.refuse(why);
      });
}

} // namespace

std::optional<peer> peer_at(admin_pointer self,
                            const caf::strong_actor_ptr& sender) {
  return sender ? peer_of(self, sender->node()) : std::nullopt;
}

void with_caller(admin_pointer self, const caf::strong_actor_ptr& sender,
                 std::function<void(const caf::expected<caller>&)> use) {
  if (is_of_this_process(self, sender))
    return use(access::engine_itself());
  const auto who = peer_at(self, sender);
  if (!who)
    return use(caller{.who = "somebody unknown"});
  const auto name = signed_in_at(self, sender->node(), *who);
  const bool is_certain = access::is_own(*who, self->state.options.given->own())
                          || who->kind != peer_kind::certificate;
  if (name.empty() && is_certain)
    return use(caller_at(self, *who, "", {}));
  self
    ->request(self->state.options.shard, self->state.options.timeout,
              watch_control{nullptr})
    .then(
      [=](const control_changed& x) {
        use(caller_at(self, *who, name, x.state->operators));
      },
      [=](const caf::error& why) { use(why); });
}

caf::result<signed_in> sign_in_there(admin_pointer self, const sign_in& x) {
  const auto sender = self->current_sender();
  const auto who = peer_at(self, sender);
  if (auto wrong = check_form(self, x, who)) {
    log_refusal(self, {.who = who ? access::holder_of(*who) : "a stranger"},
                "sign_in", wrong);
    return wrong;
  }
  ++self->state.signing_in[access::holder_of(*who)];
  newcomer one{sender->node(), *who, x,
               self->make_response_promise<signed_in>()};
  self
    ->request(self->state.options.shard, self->state.options.timeout,
              watch_control{nullptr})
    .then(
      [=](const control_changed& control) {
        check_newcomer(self, one, control.state);
      },
      [=](const caf::error& why) mutable {
        count_out(self, one.who);
        one.refuse(why);
      });
  return one.answer;
}

void log_refusal(admin_pointer self, const caller& who, const std::string& what,
                 const caf::error& why) {
  auto& lines = self->state.refusals;
  const auto now = self->clock().now();
  if (now - lines.second >= std::chrono::seconds{1})
    lines = {now, 0, lines.left_out};
  if (++lines.in_second > refusal_lines_per_second) {
    ++lines.left_out;
    return;
  }
  self->state.options.audit->warn(
    "refused who={} what={} reason={} left_out={}", shown(who.who), shown(what),
    shown(render(why)), std::exchange(lines.left_out, 0));
}

} // namespace depositd::operators
