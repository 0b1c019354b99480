#pragma once

// The pages of Crossref's door, as its clients look for them.

#include "adapters/doors/http/message.hpp"
#include "messages/values/errors.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace depositd::crossref {

/// 200, 144 bytes: clients search for SUCCESS, or for the whole sentence. Of
/// several files it also says that the first alone was taken.
http::response success_page(std::size_t files = 1);

/// "Your XML batch submission failed. [reason]".
http::response failure_page(unsigned status, std::string_view reason);

/// The same of what the server refuses by itself, at a path of this door;
/// nothing: at another.
std::optional<http::response> refused_by_server(const http::request& what,
                                                unsigned status,
                                                std::string_view text);

/// 401: wrong user and wrong password look the same.
http::response wrong_credentials_page();
http::response no_login_page();

/// 429 with Retry-After.
http::response later_page(unsigned retry_after_s, std::string_view reason);

/// 500 that names the limit of requests at once, as the source system does.
http::response concurrent_limit_page(unsigned maximum);

/// 504 for a deposit of which nobody knows whether it has come in.
http::response unanswered_page();

/// 404 for what came by a door that leaves contents to who has written them.
http::response contents_not_kept_page();

/// What an error of the engine is at this door.
http::response error_page(const caf::error& why, unsigned retry_after_s);

/// A document for who asks what became of a submission.
http::response xml_document(unsigned status, std::string document);

/// What was deposited, byte for byte: a stranger's.
http::response deposited_file(std::string bytes);

} // namespace depositd::crossref
