// Who may operate the engine, beside its own account and certificate.

#include "actors/operators/command.hpp"

#include "messages/shard.hpp"
#include "messages/values/hex.hpp"
#include "messages/values/names.hpp"
#include "messages/values/password_hash.hpp"
#include "messages/values/words.hpp"

#include <strings.h>

#include <map>

namespace depositd::operators {

namespace about_operators {
namespace {

document operator_document(const operator_changed& x) {
  return {{"name", x.name},
          {"role", word(x.role)},
          {"password", !x.password_hash.empty()},
          {"users", x.users},
          {"collections", x.collections}};
}

/// Nothing that the token could be known by.
document token_document(const operator_token_changed& x) {
  return {{"operator", x.operator_name},
          {"name", x.name},
          {"expires_at", time_or_null(x.expires_us)}};
}

operator_token_changed token_removed(const std::string& of,
                                     const std::string& name) {
  return {of, name, "", never, true};
}

caf::error check_names(const char* what,
                       const std::vector<std::string>& names) {
  for (const auto& name : names)
    if (!legal_user_name(name))
      return refuse(ec::invalid_argument, std::string{what}
                                            + " must be names, "
                                              "not "
                                            + shown(name));
  return caf::none;
}

/// Takes over what is given; the rest stays as it is.
caf::error take(const admin_arguments& in, operator_changed& to) {
  if (const auto role = find_word<operator_role>(in.text("role")))
    to.role = *role;
  if (in.has("users"))
    to.users = in.texts("users");
  if (in.has("collections"))
    to.collections = in.texts("collections");
  if (in.has("password_hash"))
    to.password_hash = in.text("password_hash");
  if (in.has("password_hash") && !legal_password_hash(to.password_hash))
    return refuse(ec::invalid_argument,
                  "password_hash is no Argon2id hash with m=19456, t=2, p=1");
  if (auto problem = check_names("users", to.users))
    return problem;
  if (auto problem = check_names("collections", to.collections))
    return problem;
  if (to.role == operator_role::node
      && !(to.users.empty() && to.collections.empty()))
    return refuse(ec::invalid_argument,
                  "a node works for all users and collections");
  return caf::none;
}

caf::error unknown(const std::string& name) {
  return refuse(ec::not_found,
                "there is no operator " + name + "; see operator add");
}

void list(admin_pointer self, const admin_call_ptr& call) {
  with_control(self, call, [=](const control_snapshot& control) {
    document out;
    add_page(out, "operators", control->operators, call->arguments,
             [](const auto& x) { return operator_document(x.second); });
    deliver(call, out);
  });
}

change add(const admin_arguments& in, const control_state& now) {
  operator_changed after;
  after.name = in.text("name");
  if (in.text("role").empty())
    return refuse(ec::invalid_argument, "role must be given");
  if (auto problem = take(in, after))
    return problem;
  // Names are compared with case, but people do not tell such two apart.
  for (const auto& [name, known] : now.operators)
    if (strcasecmp(name.c_str(), after.name.c_str()) == 0)
      return refuse(ec::already_exists,
                    "there is an operator " + name + " already");
  return admin_change{{after}, nullptr, operator_document(after)};
}

change set(const admin_arguments& in, const control_state& now) {
  const auto at = now.operators.find(in.text("name"));
  if (at == now.operators.end())
    return unknown(in.text("name"));
  auto after = at->second;
  if (auto problem = take(in, after))
    return problem;
  return changed(at->second, after, operator_document);
}

change remove(const admin_arguments& in, const control_state& now) {
  const auto at = now.operators.find(in.text("name"));
  if (at == now.operators.end())
    return unknown(in.text("name"));
  operator_changed after;
  after.name = at->first;
  after.removed = true;
  std::vector<event> events;
  for (const auto& [key, token] : now.operator_tokens)
    if (key.first == after.name)
      events.emplace_back(token_removed(key.first, key.second));
  events.emplace_back(after);
  return admin_change{std::move(events),
                      operator_document(at->second),
                      {{"name", after.name}, {"removed", true}}};
}

// -- API tokens ---------------------------------------------------------------

void list_tokens(admin_pointer self, const admin_call_ptr& call) {
  const auto name = call->arguments.text("name");
  with_control(self, call, [=](const control_snapshot& control) {
    if (!name.empty() && !control->operators.contains(name))
      return refuse(call, unknown(name));
    std::map<std::string, operator_token_changed> tokens;
    for (const auto& [key, token] : control->operator_tokens)
      if (name.empty() || key.first == name)
        tokens[key.first + '/' + key.second] = token;
    document out;
    add_page(out, "tokens", tokens, call->arguments,
             [](const auto& x) { return token_document(x.second); });
    deliver(call, out);
  });
}

change add_token(const admin_arguments& in, const control_state& now) {
  const operator_token_changed after{in.text("name"), in.text("token_name"),
                                     in.text("digest"), in.number("expires")};
  if (!now.operators.contains(after.operator_name))
    return unknown(after.operator_name);
  if (!is_sha256_hex(after.digest))
    return refuse(ec::invalid_argument,
                  "digest is no SHA-256 in lower case hexadecimal");
  if (after.expires_us != never && after.expires_us <= in.came_us())
    return refuse(ec::invalid_argument, "expires is a time that is over");
  std::size_t count = 0;
  for (const auto& [key, token] : now.operator_tokens) {
    count += key.first == after.operator_name ? 1 : 0;
    if (key == std::pair{after.operator_name, after.name})
      return refuse(ec::already_exists, after.operator_name + " has a token "
                                          + after.name
                                          + " already: remove it first");
    // Nothing is revoked by removing one of two names of the same token.
    if (token.digest == after.digest)
      return refuse(ec::already_exists,
                    "this is a token of " + key.first + " already");
  }
  if (count >= operator_tokens_max)
    return refuse(ec::already_exists,
                  after.operator_name + " has "
                    + std::to_string(operator_tokens_max)
                    + " tokens already: remove one of them first");
  return admin_change{{after}, nullptr, token_document(after)};
}

change remove_token(const admin_arguments& in, const control_state& now) {
  const auto name = in.text("name");
  const auto token = in.text("token_name");
  const auto at = now.operator_tokens.find({name, token});
  if (at == now.operator_tokens.end())
    return refuse(ec::not_found, name + " has no token " + shown(token));
  return admin_change{{token_removed(name, token)},
                      token_document(at->second),
                      {{"operator", name}, {"name", token}, {"removed", true}}};
}

using kind = value_kind;

argument_spec role_option(bool required) {
  const auto words = all_words<operator_role>();
  return {"--role",      "role",   kind::word, "ROLE",
          any_of(words), required, "",         words};
}

argument_spec names_option(const char* spelling, const char* key,
                           const char* value, const char* help) {
  return {spelling, key, kind::names, value, help};
}

/// Whoever may look may change what is their own; `name` is theirs.
command of_oneself(command x) {
  x.needs = operator_role::look;
  return concerning(concern::oneself, std::move(x));
}

argument_spec operator_name(bool known) {
  return name_argument("Name, also of their certificate", "NAME",
                       known ? "operator list" : "", kind::user);
}

std::vector<command> token_commands() {
  auto whose = operator_name(true);
  whose.required = false;
  whose.kind = kind::text;
  whose.help = "Only those of this operator";
  return {
    reading("operator token list", "Names and expiry of API tokens",
            {whose, limit_argument(10'000),
             after_argument("NAME/TOKEN", "Go on after this token")},
            {table_view("tokens", "OPERATOR={operator}; TOKEN={name}; "
                                  "EXPIRES={expires_at:time}||never"),
             next_page_line("tokens")},
            list_tokens),
    doing("operator token add",
          "Make an API token of an operator; it is printed once",
          {operator_name(true),
           {"--token-name", "token_name", kind::user, "TOKEN",
            "What the token is called", true},
           {"--expires", "expires", kind::expiry, "WHEN",
            "Until then it holds: a time, or 90d from now"},
           {"--token-stdin", "digest", kind::api_key, "",
            "Read the token from the first line of standard input"}},
          add_token),
    asking("Remove this token?",
           doing("operator token remove", "Remove an API token",
                 {operator_name(true),
                  {"token", "token_name", kind::user, "TOKEN",
                   "Name of the token", true}},
                 remove_token)),
  };
}

} // namespace
} // namespace about_operators

std::vector<command> operator_commands() {
  using namespace about_operators;
  const auto users = names_option("--users", "users", "USER[,USER...]",
                                  "Only these users; '' for all");
  const auto collections =
    names_option("--collections", "collections", "NAME[,NAME...]",
                 "Only these collections; '' for all");
  const argument_spec password{
    "--password-stdin", "password_hash", kind::password, "",
    "Read the password from the first line of standard input"};
  auto password_too = password;
  password_too.kind = kind::optional_password;
  password_too.help += "; without it only a certificate of the name counts";
  std::vector<command> out{
    reading("operator list", "Names, roles and limits",
            {limit_argument(10'000),
             after_argument("NAME", "Go on after this name", "operator list")},
            {table_view("operators",
                        "OPERATOR={name}; ROLE={role}; PASSWORD={password}; "
                        "USERS={users}||all; COLLECTIONS={collections}||all"),
             next_page_line("operators")},
            list),
    doing("operator add", "Let somebody operate the engine",
          {operator_name(false), role_option(true), users, collections,
           password_too},
          add),
    doing("operator set", "Change an operator; what is not given stays",
          {operator_name(true), role_option(false), users, collections}, set),
    asking("Remove this operator?",
           doing("operator remove", "Remove an operator", {operator_name(true)},
                 remove)),
    doing("operator password", "Change an operator's password",
          {operator_name(true), password}, set),
    of_oneself(
      doing("operator renew", "Change your own password", {password}, set)),
  };
  for (auto& x : token_commands())
    out.push_back(std::move(x));
  return out;
}

} // namespace depositd::operators
