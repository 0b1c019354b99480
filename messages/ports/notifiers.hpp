#pragma once

// Ports: how depositors are told. Adapters: adapters/notifying.

#include "messages/values/errors.hpp"
#include "messages/values/types.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace depositd {

struct mail_attachment {
  std::string file_name;
  std::string type; ///< application/json, text/csv
  std::string content;
};

struct mail {
  std::string id; ///< for Message-ID: the same for a repeat of the same mail
  std::vector<std::string> to;
  std::string subject;
  std::string text;
  std::vector<mail_attachment> attachments;
  std::vector<std::string> bcc = {}; ///< get it, too; nobody sees that
};

/// May be called from any thread; blocks. `ec::invalid_argument`: it will never
/// be taken; `ec::overloaded`: it may be taken later.
class mailer {
public:
  virtual ~mailer() = default;
  virtual caf::error send(const mail& x) = 0;
};

struct callback {
  std::string url; ///< may hold user and password, which go into a header
  std::string key; ///< of the signature; empty: none
  std::string id;  ///< the same for a repeat of the same call
  std::string body; ///< JSON; empty: the headers say everything
  std::vector<record_header> headers{}; ///< besides the usual ones
};

/// As `mailer`. Redirects are not followed.
class callback_sender {
public:
  virtual ~callback_sender() = default;
  virtual caf::error send(const callback& x) = 0;

  /// How long whoever takes calls at that address has asked to be left alone
  /// from now on; zero: it may be called. A call that comes sooner is
  /// `ec::overloaded` and goes nowhere. Never blocks.
  virtual std::chrono::milliseconds rest_of(const std::string&) {
    return std::chrono::milliseconds{0};
  }
};

} // namespace depositd
