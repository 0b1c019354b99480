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
/// Of a node: who sends on without waiting for answers would have all others
/// wait for theirs.
constexpr long commands_at_once_max = 64;
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

/// A password that somebody gives, until it is known whether it is right.
struct password_try {
  std::string name;
  std::string password;
  std::string from; ///< of whom tries are counted
};

caf::error wrong_login() {
  return refuse(ec::wrong_credentials, "wrong operator or password");
}

caf::error check_form(admin_pointer self, const password_try& x) {
  const auto& state = self->state;
  if (!legal_user_name(x.name) || x.password.size() > password_bytes_max)
    return wrong_login();
  if (!state.options.passwords)
    return refuse(ec::not_allowed, "nobody can sign in to this engine");
  const auto at = state.signing_in.find(x.from);
  if (at != state.signing_in.end() ? at->second >= signing_in_each_max
                                   : state.signing_in.size() >= signing_in_max)
    return refuse(ec::overloaded, "too many are signing in; try again");
  return caf::none;
}

void count_out(admin_pointer self, const std::string& from) {
  const auto at = self->state.signing_in.find(from);
  if (--at->second == 0)
    self->state.signing_in.erase(at);
}

/// Gets the operator whose password it was, or why not.
using with_operator =
  std::function<void(const caf::expected<operator_changed>&)>;

void check_secret(admin_pointer self, const password_try& x,
                  const control_snapshot& control, const with_operator& use) {
  const auto at = control->operators.find(x.name);
  const auto* known = at == control->operators.end() ? nullptr : &at->second;
  const auto& options = self->state.options;
  self
    ->request(options.passwords, options.timeout,
              check_password{x.name, x.from, known ? known->password_hash : "",
                             x.password})
    .then(
      [=, from = x.from](const password_checked& answer) {
        count_out(self, from);
        if (answer.right && control && known) // `control` keeps it alive
          use(*known);
        else
          use(wrong_login());
      },
      [=, from = x.from](const caf::error& why) {
        count_out(self, from);
        use(why);
      });
}

/// Checks a password whose form is right.
void try_password(admin_pointer self, const password_try& x,
                  const with_operator& use) {
  ++self->state.signing_in[x.from];
  self
    ->request(self->state.options.shard, self->state.options.timeout,
              watch_control{nullptr})
    .then(
      [=](const control_changed& control) {
        check_secret(self, x, control.state, use);
      },
      [=](const caf::error& why) {
        count_out(self, x.from);
        use(why);
      });
}

void log_entry(admin_pointer self, const operator_changed& as,
               const std::string& from) {
  self->state.options.audit->info("signed_in operator={} from={}", as.name,
                                  shown(from));
}

} // namespace

std::optional<peer> peer_at(admin_pointer self,
                            const caf::strong_actor_ptr& sender) {
  return sender ? peer_of(self, sender->node()) : std::nullopt;
}

std::shared_ptr<const void> place_for(admin_pointer self,
                                      const caf::strong_actor_ptr& sender) {
  auto& places = self->state.places;
  // Commands are over when nothing holds them any more, wherever they ended.
  std::erase_if(places,
                [](const auto& x) { return x.second.use_count() == 1; });
  if (!sender || sender->node() == self->node())
    return std::make_shared<const char>();
  auto& own = places[sender->node()];
  if (!own)
    own = std::make_shared<const char>();
  return own.use_count() > commands_at_once_max ? nullptr : own;
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
  const auto from = who ? access::holder_of(*who) : "a stranger";
  const password_try given{x.name, x.password, from};
  const auto wrong =
    who && access::may_sign_in(*who)
      ? check_form(self, given)
      : refuse(ec::not_allowed, "nobody can sign in over this connection");
  if (wrong) {
    log_refusal(self, {.who = from}, "sign_in", wrong);
    return wrong;
  }
  auto answer = self->make_response_promise<signed_in>();
  try_password(self, given,
               [=, node = sender->node(),
                who = *who](const caf::expected<operator_changed>& as) mutable {
                 auto wrong =
                   as ? remember(self, node, who, as->name) : as.error();
                 if (wrong) {
                   answer.deliver(std::move(wrong));
                 } else {
                   log_entry(self, *as, from);
                   answer.deliver(signed_in{word(as->role)});
                 }
               });
  return answer;
}

caf::result<logged_in> log_in_at_door(admin_pointer self, const log_in& x) {
  if (auto wrong = check_door(self, self->current_sender(), "log_in"))
    return wrong;
  const password_try given{x.name, x.password, "address " + x.from};
  if (auto wrong = check_form(self, given)) {
    log_refusal(self, {.who = given.from}, "log_in", wrong);
    return wrong;
  }
  auto answer = self->make_response_promise<logged_in>();
  try_password(self, given,
               [=](const caf::expected<operator_changed>& as) mutable {
                 if (!as) {
                   answer.deliver(as.error());
                 } else {
                   log_entry(self, *as, given.from);
                   answer.deliver(
                     logged_in{as->name, word(as->role), as->password_hash});
                 }
               });
  return answer;
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
