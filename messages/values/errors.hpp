#pragma once

// Every operating error of depositd. Programmer errors are assertions.

#include <caf/error.hpp>
#include <caf/expected.hpp>
#include <caf/message.hpp>

#include <cstdint>
#include <string>

namespace depositd {

enum class ec : std::uint8_t {
  /// The arguments of a command make no sense; the text says which.
  invalid_argument = 1,
  /// There is nothing of this name or number.
  not_found,
  /// The user has as many pending items as the queue allows.
  pending_limit_reached,
  /// The claim is not (or no longer) the one that the token names.
  stale_claim,
  /// The store refused or failed; the text says where.
  store_failed,
  /// What the store holds does not match its checksum; names the part.
  store_damaged,
  /// Another owner has taken the shard: nothing more may be written.
  fenced,
  /// The engine is draining and takes nothing new.
  draining,
  /// More is in flight than this door allows; try again later.
  overloaded,
  /// User and password do not match.
  wrong_credentials,
  /// A wrong setting; the text names the key.
  bad_setting,
  /// The text or document cannot be decoded.
  malformed,
  /// Too many bytes, elements or levels; the text names the limit.
  too_large,
  /// What is asked for exists already.
  already_exists,
  /// Too many failed logins; try again later.
  throttled,
  /// Whoever asks may not do this; the text names them and the right.
  not_allowed,
  /// The user asks more often, or has more bytes waiting, than the quota
  /// allows.
  quota_reached,
};

/// The name of an error in lower case, e.g. "not_found".
const char* to_string(ec code);

/// One readable line: the error's own text, or its name.
std::string render(const caf::error& error);

} // namespace depositd

namespace caf::detail {

/// What `caf::make_error` makes of an `ec`, with a text or without one. CAF's
/// own (`CAF_ERROR_CODE_ENUM`) takes anything as context and so compiled its
/// message with a text, twenty functions, in every source that has errors.
template <>
struct error_factory<depositd::ec> {
  static constexpr bool specialized = true;
  static constexpr atom_value category = atom("depositd");

  static message context() {
    return {};
  }

  static message context(std::string why);
};

} // namespace caf::detail
