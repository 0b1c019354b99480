#pragma once

// Who may enter by name and password: a part of a door's actor.

#include "adapters/doors/accounts/given_fields.hpp"
#include "adapters/doors/accounts/messages.hpp"
#include "adapters/doors/kit/login_cache.hpp"
#include "adapters/doors/kit/login_throttle.hpp"
#include "adapters/doors/kit/rate_limit.hpp"
#include "messages/values/control.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace depositd::accounts {

enum class login_fault : std::uint8_t {
  none_given,
  wrong,   ///< the user, or the password
  limited, ///< too many have failed
  busy,    ///< too many at one time, or the accounts are not to be had
  failed,  ///< it could not be checked: see `why`
};

struct login_refusal {
  login_fault fault = login_fault::wrong;
  caf::error why;
};

/// Whoever waits for one login to be checked.
struct login_waiter {
  std::function<void(const std::string& user)> use;
  std::function<void(const login_refusal&)> refuse;
};

struct login_desk_options {
  /// Checks a password elsewhere and says how it is; later, in the actor.
  std::function<void(check_login, std::function<void(caf::expected<bool>)>)>
    check;
  /// Logins that wait for the accounts, or of one address for others of it;
  /// beyond it they are refused.
  std::uint32_t waiting_max = 512;
  std::uint32_t per_address_max = 4; ///< checked at one time
};

/// Checks equal logins of one time once, remembers those that were right and
/// slows down who guesses. Not for several threads.
class login_desk {
public:
  explicit login_desk(login_desk_options options);
  login_desk(const login_desk&) = delete;

  /// Goes on with `use` if the login is right, else `refuse` hears why; at
  /// once or later. All addresses of a holder count together.
  void enter(const credentials& who, const std::string& address,
             login_waiter then);

  /// The accounts are these from now on; lets in who waited for them.
  void take_accounts(const control_snapshot& control);

  /// The accounts are not to be had: refuses who waits for them.
  void refuse_early();

  /// Null: not known yet, and nobody was let in.
  const control_snapshot& control() const {
    return control_;
  }

private:
  /// A login that came before the accounts were known.
  struct early_login {
    credentials who;
    std::string address;
    login_waiter then;
  };

  /// What a login is about while it is checked.
  struct login_in_question {
    std::string user; ///< empty: what was typed is no user's name
    std::string typed;
    std::string address;
    std::string peer; ///< whose address that is, see `kit::holder_of`
    std::string digest;
  };

  struct waiting_login {
    login_in_question who;
    check_login what;
  };

  /// Logins that come from one address.
  struct login_address {
    std::uint32_t running = 0; ///< are being checked
    std::deque<waiting_login> waiting;
  };

  std::vector<login_waiter> end_check(const std::string& digest);
  void log_refusal(const char* what, const login_in_question& x);
  void go_on(const std::string& peer);
  void end_login(const login_in_question& x, bool right);
  void give_up(const login_in_question& x, const login_refusal& why);
  void check(const waiting_login& x);
  bool check_in_turn(waiting_login x);
  bool is_known(const login_in_question& x,
                kit::login_throttle::standing standing) const;
  waiting_login question(const credentials& who, const std::string& address);

  const login_desk_options options_;
  control_snapshot control_;
  std::vector<early_login> early_;
  kit::login_throttle throttle_;
  kit::login_cache logins_;
  /// By digest: equal logins at one time are checked once.
  std::unordered_map<std::string, std::vector<login_waiter>> checks_;
  std::unordered_map<std::string, login_address> addresses_; ///< that wait
  std::uint64_t refused_ = 0;                                ///< so far
  kit::rate_limit refusals_logged_{10};
};

/// How a door's actor asks its workers to check a password.
template <class Self>
auto asking(Self* self, worker_actor whom, std::chrono::milliseconds timeout) {
  return [=](check_login what, std::function<void(caf::expected<bool>)> then) {
    self->request(whom, timeout, std::move(what))
      .then([then](const login_checked& said) { then(said.right); },
            [then](const caf::error& why) { then(why); });
  };
}

} // namespace depositd::accounts
