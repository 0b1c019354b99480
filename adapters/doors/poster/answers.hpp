#pragma once

// What the door answers: JSON documents.

#include "adapters/doors/accounts/login_desk.hpp"
#include "adapters/doors/http/message.hpp"
#include "adapters/doors/http/router.hpp"
#include "messages/values/errors.hpp"

#include <optional>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace depositd::poster {

http::response document_answer(unsigned status,
                               const nlohmann::ordered_json& what);

/// {"error": "..."}
http::response refusal(unsigned status, std::string_view reason);

/// 401 that asks for a login of the kind Basic.
http::response login_refusal(std::string_view reason);

/// What a request that changes something is told if a page of somebody else has
/// sent it, with a login of the kind Basic that its browser remembers.
std::optional<http::response> refuse_forged(const http::request& from);

/// 429 with Retry-After.
http::response later(unsigned retry_after_s, std::string_view reason);

/// 503 with Retry-After.
http::response unavailable(unsigned retry_after_s, std::string_view reason);

/// How routes of this door say that nobody can answer now, or in time.
void say_as_this_door(http::route_options& to);

/// The same of what the server refuses by itself. Nothing: the request is for
/// another door.
std::optional<http::response> refused_by_server(const http::request& what,
                                                unsigned status,
                                                std::string_view text);

/// What an error of the engine is at this door.
http::response error_answer(const caf::error& why, unsigned retry_after_s);

/// Why nobody was let in.
http::response refused_login(const accounts::login_refusal& why,
                             unsigned retry_after_s);

/// 200 with what the manifest is, or 422 with the line and what is wrong
/// there.
http::response manifest_answer(std::string_view manifest);

} // namespace depositd::poster
