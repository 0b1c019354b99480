#pragma once

// Inside the API: one request on its way, and who made it.

#include "adapters/doors/operations/api.hpp"
#include "adapters/doors/operations/api_arguments.hpp"
#include "messages/actor_with.hpp"
#include "messages/operators.hpp"

#include <functional>
#include <memory>
#include <string>

namespace depositd {

using api_pointer = actor_with<api_state>*;

inline constexpr const char* session_cookie = "depositd_session";

struct api_call {
  api_request from;
  std::string name;  ///< the operator; empty: nobody, who may read a little
  std::string role;  ///< when they logged in
  std::string proof; ///< of `logged_in`
  std::string whose; ///< the session or token
  std::string csrf;  ///< of the session; empty: there is none
  kit::session::time_point until = kit::session::time_point::max();
};
using api_call_ptr = std::shared_ptr<const api_call>;

micros api_now(api_pointer self);

/// Goes on with whoever has logged in or shows a token, or answers.
void with_visitor(api_pointer self, const api_request& x,
                  std::function<void(const api_call_ptr&)> go_on);

/// Lets the body of somebody who will be served come.
void look_ahead(api_pointer self, const api_head& x);

void log_in_visitor(api_pointer self, const api_request& x);
void log_out_visitor(api_pointer self, const api_call_ptr& call);
void tell_visitor(api_pointer self, const api_call_ptr& call);

/// Goes on with the table, or answers.
void with_commands(
  api_pointer self, const api_call_ptr& call,
  std::function<void(const std::shared_ptr<const published_table>&)> go_on);

/// Gives a command in the visitor's name and goes on with the answer.
void give(api_pointer self, const api_call_ptr& call,
          const std::string& command, const std::string& arguments,
          std::chrono::seconds patience,
          std::function<void(const std::string&)> go_on);

/// A command by its path.
void run_command(api_pointer self, const api_call_ptr& call);

void open_watch(api_pointer self, const api_call_ptr& call);

/// Passwords and keys of these arguments as they are kept; then goes on. With
/// the key that was made, if one was.
void with_secrets(
  api_pointer self, const api_call_ptr& call, const command_spec& row,
  nlohmann::json object,
  std::function<void(const nlohmann::json&, const std::string&)> go_on);

/// SHA-256 in lower case hexadecimal.
std::string digest_of_token(const std::string& token);

} // namespace depositd
