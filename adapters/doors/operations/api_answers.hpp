#pragma once

// How the API of operators answers.

#include "adapters/doors/http/message.hpp"
#include "messages/values/errors.hpp"

#include <string>

namespace depositd {

/// A document of JSON that nobody keeps, and no browser takes for a page.
http::response api_document(unsigned status, std::string document);

/// {"error": WORD, "text": TEXT}
http::response api_refusal(unsigned status, const std::string& word,
                           const std::string& text);

/// The same of what the engine says; what may be tried again says when.
http::response api_refusal(const caf::error& why);

/// The word of an error for programs.
std::string error_word(const caf::error& why);

/// What the server refuses by itself: as JSON below /api/, else as text.
http::response api_refusal_of_server(const http::request& from, unsigned status,
                                     const std::string& text);

/// The head of a stream of events.
http::response api_event_stream(std::shared_ptr<http::body_stream> body);

} // namespace depositd
