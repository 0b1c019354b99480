#include "adapters/doors/accounts/given_fields.hpp"

#include "messages/values/base64.hpp"
#include "messages/values/blanks.hpp"
#include "messages/values/password_hash.hpp"
#include "messages/values/types.hpp"

namespace depositd::accounts {

namespace {

/// A longer password is wrong whatever follows.
std::string password_of(const std::string& text) {
  return text.substr(0, password_bytes_max + 1);
}

} // namespace

std::string credentials::user() const {
  return login.substr(login.rfind('/') + 1); // npos + 1 is 0
}

bool credentials::too_long() const {
  return login.size() > login_bytes_max;
}

const std::string*
given_fields::find(std::initializer_list<const char*> names) {
  for (const auto* name : names)
    if (const auto* value = http::find(from_.query, name))
      return value;
  if (form_ != nullptr)
    for (const auto* name : names)
      if (const auto* part = form_->field(name)) {
        kept_.push_back(std::string{part->data});
        return &kept_.back();
      }
  return nullptr;
}

std::string given_fields::text(std::initializer_list<const char*> names) {
  const auto* found = find(names);
  return found == nullptr ? std::string{} : *found;
}

credentials given_fields::login() {
  credentials out;
  out.login = text({"login_id", "usr"});
  const auto* password = find({"login_passwd", "pwd"});
  out.given = !out.login.empty() && password != nullptr;
  if (password != nullptr)
    out.password = password_of(*password);
  return out;
}

credentials given_fields::basic_or_login() {
  const auto* header = from_.header("authorization");
  if (header == nullptr)
    return login();
  const auto blank = header->find(' ');
  if (!http::same_token(header->substr(0, blank), "basic")
      || blank == header->npos)
    return login();
  credentials out;
  const auto text =
    decode_base64(trimmed(std::string_view{*header}.substr(blank)));
  const auto colon = text ? text->find(':') : std::string::npos;
  // What is no login of this kind is a wrong one, not none.
  out.given = true;
  if (colon == std::string::npos)
    return out;
  out.login = text->substr(0, colon);
  out.password = password_of(text->substr(colon + 1));
  return out;
}

} // namespace depositd::accounts
