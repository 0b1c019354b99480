#include "actors/rules/access/access.hpp"

#include "messages/values/words.hpp"

#include <algorithm>

namespace depositd::rules::access {

namespace {

bool contains(const std::vector<std::string>& names, std::string_view x) {
  return std::find(names.begin(), names.end(), x) != names.end();
}

bool own_certificate(const peer& who, const own_people& own) {
  const bool same_one =
    !who.fingerprint.empty() && contains(own.fingerprints, who.fingerprint);
  const bool same_name = !who.name.empty() && who.name == own.certificate;
  return same_one || same_name;
}

/// "certificate worker-7"; one without a name by its fingerprint.
std::string certificate_text(const peer& who) {
  return "certificate " + (who.name.empty() ? who.fingerprint : who.name);
}

std::string account_text(const peer& who, const std::string& name) {
  return "account " + (name.empty() ? std::to_string(who.account) : name);
}

caller grant(std::string who, operator_role role) {
  caller out{.who = std::move(who)};
  out.administers = role == operator_role::administer;
  out.operates = out.administers || role == operator_role::operate;
  out.looks = out.operates || role == operator_role::look;
  out.works = out.administers || role == operator_role::node;
  return out;
}

caller grant_all(std::string who) {
  auto out = grant(std::move(who), operator_role::administer);
  out.is_engine = true;
  return out;
}

caller registered(const operator_changed& as, const std::string& known_by) {
  auto out = grant("operator=" + as.name + " " + known_by, as.role);
  out.operator_name = as.name;
  out.users = as.users;
  out.collections = as.collections;
  return out;
}

caller at_certificate(const peer& who, const own_people& own,
                      const shared_map<std::string, operator_changed>& known) {
  if (is_own(who, own))
    return grant_all(who.name.empty() ? certificate_text(who)
                                      : "operator=" + who.name
                                          + " certificate");
  const auto at = known.find(who.name);
  if (at != known.end()) {
    auto out = registered(at->second, "certificate");
    out.is_engine = out.administers && !out.is_limited();
    return out;
  }
  // Whoever has the CA's word may work and look.
  auto out = grant(certificate_text(who), operator_role::look);
  out.works = true;
  return out;
}

/// "none", "look and node": what somebody may do, as roles.
std::string roles_text(const caller& who) {
  std::string out;
  const auto add = [&](bool has, operator_role role) {
    if (has)
      out += (out.empty() ? "" : " and ") + word(role);
  };
  add(who.administers, operator_role::administer);
  add(who.operates && !who.administers, operator_role::operate);
  add(who.looks && !who.operates, operator_role::look);
  add(who.works && !who.administers, operator_role::node);
  return out.empty() ? "none" : out;
}

caf::error refuse(std::string text) {
  return caf::make_error(ec::not_allowed, std::move(text));
}

} // namespace

bool caller::may(operator_role role) const {
  switch (role) {
    case operator_role::look:
      return looks;
    case operator_role::operate:
      return operates;
    case operator_role::administer:
      return administers;
    case operator_role::node:
      return works;
  }
  return false;
}

bool caller::sees(std::string_view user) const {
  return users.empty() ? collections.empty() : contains(users, user);
}

bool caller::sees(std::string_view user, std::string_view collection) const {
  return (users.empty() || contains(users, user))
         && (collections.empty() || contains(collections, collection));
}

caller engine_itself() {
  return grant_all("engine");
}

bool is_own(const peer& who, const own_people& own) {
  if (who.forwarded)
    return false;
  switch (who.kind) {
    case peer_kind::account:
      return who.account == own.account || who.account == 0;
    case peer_kind::certificate:
      return own_certificate(who, own)
             || (!who.name.empty() && contains(own.administrators, who.name));
    case peer_kind::stranger:
      break;
  }
  return false;
}

caller caller_at(const peer& who, const std::string& account,
                 const own_people& own,
                 const shared_map<std::string, operator_changed>& known) {
  if (who.forwarded)
    return {.who = "somebody behind " + who.address};
  switch (who.kind) {
    case peer_kind::account:
      return is_own(who, own) ? grant_all(account_text(who, account))
                              : caller{.who = account_text(who, account)};
    case peer_kind::certificate:
      return at_certificate(who, own, known);
    case peer_kind::stranger:
      break;
  }
  return {.who = "a stranger at " + who.address};
}

caller signed_in_caller(const operator_changed& as) {
  return registered(as, "token");
}

caller logged_in_caller(const operator_changed& as, const std::string& from) {
  return registered(as, "from " + from);
}

caller guest_caller(const peer& who, const std::string& operator_name,
                    const own_people& own,
                    const shared_map<std::string, operator_changed>& known) {
  if (const auto at = known.find(operator_name); at != known.end())
    return signed_in_caller(at->second);
  return caller_at(who, "", own, known);
}

bool may_sign_in(const peer& who) {
  return !who.forwarded && who.kind != peer_kind::stranger;
}

std::string holder_of(const peer& who) {
  return who.kind == peer_kind::certificate ? certificate_text(who)
                                            : account_text(who, "");
}

caf::error refusal(const std::string& what, operator_role needs,
                   const caller& who) {
  return refuse(what + " needs the role " + word(needs) + ", and " + who.who
                + " has " + roles_text(who));
}

caf::error check_concern(const std::string& command, concern about,
                         const caller& who) {
  if (about != concern::everybody || !who.is_limited())
    return caf::none;
  return refuse(command + " concerns all users, and " + who.who
                + " is limited to some");
}

caf::error check_users(const std::string& command,
                       const std::vector<std::string>& users,
                       const caller& who) {
  for (const auto& user : users)
    if (!who.sees(user))
      return refuse(command + " concerns " + user + ", and " + who.who
                    + " is limited to "
                    + (who.users.empty() ? "some collections" : "other users"));
  return caf::none;
}

caf::error check_registered(const std::string& command, const caller& who) {
  if (!who.operator_name.empty())
    return caf::none;
  return refuse(command + " concerns an operator of the register, and "
                + who.who + " is none; see operator password");
}

caf::error check_collection(const std::string& command,
                            const std::string& collection, const caller& who) {
  if (!who.is_limited() || contains(who.collections, collection))
    return caf::none;
  return refuse(
    command + " concerns the collection " + collection + ", and " + who.who
    + " is limited to "
    + (who.collections.empty() ? "some users" : "other collections"));
}

} // namespace depositd::rules::access
