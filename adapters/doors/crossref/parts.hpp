#pragma once

// Inside the door: what its parts do for each other.

#include "adapters/doors/accounts/deposit_desk.hpp"
#include "adapters/doors/crossref/door.hpp"
#include "adapters/doors/crossref/pages.hpp"
#include "messages/actor_with.hpp"

#include <functional>
#include <string>

namespace depositd::crossref {

using door_pointer = actor_with<door_state>*;

/// Whoever waits for a login; `refuse` gets the page.
struct login_waiter {
  std::function<void(const std::string& user)> use;
  std::function<void(http::response)> refuse;
};

/// Goes on with `use` if the login is right, else `refuse` gets the page.
void with_login(door_pointer self, const credentials& who,
                const std::string& peer, login_waiter then);

inline http::response page_of(door_pointer self, const caf::error& why) {
  return error_page(why, self->state.options.retry_after_s);
}

accounts::file_deposit file_in(const deposit_request& x,
                               const std::string& user);

/// Of a file that nothing speaks against.
void take_at_once(door_pointer self, const deposit_request& given,
                  const std::string& user);

// What the messages of the door ask for.
void take_deposit(door_pointer self, const deposit_request& given);
void look_ahead(door_pointer self, const deposit_begun& given);
void take_status(door_pointer self, const status_request& given);

} // namespace depositd::crossref
