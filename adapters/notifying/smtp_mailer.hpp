#pragma once

// Mail by SMTP, to the relay that the operator names.

#include "messages/ports/notifiers.hpp"
#include "messages/values/endpoint.hpp"
#include "messages/values/types.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace depositd {

/// How the connection to the relay is kept private.
enum class mail_privacy : std::uint8_t {
  none,
  starttls, ///< or no mail is sent
  tls,      ///< from the first byte on
};

struct smtp_options {
  endpoint relay;
  std::string from; ///< "NAME@HOST"
  std::chrono::milliseconds connect_limit{30'000};
  std::chrono::milliseconds time_limit{120'000}; ///< for one mail
  mail_privacy privacy = mail_privacy::none;
  std::string ca_file; ///< that signs for the relay; empty: the system's
  std::string user;    ///< to log in with; empty: no login
  std::string password;
  /// For the mails' dates; null: the system's clock.
  std::function<micros()> now;
  /// Asked about once a second; true breaks a mail off. Null: nobody does.
  std::function<bool()> stopped;
};

/// `ec::bad_setting` if `from` is no address, or if a password would go over a
/// connection that others can read. One mail is one connection; it is
/// sent once the relay has taken it for at least one of its recipients. What
/// the relay refuses with 5xx is `ec::invalid_argument`, all else, a refused
/// login too, `ec::overloaded`.
caf::expected<std::unique_ptr<mailer>> make_smtp_mailer(smtp_options options);

/// Connects as for a mail and logs in, but sends none. Why the relay takes no
/// mail at all now (`ec::overloaded`); none: it is there, whatever it may say
/// of a mail. Blocks.
caf::error look_for_relay(const smtp_options& options);

} // namespace depositd
