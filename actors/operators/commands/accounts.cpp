// Accounts of users of the HTTP doors.

#include "actors/operators/command.hpp"
#include "actors/operators/documents.hpp"

#include "messages/values/names.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/password_hash.hpp"

#include <strings.h>

#include <algorithm>

namespace depositd::operators {

namespace about_accounts {
namespace {

/// "10.5555": what DOIs of the user must begin with.
bool legal_prefix(const std::string& x) {
  if (x.size() < 7 || x.size() > 64 || x.compare(0, 3, "10.") != 0)
    return false;
  return std::all_of(x.begin() + 3, x.end(),
                     [](char c) { return (c >= '0' && c <= '9') || c == '.'; })
         && x.back() != '.' && x.find("..") == std::string::npos;
}

document account_document(const account_changed& x) {
  return {{"user", x.user},
          {"account", !x.password_hash.empty()},
          {"prefixes", x.prefixes}};
}

caf::error check_hash(const std::string& x) {
  if (legal_password_hash(x))
    return caf::none;
  return refuse(ec::invalid_argument,
                "password_hash is no Argon2id hash with m=19456, t=2, p=1");
}

change add(const admin_arguments& in, const control_state& now) {
  const account_changed after{in.text("name"), in.text("password_hash"),
                              in.texts("prefixes")};
  if (auto problem = check_hash(after.password_hash))
    return problem;
  for (const auto& prefix : after.prefixes)
    if (!legal_prefix(prefix))
      return refuse(ec::invalid_argument,
                    "a prefix must look like 10.5555, not " + shown(prefix));
  if (now.accounts.count(after.user))
    return refuse(ec::already_exists,
                  after.user + " has an account already; see user password");
  // Names are compared with case, but people do not tell such two apart.
  for (const auto& [user, account] : now.accounts)
    if (strcasecmp(user.c_str(), after.user.c_str()) == 0)
      return refuse(ec::already_exists,
                    "the account " + user + " differs only by case");
  return changed(account_changed{after.user}, after, account_document);
}

change set_password(const admin_arguments& in, const control_state& now) {
  const auto user = in.text("name");
  const auto hash = in.text("password_hash");
  if (auto problem = check_hash(hash))
    return problem;
  const auto at = now.accounts.find(user);
  if (at == now.accounts.end())
    return refuse(ec::not_found, user + " has no account; see user add");
  auto after = at->second;
  after.password_hash = hash;
  return changed(at->second, after, account_document);
}

document contact_document(const contact_changed& x) {
  return {{"user", x.user},
          {"mail", text_or_null(x.mail)},
          {"callback", text_or_null(without_query(x.callback))}};
}

/// What is not given stays as it is. Whoever is called back needs the outbox.
change set_contact(const admin_arguments& in, const control_state& now) {
  const auto user = in.text("name");
  const auto at = now.contacts.find(user);
  const auto before =
    at == now.contacts.end() ? contact_changed{user, "", ""} : at->second;
  auto after = before;
  if (in.has("mail"))
    after.mail = in.text("mail");
  if (in.has("callback"))
    after.callback = in.text("callback");
  if (!after.mail.empty() && !legal_mail_address(after.mail))
    return refuse(ec::invalid_argument,
                  "mail must be one address, not " + shown(after.mail));
  if (!after.callback.empty() && !legal_web_address(after.callback))
    return refuse(ec::invalid_argument,
                  "callback must be an http or https address, not "
                    + shown(without_query(after.callback)));
  const auto outbox = now.queues.find(notify_queue);
  if (!after.callback.empty() && outbox != now.queues.end()
      && outbox->second.kind != queue_kind::outbox)
    return refuse(ec::invalid_argument,
                  std::string{notify_queue}
                    + " is a queue of messages: remove it first");
  auto out = changed(before, after, contact_document);
  if (!after.callback.empty() && now.queues.count(notify_queue) == 0)
    out.events.emplace_back(
      queue_changed{notify_queue, outbox_queue_defaults()});
  return out;
}

change remove(const admin_arguments& in, const control_state& now) {
  const auto user = in.text("name");
  const auto at = now.accounts.find(user);
  if (at == now.accounts.end())
    return refuse(ec::not_found, user + " has no account");
  auto out = changed(at->second, account_changed{user}, account_document);
  if (now.contacts.count(user) > 0)
    out.events.emplace_back(contact_changed{user, "", ""});
  return out;
}

} // namespace
} // namespace about_accounts

std::vector<command> account_commands() {
  using namespace about_accounts;
  const auto name = user_name_argument();
  const argument_spec password{
    "--password-stdin", "password_hash", value_kind::password, "",
    "Read the password from the first line of standard input"};
  const argument_spec prefix{"--prefix", "prefixes", value_kind::each, "PREFIX",
                             "DOI prefix it may deposit, e.g. 10.5555; may be "
                             "repeated; none: any"};
  const auto of_user = [](command x) {
    return concerning(concern::named, std::move(x));
  };
  return {
    of_user(
      doing("user add", "Create an account", {name, password, prefix}, add)),
    of_user(doing("user password", "Change a password", {name, password},
                  set_password)),
    of_user(doing("user contact", "How a user is told what became of deposits",
                  {name,
                   {"--mail", "mail", value_kind::text, "ADDRESS",
                    "Mail for deposits that name no address; '' for none"},
                   {"--callback", "callback", value_kind::text, "URL",
                    "Called instead of mail; '' for none"}},
                  set_contact)),
    of_user(asking(
      "Remove this account?",
      doing("user remove", "Remove an account; items stay", {name}, remove))),
  };
}

} // namespace depositd::operators
