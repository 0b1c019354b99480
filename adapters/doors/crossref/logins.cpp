// Who may enter.

#include "adapters/doors/crossref/parts.hpp"

#include <spdlog/spdlog.h>

#include <chrono>
#include <utility>

namespace depositd::crossref {

std::string credentials::user() const {
  return login.substr(login.rfind('/') + 1); // npos + 1 is 0
}

namespace {

micros now_us(door_pointer self) {
  return std::chrono::duration_cast<std::chrono::microseconds>(
           self->clock().now().time_since_epoch())
    .count();
}

std::vector<login_waiter> end_check(door_pointer self,
                                    const std::string& digest) {
  auto found = self->state.checks.extract(digest);
  return found ? std::move(found.mapped()) : std::vector<login_waiter>{};
}

void refuse_all(const std::vector<login_waiter>& waiters,
                const http::response& page) {
  for (const auto& x : waiters)
    x.refuse(page);
}

struct login_in_question {
  std::string user;
  std::string peer;
  std::string digest;
};

void end_login(door_pointer self, const login_in_question& x, bool right) {
  auto& state = self->state;
  const auto waiters = end_check(self, x.digest);
  if (!right) {
    spdlog::info("login_refused peer={}", x.peer);
    state.throttle.failed(x.user, x.peer);
    refuse_all(waiters, wrong_credentials_page());
    return;
  }
  state.throttle.succeeded(x.user, x.peer);
  state.logins.remember(x.digest);
  for (const auto& waiter : waiters)
    waiter.use(x.user);
}

void check(door_pointer self, const login_in_question& x, check_login what) {
  auto& state = self->state;
  self
    ->request(state.options.logins, state.options.ask_timeout, std::move(what))
    .then([=](const login_checked& said) { end_login(self, x, said.right); },
          [=](const caf::error& why) {
            self->state.throttle.gave_up(x.user, x.peer);
            refuse_all(end_check(self, x.digest), page_of(self, why));
          });
}

} // namespace

void with_login(door_pointer self, const credentials& who,
                const std::string& peer, login_waiter then) {
  auto& state = self->state;
  if (!who.given) {
    then.refuse(no_login_page());
    return;
  }
  if (!state.control) {
    if (state.early.size() < state.options.waiting_max)
      state.early.push_back({who, peer, std::move(then)});
    else
      then.refuse(http::unavailable(1));
    return;
  }
  check_login what;
  what.password = who.password;
  const auto user = who.user();
  const auto account = state.control->accounts.find(user);
  if (account != state.control->accounts.end())
    what.hash = account->second.password_hash;
  auto digest = state.logins.digest(user, what.hash, what.password);
  if (state.logins.knows(digest)) {
    then.use(user);
    return;
  }
  const auto running = state.checks.find(digest);
  if (running != state.checks.end()) {
    running->second.push_back(std::move(then));
    return;
  }
  if (!state.throttle.begin(user, peer, now_us(self))) {
    then.refuse(later_page(60, "Too many failed logins. Try again later."));
    return;
  }
  state.checks[digest].push_back(std::move(then));
  check(self, {user, peer, std::move(digest)}, std::move(what));
}

void take_accounts(door_pointer self, const control_snapshot& control) {
  self->state.control = control;
  for (auto& x : std::exchange(self->state.early, {}))
    with_login(self, x.who, x.peer, std::move(x.then));
}

void refuse_early(door_pointer self) {
  for (const auto& x : std::exchange(self->state.early, {}))
    x.then.refuse(http::unavailable(1));
}

} // namespace depositd::crossref
