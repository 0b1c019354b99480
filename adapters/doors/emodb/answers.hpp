#pragma once

// Every answer of the door, byte for byte as EmoDB's clients expect it.

#include "adapters/doors/http/message.hpp"
#include "adapters/doors/kit/json_reader.hpp"
#include "messages/values/errors.hpp"

#include <string>
#include <string_view>

namespace depositd::emodb {

inline constexpr unsigned retry_after_s = 1;

/// 200 with exactly the type that clients compare.
http::response json_answer(std::string body);

/// 200, {"success":true}.
http::response success();

/// 400 that a Java client turns into an IllegalArgumentException.
http::response illegal_argument(std::string text);

/// 400 for a body that is no JSON, or of another shape.
http::response bad_json(std::string_view why);

/// What a reader stopped at.
http::response bad_json(const kit::json_reader& reader);

/// 422: a body is needed.
http::response empty_body();

/// 400 for a parameter.
http::response not_a_number(std::string_view value);
http::response not_a_boolean(std::string_view value);

/// 403: no or unknown key, or one without the right.
http::response not_authorized();

/// 403: a batch names a queue that the key may not send to.
http::response queue_forbidden(std::string_view queue);

http::response not_found();
http::response unsupported_media_type();
http::response not_acceptable();

/// 404 for a move that is not known.
http::response unknown_move(std::string_view reference);

/// 503 that a Java client knows as such.
http::response service_unavailable(std::string_view why);

/// 503 because the key has as many messages pending as the queue allows.
http::response queue_full(bool over_bytes = false);

/// The user asks more often than its quota for the queue allows.
http::response too_many_requests();

/// The key is known, but its time is over.
http::response key_expired();

/// The answer to an error of the core.
http::response failure(const caf::error& why);

} // namespace depositd::emodb
