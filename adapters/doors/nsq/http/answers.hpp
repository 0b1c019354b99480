#pragma once

// Answers in nsqd's own words and with its headers.

#include "adapters/doors/http/message.hpp"
#include "messages/values/errors.hpp"

#include <string>
#include <string_view>

namespace depositd::nsq_http {

/// 200 "OK": published.
http::response ok();

/// 200 without a body: done.
http::response nothing();

/// 200 with a JSON document.
http::response document(std::string json);

/// 200 with plain text.
http::response text(std::string body);

/// {"message":"WORD"}.
http::response failed(unsigned status, std::string_view word);

/// No key, or one that is not known.
http::response unauthorized();

/// The key may not do this.
http::response forbidden();

/// The answer to an error of the core.
http::response failure(const caf::error& why);

/// What the server refuses by itself; see `http::server_options::refuse`.
http::response refused(const http::request& what, unsigned status,
                       const std::string& text);

} // namespace depositd::nsq_http
