#include "adapters/notifying/web_callbacks.hpp"

#include "adapters/notifying/mail_headers.hpp"
#include "adapters/notifying/receiver_rests.hpp"
#include "adapters/notifying/signature.hpp"
#include "messages/values/base64.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include <curl/curl.h>

namespace depositd {

namespace {

using clock = std::chrono::steady_clock;

/// Behind the head of an answer, which is all that anybody looks at. Some
/// receivers never end what they say.
constexpr std::size_t answer_bytes_max = 64 * 1024;
constexpr std::chrono::seconds rest_limit{5};

caf::error final_error(std::string text) {
  return caf::make_error(ec::invalid_argument, std::move(text));
}

/// A URL in two: what may be shown and what may not.
struct split_url {
  std::string url;   ///< without user and password
  std::string login; ///< "user:password"; empty: none
};

using handle = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

std::string part(const handle& from, CURLUPart which, unsigned flags) {
  char* text = nullptr;
  if (curl_url_get(from.get(), which, &text, flags) != CURLUE_OK)
    return {};
  const std::unique_ptr<char, decltype(&curl_free)> owner{text, &curl_free};
  return text;
}

caf::expected<split_url> split(const std::string& text) {
  const handle url{curl_url(), &curl_url_cleanup};
  // No error says the text: a password may be in it.
  if (curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK)
    return final_error("the address of the callback is no URL");
  const auto user = part(url, CURLUPART_USER, CURLU_URLDECODE);
  const auto password = part(url, CURLUPART_PASSWORD, CURLU_URLDECODE);
  curl_url_set(url.get(), CURLUPART_USER, nullptr, 0);
  curl_url_set(url.get(), CURLUPART_PASSWORD, nullptr, 0);
  split_url out{part(url, CURLUPART_URL, 0), {}};
  if (!user.empty() || !password.empty())
    out.login = user + ":" + password;
  return out;
}

class web_callbacks final : public callback_sender {
public:
  web_callbacks(const address_guard& guard, web_callback_options options)
    : guard_(guard), options_(std::move(options)), rests_(options_.steady_now) {
    limits_.connect = std::min(limits_.connect, options_.time_limit);
    // Whoever thinks for long sends nothing meanwhile.
    limits_.stalled = options_.time_limit;
    limits_.redirects_max = 0;
    limits_.ca_file = options_.ca_file;
  }

  caf::error send(const callback& x) override {
    const auto to = split(x.url);
    if (!to)
      return to.error();
    const auto url = parse_url(to->url);
    if (!url)
      return final_error("the callback cannot be sent: " + render(url.error()));
    if (!header_fault(x.id).empty())
      return final_error("the id of the callback " + header_fault(x.id));
    for (const auto& [name, value] : x.headers)
      if (!header_fault(name + value).empty())
        return final_error("a header of the callback "
                           + header_fault(name + value));
    const auto receiver = receiver_of(*url);
    if (const auto rest = rests_.left(receiver); rest.count() > 0)
      return resting(url->host, rest);
    web_request request;
    request.url = to->url;
    request.post = x.body;
    request.headers = headers_of(x, to->login);
    request.within = options_.time_limit;
    std::size_t bytes = 0;
    request.body = [&bytes](std::string_view piece) {
      bytes += piece.size();
      return bytes <= answer_bytes_max
               ? caf::error{}
               : caf::make_error(ec::too_large, "a long answer");
    };
    std::optional<clock::time_point> answered;
    request.begin = [&answered](const web_answer&) {
      answered = clock::now();
      return caf::error{};
    };
    auto limits = limits_;
    limits.stopped = [this, &answered] {
      return (answered && clock::now() >= *answered + rest_limit)
             || (options_.stopped && options_.stopped());
    };
    const auto ending = perform(request, guard_, limits);
    if (ending.answer.status >= 300)
      rests_.ask(receiver, ending.answer.retry_after);
    return judged(url->host, ending);
  }

  std::chrono::milliseconds rest_of(const std::string& address) override {
    const auto to = split(address);
    const auto url = to ? parse_url(to->url) : to.error();
    return url ? rests_.left(receiver_of(*url)) : std::chrono::milliseconds{0};
  }

private:
  static std::string receiver_of(const web_url& url) {
    return url.host + ":" + std::to_string(url.port);
  }

  static caf::error resting(const std::string& host,
                            std::chrono::milliseconds rest) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(rest).count();
    return caf::make_error(ec::overloaded,
                           host + " wants to be called again in "
                             + std::to_string(seconds) + " s");
  }

  std::vector<std::string> headers_of(const callback& x,
                                      const std::string& login) const {
    std::vector<std::string> out{
      x.body.empty() ? "Content-Type:" : "Content-Type: application/json",
      "Expect:"};
    for (const auto& [name, value] : x.headers)
      if (!value.empty()) // curl takes it for a header that is not wanted
        out.push_back(name + ": " + value);
    if (!x.id.empty())
      out.push_back("X-Depositd-Id: " + x.id);
    if (!login.empty())
      out.push_back("Authorization: Basic " + encode_base64(login));
    if (!x.key.empty())
      out.push_back("X-Depositd-Signature: "
                    + signature_of(x.key, unix_s(), x.body));
    return out;
  }

  std::int64_t unix_s() const {
    using namespace std::chrono;
    return options_.now
             ? options_.now()
             : duration_cast<seconds>(system_clock::now().time_since_epoch())
                 .count();
  }

  static caf::error judged(const std::string& host, const web_ending& x) {
    const auto status = x.answer.status;
    if (status >= 200 && status < 300)
      return {};
    const bool passing = status == 408 || status == 425 || status == 429;
    if (status >= 400 && status < 500 && !passing)
      return final_error(host + " refuses the callback with "
                         + std::to_string(status));
    if (status == 0 && x.failure == ec::malformed)
      return final_error("the callback cannot be sent: " + render(x.failure));
    if (status >= 300)
      return caf::make_error(ec::overloaded, host
                                               + " answers the callback with "
                                               + std::to_string(status));
    return caf::make_error(ec::overloaded,
                           "the callback cannot be sent: " + render(x.failure));
  }

  const address_guard& guard_;
  const web_callback_options options_;
  web_limits limits_;
  receiver_rests rests_;
};

} // namespace

std::unique_ptr<callback_sender>
make_web_callbacks(const address_guard& guard, web_callback_options options) {
  return std::make_unique<web_callbacks>(guard, std::move(options));
}

} // namespace depositd
