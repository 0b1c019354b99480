#pragma once

// Mail by SMTP, to the relay that the operator names.

#include "messages/ports/notifiers.hpp"
#include "messages/values/endpoint.hpp"
#include "messages/values/types.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace depositd {

struct smtp_options {
  endpoint relay;
  std::string from; ///< "NAME@HOST"
  std::chrono::milliseconds connect_limit{30'000};
  std::chrono::milliseconds time_limit{120'000}; ///< for one mail
  /// For the mails' dates; null: the system's clock.
  std::function<micros()> now;
};

/// `ec::bad_setting` if `from` is no address. One mail is one connection; it is
/// sent once the relay has taken it for at least one of its recipients. What
/// the relay refuses with 5xx is `ec::invalid_argument`, all else
/// `ec::overloaded`.
caf::expected<std::unique_ptr<mailer>> make_smtp_mailer(smtp_options options);

} // namespace depositd
