#pragma once

// Who may do what: what is known of a connection's other end, held against the
// register of operators. See docs/decisions/0023.

#include "messages/values/control_events.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/peer.hpp"
#include "messages/values/shared_map.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::rules::access {

/// What makes an engine know its own people without a register.
struct own_people {
  std::uint32_t account = 0; ///< user id that the engine runs as
  std::string certificate;   ///< common name of its own; empty: none
  /// Of its own certificates since the start: connections outlive a renewal.
  std::vector<std::string> fingerprints;
  std::vector<std::string> administrators; ///< `operators.administrators`
};

/// Somebody who asks for something, and what is granted.
struct caller {
  std::string who;           ///< one line, for people: "account root"
  std::string operator_name; ///< in the register; empty: they are not there
  bool looks = false;
  bool operates = false;
  bool administers = false;
  bool works = false;             ///< as a node of processors or a producer
  bool is_engine = false;         ///< may share the shards
  std::vector<std::string> users; ///< touches and sees only these; empty: all
  std::vector<std::string> collections; ///< likewise

  bool may(operator_role role) const;

  /// What is of a user and of no collection. Whoever is limited to collections
  /// alone sees nothing of the kind.
  bool sees(std::string_view user) const;

  /// A batch or a job: both limits hold.
  bool sees(std::string_view user, std::string_view collection) const;

  bool is_limited() const {
    return !users.empty() || !collections.empty();
  }
};

/// A command that this process sends itself.
caller engine_itself();

/// Whether an engine's own people are at the other end, whatever the register
/// says: the account that it runs as, root, a certificate of its own, and those
/// that its settings name.
bool is_own(const peer& who, const own_people& own);

/// What is granted to the other end of a connection. `account` is the name of
/// its account, where it has one.
caller caller_at(const peer& who, const std::string& account,
                 const own_people& own,
                 const shared_map<std::string, operator_changed>& known);

/// The same after somebody has signed in with a password there.
caller signed_in_caller(const operator_changed& as);

/// An operator who has logged in at a door of this process, from this address.
caller logged_in_caller(const operator_changed& as, const std::string& from);

/// The same for somebody who was let in earlier, perhaps as an operator who had
/// signed in; empty: as nobody. `known`: the register as it is now.
caller guest_caller(const peer& who, const std::string& operator_name,
                    const own_people& own,
                    const shared_map<std::string, operator_changed>& known);

/// Whether somebody may try passwords there: what comes by way of others and
/// those who are not known at all may not.
bool may_sign_in(const peer& who);

/// Of whom limits of the same person count together: "account 1000".
std::string holder_of(const peer& who);

/// `ec::not_allowed`: names what was asked for, the role it takes, and who.
caf::error refusal(const std::string& what, operator_role needs,
                   const caller& who);

/// Whom a command concerns, for operators who are limited to some users.
enum class concern : std::uint8_t {
  everybody, ///< no limited operator may
  nobody,    ///< tells of no user
  named,     ///< the users that its arguments name
  answered,  ///< leaves out whom the caller does not see
  steered,   ///< the collection that its argument `name` names
  oneself,   ///< the operator of the register who gives it
};

/// Whether a limited operator may give a command at all. `ec::not_allowed`.
caf::error check_concern(const std::string& command, concern about,
                         const caller& who);

/// Whether it may concern these users. `ec::not_allowed`.
caf::error check_users(const std::string& command,
                       const std::vector<std::string>& users,
                       const caller& who);

/// Whether somebody is in the register, and so has something of their own to
/// change. `ec::not_allowed`.
caf::error check_registered(const std::string& command, const caller& who);

/// Whether it may concern the settings of this collection, which are of all its
/// users: a limited operator needs it in their limits. `ec::not_allowed`.
caf::error check_collection(const std::string& command,
                            const std::string& collection, const caller& who);

} // namespace depositd::rules::access
