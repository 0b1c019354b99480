#pragma once

// What people with accounts put into their requests, and where.

#include "adapters/doors/http/form.hpp"
#include "adapters/doors/http/message.hpp"

#include <deque>
#include <initializer_list>
#include <string>

namespace depositd::accounts {

/// Who says to be whom. Never logged.
struct credentials {
  std::string login; ///< as typed: user, or email/user
  std::string password;
  bool given = false;

  /// The user that the login names: what stands behind the last '/'.
  std::string user() const;

  /// Nothing that a stranger says about himself is kept at any length.
  bool too_long() const;
};

/// Values of a request, wherever the client put them. Both must live longer.
class given_fields {
public:
  /// `form` may be null.
  given_fields(const http::request& from, const http::form* form)
    : from_(from), form_(form) {
    // nop
  }

  /// The first of these names that is given, in the query before the form;
  /// null if none is.
  const std::string* find(std::initializer_list<const char*> names);

  /// The same; empty if none is given.
  std::string text(std::initializer_list<const char*> names);

  /// `login_id` and `login_passwd`, or `usr` and `pwd`.
  credentials login();

  /// The same, unless the request has an Authorization header of the kind
  /// Basic, which wins.
  credentials basic_or_login();

private:
  const http::request& from_;
  const http::form* form_;
  std::deque<std::string> kept_;
};

} // namespace depositd::accounts
