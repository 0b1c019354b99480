#include "adapters/doors/accounts/login_desk.hpp"

#include "adapters/doors/http/text.hpp"
#include "adapters/doors/kit/turnstile.hpp"
#include "messages/values/names.hpp"
#include "messages/values/tallies.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace depositd::accounts {

namespace {

micros now_us() {
  using namespace std::chrono;
  return duration_cast<microseconds>(steady_clock::now().time_since_epoch())
    .count();
}

void refuse_all(const std::vector<login_waiter>& waiters,
                const login_refusal& why) {
  for (const auto& x : waiters)
    x.refuse(why);
}

} // namespace

login_desk::login_desk(login_desk_options options)
  : options_(std::move(options)) {
  // nop
}

std::vector<login_waiter> login_desk::end_check(const std::string& digest) {
  auto found = checks_.extract(digest);
  return found ? std::move(found.mapped()) : std::vector<login_waiter>{};
}

/// Attacks are many lines, and one in a while says as much.
void login_desk::log_refusal(const char* what, const login_in_question& x) {
  ++refused_;
  if (refusals_logged_.take({}, std::chrono::steady_clock::now()))
    spdlog::info("{} user=\"{}\" peer={} refused={}", what,
                 http::printable(x.typed), x.address, refused_);
}

/// Lets the next login of the address be checked.
void login_desk::go_on(const std::string& peer) {
  const auto at = addresses_.find(peer);
  if (at == addresses_.end())
    return;
  if (at->second.waiting.empty()) {
    if (--at->second.running == 0)
      addresses_.erase(at);
    return;
  }
  const auto next = std::move(at->second.waiting.front());
  at->second.waiting.pop_front();
  check(next);
}

void login_desk::end_login(const login_in_question& x, bool right) {
  const auto waiters = end_check(x.digest);
  if (!right) {
    log_refusal("login_refused", x);
    throttle_.failed(x.user, x.peer);
    tally(tally_of::login_failed, "wrong");
    refuse_all(waiters, {login_fault::wrong, {}});
    return;
  }
  throttle_.succeeded(x.user, x.peer);
  logins_.remember(x.digest, x.peer);
  for (const auto& waiter : waiters)
    waiter.use(x.user);
}

void login_desk::give_up(const login_in_question& x, const login_refusal& why) {
  throttle_.gave_up(x.user, x.peer);
  refuse_all(end_check(x.digest), why);
}

void login_desk::check(const waiting_login& x) {
  options_.check(x.what, [this, who = x.who](const caf::expected<bool>& right) {
    go_on(who.peer);
    if (right)
      end_login(who, *right);
    else
      give_up(who, {login_fault::failed, right.error()});
  });
}

/// Who comes from one address waits for those of the same address only. False:
/// too many do.
bool login_desk::check_in_turn(waiting_login x) {
  auto& at = addresses_[x.who.peer];
  if (at.waiting.size() >= options_.waiting_max)
    return false;
  if (at.running < options_.per_address_max) {
    ++at.running;
    check(x);
  } else {
    at.waiting.push_back(std::move(x));
  }
  return true;
}

/// Whether it is right, where that can be known without Argon2id.
bool login_desk::is_known(const login_in_question& x,
                          kit::login_throttle::standing standing) const {
  using kit::login_throttle;
  return standing == login_throttle::standing::open ? logins_.knows(x.digest)
         : standing == login_throttle::standing::limited
           ? logins_.knows(x.digest, x.peer)
           : false;
}

/// The account's user and hash; of what is no user's name, nobody's.
login_desk::waiting_login login_desk::question(const credentials& who,
                                               const std::string& address) {
  waiting_login out;
  out.who.address = address;
  out.who.peer = kit::holder_of(address);
  out.who.typed = who.user();
  if (legal_user_name(out.who.typed))
    out.who.user = out.who.typed;
  const auto account = control_->accounts.find(out.who.user);
  if (account != control_->accounts.end())
    out.what.hash = account->second.password_hash;
  out.what.password = who.password;
  out.who.digest =
    logins_.digest(out.who.typed, out.what.hash, out.what.password);
  return out;
}

void login_desk::enter(const credentials& who, const std::string& address,
                       login_waiter then) {
  if (!who.given) {
    then.refuse({login_fault::none_given, {}});
    return;
  }
  if (!control_) {
    if (early_.size() < options_.waiting_max)
      early_.push_back({who, address, std::move(then)});
    else
      then.refuse({login_fault::busy, {}});
    return;
  }
  auto asked = question(who, address);
  const auto x = asked.who;
  const auto now = now_us();
  const auto standing = throttle_.of(x.user, x.peer, now);
  if (is_known(x, standing)) {
    logins_.remember(x.digest, x.peer);
    then.use(x.user);
    return;
  }
  if (standing != kit::login_throttle::standing::open) {
    throttle_.missed(x.user, x.peer);
    tally(tally_of::login_failed, "throttled");
    log_refusal("login_limited", x);
    then.refuse({login_fault::limited, {}});
    return;
  }
  const auto running = checks_.find(x.digest);
  if (running != checks_.end()) {
    running->second.push_back(std::move(then));
    return;
  }
  throttle_.begin(x.user, x.peer, now);
  checks_[x.digest].push_back(std::move(then));
  if (!check_in_turn(std::move(asked)))
    give_up(x, {login_fault::busy, {}});
}

void login_desk::take_accounts(const control_snapshot& control) {
  control_ = control;
  for (auto& x : std::exchange(early_, {}))
    enter(x.who, x.address, std::move(x.then));
}

void login_desk::refuse_early() {
  for (const auto& x : std::exchange(early_, {}))
    x.then.refuse({login_fault::busy, {}});
}

} // namespace depositd::accounts
