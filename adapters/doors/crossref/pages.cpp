#include "adapters/doors/crossref/pages.hpp"

#include "adapters/doors/http/text.hpp"

namespace depositd::crossref {

namespace {

constexpr const char* html = "text/html;charset=ISO-8859-1";

http::response page(unsigned status, std::string_view title,
                    std::string_view text) {
  std::string body = "\n\n\n\n<html>\n<head><title>";
  body += title;
  body += "</title>\n</head>\n<body>\n<h2>";
  body += title;
  body += "</h2>\n<p>";
  body += text;
  body += "</p>\n</body>\n</html>\n";
  return http::response::of(status, html, std::move(body));
}

/// A browser that is led here takes it for neither a page nor a script of this
/// door, at which somebody may be logged in.
http::response inert(http::response what) {
  return std::move(what)
    .with("Content-Security-Policy", "default-src 'none'; sandbox")
    .with("X-Content-Type-Options", "nosniff");
}

} // namespace

http::response success_page(std::size_t files) {
  std::string text = "Your batch submission was successfully received.";
  if (files > 1)
    text += "</p>\n<p>Only the first of the " + std::to_string(files)
            + " files in the form was taken: send each in a form of its own.";
  return page(200, "SUCCESS", text);
}

http::response failure_page(unsigned status, std::string_view reason) {
  std::string text = "Your XML batch submission failed. [";
  text += http::escape_html(reason);
  text += ']';
  return page(status, "FAILURE", text);
}

std::optional<http::response> refused_by_server(const http::request& what,
                                                unsigned status,
                                                std::string_view text) {
  if (!what.path.starts_with("/servlet/") && !what.path.starts_with("/v2/"))
    return std::nullopt;
  return failure_page(status, text);
}

http::response wrong_credentials_page() {
  return failure_page(401, "Wrong credentials. Incorrect username or password.")
    .with("WWW-Authenticate", "FormBased");
}

http::response no_login_page() {
  return failure_page(401, "No login info in request.")
    .with("WWW-Authenticate", "FormBased");
}

http::response later_page(unsigned retry_after_s, std::string_view reason) {
  auto out = failure_page(429, reason);
  out.headers.emplace_back("Retry-After", std::to_string(retry_after_s));
  return out;
}

http::response concurrent_limit_page(unsigned maximum) {
  std::string text = "ExceededConcurrentLimit: maximum ";
  text += std::to_string(maximum);
  text += " requests at once";
  return failure_page(500, text);
}

http::response unanswered_page() {
  return failure_page(504,
                      "No answer in time. It may have come in: ask for its "
                      "result before you send it again.");
}

http::response contents_not_kept_page() {
  return failure_page(404,
                      "What was sent is not kept here: whoever wrote the "
                      "record has it.");
}

http::response error_page(const caf::error& why, unsigned retry_after_s) {
  if (why == ec::pending_limit_reached)
    return later_page(retry_after_s,
                      "Too many pending submissions. Try again later.");
  if (why == ec::quota_reached)
    return later_page(retry_after_s, render(why) + ". Try again later.");
  if (why == ec::invalid_argument || why == ec::malformed)
    return failure_page(400, render(why));
  if (why == ec::too_large)
    return failure_page(413, render(why));
  // Draining, recovering, overloaded, or no answer in time: try again.
  return http::unavailable(retry_after_s);
}

http::response xml_document(unsigned status, std::string document) {
  return inert(http::response::of(status, "text/xml;charset=UTF-8",
                                  std::move(document)));
}

http::response deposited_file(std::string bytes) {
  return inert(
           http::response::of(200, "application/xml", std::move(bytes)))
    .with("Content-Disposition", "attachment")
    .with("Cache-Control", "no-store");
}

} // namespace depositd::crossref
