#include "actors/rules/control/operators.hpp"

#include "messages/values/hex.hpp"
#include "messages/values/names.hpp"

namespace depositd::rules {

namespace {

constexpr std::size_t operator_hash_bytes_max = 1024;
constexpr std::size_t operator_names_max = 1'000;

/// Before the digest; no hash of a password begins so.
constexpr std::string_view token_proof = "token ";

caf::error wrong_operator(std::string text) {
  return caf::make_error(ec::invalid_argument, std::move(text));
}

caf::error no_such(const std::string& what) {
  return caf::make_error(ec::not_found, "no such " + what);
}

caf::error check_operator_name(const std::string& name) {
  return legal_user_name(name)
           ? caf::error{}
           : wrong_operator("not a user name: '" + name + "'");
}

std::size_t count_tokens(const control_state& state, const std::string& of) {
  std::size_t out = 0;
  for (auto at = state.operator_tokens.upper_bound({of, ""});
       at != state.operator_tokens.end() && at->first.first == of; ++at)
    ++out;
  return out;
}

} // namespace

caf::error check_operator(const control_state& state,
                          const operator_changed& x) {
  if (auto error = check_operator_name(x.name))
    return error;
  if (x.removed)
    return state.operators.contains(x.name)
             ? caf::error{}
             : no_such("operator: '" + x.name + "'");
  if (x.role > operator_role::node)
    return wrong_operator("unknown role of an operator");
  if (x.password_hash.size() > operator_hash_bytes_max)
    return wrong_operator("password hash above 1024 bytes");
  if (x.users.size() + x.collections.size() > operator_names_max)
    return wrong_operator("an operator is limited to 1000 names");
  for (const auto* names : {&x.users, &x.collections})
    for (const auto& name : *names)
      if (auto error = check_operator_name(name))
        return error;
  return {};
}

caf::error check_operator(const control_state& state,
                          const operator_token_changed& x) {
  for (const auto* name : {&x.operator_name, &x.name})
    if (auto error = check_operator_name(*name))
      return error;
  const bool known = state.operator_tokens.contains({x.operator_name, x.name});
  if (x.removed)
    return known ? caf::error{} : no_such("token: '" + x.name + "'");
  if (!state.operators.contains(x.operator_name))
    return no_such("operator: '" + x.operator_name + "'");
  if (!is_sha256_hex(x.digest))
    return wrong_operator("not a digest of a token");
  return known || count_tokens(state, x.operator_name) < operator_tokens_max
           ? caf::error{}
           : wrong_operator("an operator has at most "
                            + std::to_string(operator_tokens_max) + " tokens");
}

const operator_changed* holder_of_token(const control_state& state,
                                        const std::string& digest, micros now) {
  for (const auto& [key, token] : state.operator_tokens) {
    if (token.digest != digest)
      continue;
    if (token.expires_us != never && token.expires_us <= now)
      return nullptr;
    const auto at = state.operators.find(token.operator_name);
    return at == state.operators.end() ? nullptr : &at->second;
  }
  return nullptr;
}

std::string proof_of_token(const std::string& digest) {
  return std::string{token_proof} + digest;
}

caf::error check_proof(const control_state& state, const operator_changed& as,
                       std::string_view proof, micros now) {
  if (proof.starts_with(token_proof)) {
    const std::string digest{proof.substr(token_proof.size())};
    const auto* holder = holder_of_token(state, digest, now);
    return holder && holder->name == as.name
             ? caf::error{}
             : caf::make_error(ec::wrong_credentials,
                             "the token was removed, or has expired");
  }
  return proof.empty() || proof == as.password_hash
           ? caf::error{}
           : caf::make_error(ec::wrong_credentials,
                           "the password has been changed: log in again");
}

} // namespace depositd::rules
