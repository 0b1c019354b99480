#include "messages/values/errors.hpp"

#include <caf/error.hpp>
#include <caf/make_message.hpp>
#include <caf/message.hpp>
#include <caf/sec.hpp>

namespace depositd {

const char* to_string(ec code) {
  switch (code) {
    case ec::invalid_argument:
      return "invalid_argument";
    case ec::not_found:
      return "not_found";
    case ec::pending_limit_reached:
      return "pending_limit_reached";
    case ec::stale_claim:
      return "stale_claim";
    case ec::store_failed:
      return "store_failed";
    case ec::store_damaged:
      return "store_damaged";
    case ec::fenced:
      return "fenced";
    case ec::draining:
      return "draining";
    case ec::overloaded:
      return "overloaded";
    case ec::wrong_credentials:
      return "wrong_credentials";
    case ec::bad_setting:
      return "bad_setting";
    case ec::malformed:
      return "malformed";
    case ec::too_large:
      return "too_large";
    case ec::already_exists:
      return "already_exists";
    case ec::throttled:
      return "throttled";
    case ec::not_allowed:
      return "not_allowed";
    case ec::quota_reached:
      return "quota_reached";
  }
  return "unknown";
}

std::string render(const caf::error& error) {
  if (!error)
    return "no error";
  const auto& context = error.context();
  if (context.match_elements<std::string>())
    return context.get_as<std::string>(0);
  if (error.category() == caf::atom("depositd"))
    return to_string(static_cast<ec>(error.code()));
  if (error.category() == caf::atom("system"))
    return to_string(static_cast<caf::sec>(error.code()));
  return caf::to_string(error);
}

} // namespace depositd

caf::message
caf::detail::error_factory<depositd::ec>::context(std::string why) {
  return make_message(std::move(why));
}
