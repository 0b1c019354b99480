#pragma once

// Who calls, and what they may see.

#include "adapters/doors/http/message.hpp"
#include "adapters/doors/nsq/rights.hpp"

#include <string>
#include <string_view>

namespace depositd::nsq_http {

struct caller {
  const kit::api_key* key = nullptr; ///< null: may do everything
  std::string user;                  ///< of what is published
};

/// An empty topic stands for all there may be.
bool may(const caller& who, nsq::topic_right what, std::string_view topic,
         std::string_view channel = {});

/// Whoever may do anything with a topic, or with a channel of it, must be able
/// to find it.
bool may_see(const caller& who, std::string_view topic);

/// In `X-BV-API-Key`, as a bearer's token, as the password of a basic login, or
/// as `secret` in the query; empty if there is none.
std::string key_of(const http::request& x);

/// Whether a page in somebody's browser may have sent it with no more than what
/// browsers add by themselves: nothing, or a login that was typed before.
bool is_forged(const http::request& x);

} // namespace depositd::nsq_http
