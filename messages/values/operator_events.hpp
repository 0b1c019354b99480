#pragma once

// Who may operate the engine, as control events.

#include "messages/values/types.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace depositd {

/// What an operator may do. Each of the first three may do what those before it
/// may; a node processes deposits and may look at nothing.
enum class operator_role : std::uint8_t { look, operate, administer, node };

/// Somebody who operates the engine: known by the name in their certificate, or
/// by a password.
struct operator_changed {
  std::string name; ///< a user name, though no user of queues
  operator_role role = operator_role::look;
  std::string password_hash;            ///< Argon2id; empty: none
  std::vector<std::string> users;       ///< only these; empty: all
  std::vector<std::string> collections; ///< only these; empty: all
  bool removed = false;

  friend bool operator==(const operator_changed&,
                         const operator_changed&) = default;
};
DEPOSITD_FIELDS(operator_changed, name, role, password_hash, users, collections,
                removed);

/// An API token of an operator, who may do with it what they may do. They
/// end with their operator.
struct operator_token_changed {
  std::string operator_name;
  std::string name;          ///< of the token: a user name
  std::string digest;        ///< SHA-256 of the token, hexadecimal
  micros expires_us = never; ///< it holds until then
  bool removed = false;

  friend bool operator==(const operator_token_changed&,
                         const operator_token_changed&) = default;
};
DEPOSITD_FIELDS(operator_token_changed, operator_name, name, digest, expires_us,
                removed);

/// How many tokens an operator may have at once.
inline constexpr std::size_t operator_tokens_max = 20;

} // namespace depositd
