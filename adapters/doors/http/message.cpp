#include "adapters/doors/http/message.hpp"

#include <utility>

namespace depositd::http {

response response::text(unsigned status, std::string body) {
  return of(status, "text/plain;charset=UTF-8", std::move(body));
}

response response::of(unsigned status, std::string content_type,
                      std::string body) {
  return {status, {{"Content-Type", std::move(content_type)}}, std::move(body)};
}

response&& response::with(std::string name, std::string value) && {
  headers.emplace_back(std::move(name), std::move(value));
  return std::move(*this);
}

response refusal(unsigned status, std::string text) {
  return response::text(status, std::move(text) + '\n');
}

response unavailable(unsigned retry_after_s) {
  return response::of(503, "text/html;charset=ISO-8859-1",
                      "<html><body><h1>503 Service Unavailable</h1>\n"
                      "No server is available to handle this request.\n"
                      "</body></html>\n")
    .with("Retry-After", std::to_string(retry_after_s));
}

} // namespace depositd::http
