#include "adapters/node/password_checker.hpp"

#include "adapters/doors/kit/passwords.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/tallies.hpp"

#include <spdlog/spdlog.h>

#include <chrono>

namespace depositd::node {

namespace {

using self_pointer = actor_with<password_checker_state>*;

void log_refusal(self_pointer self, const char* what, const check_password& x) {
  if (self->state.lines->take({}, self->clock().now()))
    spdlog::warn("{} operator={} from=\"{}\"", what, x.name, x.from);
}

caf::result<password_checked> check(self_pointer self,
                                    const check_password& x) {
  auto& throttle = self->state.throttle;
  const auto now = std::chrono::duration_cast<std::chrono::microseconds>(
                     self->clock().now().time_since_epoch())
                     .count();
  if (!throttle.begin(x.name, x.from, now)) {
    throttle.missed(x.name, x.from);
    tally(tally_of::login_failed, "throttled");
    log_refusal(self, "sign_in_limited", x);
    return caf::make_error(
      ec::throttled, std::string{"too many wrong passwords; try again later"});
  }
  const bool right = kit::is_right_password(x.hash, x.password);
  if (right) {
    throttle.succeeded(x.name, x.from);
  } else {
    throttle.failed(x.name, x.from);
    tally(tally_of::login_failed, "wrong");
    log_refusal(self, "sign_in_refused", x);
  }
  return password_checked{right};
}

} // namespace

password_checker_actor::behavior_type
password_checker(actor_with<password_checker_state>* self,
                 const password_checker_options& options) {
  self->state.lines.emplace(options.lines_per_second);
  kit::prepare_passwords();
  return {
    [=](const check_password& x) { return check(self, x); },
  };
}

} // namespace depositd::node
