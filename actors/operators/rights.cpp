// Who may give a command, and about whom.

#include "actors/operators/command.hpp"

namespace depositd::operators {

namespace access = rules::access;

namespace {

/// The users that the arguments name.
std::vector<std::string> users_named(const admin_call& call,
                                     const command_spec& row) {
  std::vector<std::string> out;
  for (const auto& x : row.arguments) {
    const auto* key = x.key.c_str();
    if (x.kind == value_kind::users)
      for (auto& user : call.arguments.texts(key))
        out.push_back(std::move(user));
    else if (x.names_from == "user list" || x.kind == value_kind::user)
      if (auto user = call.arguments.text(key); !user.empty())
        out.push_back(std::move(user));
  }
  return out;
}

/// Where no user is named all are meant: of an operator who is limited, theirs.
caf::error name_own_users(admin_call& call, const command_spec& row) {
  const auto& own = call.by.users;
  if (own.empty())
    return refuse(ec::not_allowed, call.command + " concerns users, and "
                                     + call.by.who
                                     + " is limited to some collections");
  for (const auto& x : row.arguments) {
    if (x.kind == value_kind::users) {
      call.arguments.put(x.key, own);
      return caf::none;
    }
    if (x.names_from == "user list" && own.size() == 1) {
      call.arguments.put(x.key, own.front());
      return caf::none;
    }
  }
  return refuse(ec::invalid_argument,
                call.by.who + " is limited to some users: name one of them");
}

/// Whether the caller may give this command with these arguments.
caf::error check_limits(admin_call& call, const command& x) {
  if (x.about == access::concern::oneself) {
    if (auto wrong = access::check_registered(call.command, call.by))
      return wrong;
    call.arguments.put("name", call.by.operator_name);
    return caf::none;
  }
  if (x.about == access::concern::steered)
    return access::check_collection(call.command, call.arguments.text("name"),
                                    call.by);
  if (!call.by.is_limited() || x.about != concern::named)
    return access::check_concern(call.command, x.about, call.by);
  const auto users = users_named(call, x.row);
  return users.empty() ? name_own_users(call, x.row)
                       : access::check_users(call.command, users, call.by);
}

} // namespace

caf::error check_rights(admin_call& call, const command& x,
                        const caf::error& unreadable) {
  if (!call.by.may(x.needs))
    return access::refusal(call.command, x.needs, call.by);
  if (unreadable)
    return unreadable;
  if (auto wrong = call.arguments.check(x.row))
    return wrong;
  return check_limits(call, x);
}

} // namespace depositd::operators
