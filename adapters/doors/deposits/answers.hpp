#pragma once

// What the door answers: JSON documents that no cache keeps.

#include "adapters/doors/accounts/deposit_desk.hpp"
#include "adapters/doors/accounts/login_desk.hpp"
#include "adapters/doors/http/message.hpp"
#include "adapters/doors/kit/sessions.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/rows.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace depositd::deposits {

http::response document_answer(unsigned status,
                               const nlohmann::ordered_json& what);

/// {"error": WORD, "text": SENTENCE}
http::response refusal(unsigned status, std::string_view word,
                       std::string_view text);

/// What the server refuses by itself, at a path of this door; nothing: at
/// another.
std::optional<http::response> refused_by_server(const http::request& what,
                                                unsigned status,
                                                std::string_view text);

/// 200 with an ETag, or 304 if it is among those that the browser has.
http::response known_answer(std::string document, std::string_view known);

http::response no_session();  ///< 401
http::response forged();      ///< 403: not from a page of this door
http::response unknown_one(); ///< 404

/// What an error of the engine is at this door.
http::response error_answer(const caf::error& why, unsigned retry_after_s);

/// Why nobody was let in.
http::response refused_login(const accounts::login_refusal& why,
                             unsigned retry_after_s);

/// What speaks against a deposit; there has to be something.
http::response refused_deposit(accounts::deposit_fault fault);

/// Who is logged in, until when, and what can be done here.
nlohmann::ordered_json session_document(const kit::session& x,
                                        std::uint64_t file_bytes_max);

/// Without what became of it in full.
nlohmann::ordered_json document_of(const submission_row& row);

} // namespace depositd::deposits
