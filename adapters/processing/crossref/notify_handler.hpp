#pragma once

// Tells depositors what became of a deposit: by the callback of the account,
// else by mail.

#include "adapters/processing/crossref/xml_limits.hpp"
#include "adapters/processing/stages/receiver_turns.hpp"
#include "adapters/processing/stages/stage_tools.hpp"
#include "messages/values/submission_body.hpp"
#include "messages/values/types.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace depositd::crossref {

struct notify_options {
  std::shared_ptr<const stages::stage_tools> tools;
  /// Where depositors fetch results: "https://HOST[:PORT]"; empty as long as
  /// that is not known. From any thread.
  std::function<std::string()> public_url;
  std::int64_t retention_s = 0; ///< how long results are kept
  xml_limits limits = {};
  /// Of whom is told; null: turns that leave half of the workers to those who
  /// answer soon.
  std::shared_ptr<stages::receiver_turns> turns = nullptr;
};

/// Of the handler below.
inline constexpr const char* notify_handler_name = "crossref.notify";

/// Works on the deposits of the outbox. Done also if there is nobody to tell;
/// failed if whoever is told will never take it; else to be tried again.
stages::stage_handler make_notify_handler(notify_options options);

/// Whom a deposit names, whatever its operation; empty: nobody that mail can
/// be sent to.
std::string address_in(const submission& what, std::string_view bytes,
                       const xml_limits& limits);

} // namespace depositd::crossref
