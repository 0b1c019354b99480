#include "adapters/minters/http_minter.hpp"

#include "adapters/fetching/curl_kit.hpp"
#include "messages/values/blanks.hpp"

#include <algorithm>
#include <string_view>
#include <thread>

namespace depositd {

namespace {

constexpr std::size_t answer_bytes_max = 64 * 1024;
constexpr std::string_view success = "success:";
constexpr long look_limit_ms = 10'000;

/// What ANVL cannot have in a value is encoded.
std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c == '%')
      out += "%25";
    else if (c == '\n')
      out += "%0A";
    else if (c == '\r')
      out += "%0D";
    else
      out += c;
  return out;
}

std::string body_of(const mint_request& x) {
  std::string out;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty())
      out += std::string{name} + ": " + encoded(value) + "\n";
  };
  add("_target", x.target);
  add("_profile", "erc");
  add("erc.who", x.who);
  add("erc.what", x.what);
  add("erc.when", x.when);
  return out;
}

struct answer_text {
  std::string text;
  bool too_large = false;
};

std::size_t collect(char* data, std::size_t, std::size_t count, void* to) {
  auto& answer = *static_cast<answer_text*>(to);
  answer.too_large = answer.text.size() + count > answer_bytes_max;
  if (answer.too_large)
    return 0;
  answer.text.append(data, count);
  return count;
}

caf::error refused(ec code, std::string_view what, std::string_view answer) {
  std::string text{what};
  for (const unsigned char c : answer.substr(0, 200))
    text += c < 0x20 || c == 0x7f ? ' ' : static_cast<char>(c);
  return caf::make_error(code, std::move(text));
}

/// Many say nothing but the status.
caf::error answered(ec code, long status, std::string_view answer) {
  if (trimmed(answer).empty())
    return refused(code, "the minter answers with ", std::to_string(status));
  return refused(code, "the minter answers: ", answer);
}

/// Whoever leads elsewhere does so whatever was asked, as a service that has
/// a page for when it is closed.
bool may_pass(long status) {
  return status >= 500 || (status >= 300 && status < 400) || status == 408
         || status == 429;
}

/// "success: ark:/99999/fk4abc | more".
caf::expected<std::string> read_answer(long status, std::string_view answer) {
  if (may_pass(status))
    return answered(ec::overloaded, status, answer);
  if (status == 401 || status == 403)
    return answered(ec::wrong_credentials, status, answer);
  if (status >= 300)
    return answered(ec::invalid_argument, status, answer);
  if (!answer.starts_with(success))
    return answered(ec::malformed, status, answer);
  const auto first = answer.find_first_not_of(' ', success.size());
  const auto out =
    first == answer.npos
      ? std::string_view{}
      : answer.substr(first, answer.find_first_of(" \t\r\n|", first) - first);
  const auto known = std::string_view{"=~*+@_$%.-/:"};
  for (const char c : out)
    if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z')
        && !(c >= '0' && c <= '9') && known.find(c) == known.npos)
      return refused(ec::malformed, "the minter gives no ARK: ", answer);
  if (!out.starts_with("ark:") || out.find('/') == out.npos
      || out.ends_with('/') || out.size() > 1'024)
    return refused(ec::malformed, "the minter gives no ARK: ", answer);
  return std::string{out};
}

/// What every request is told.
void set_up(CURL* easy, const http_minter_options& options) {
  set_up_web(easy);
  curl_easy_setopt(easy, CURLOPT_URL, options.url.c_str());
  stop_curl_if(easy, options.stopped);
  if (options.user.empty())
    return;
  curl_easy_setopt(easy, CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
  curl_easy_setopt(easy, CURLOPT_USERNAME, options.user.c_str());
  curl_easy_setopt(easy, CURLOPT_PASSWORD, options.password.c_str());
}

/// The service's front door is there, and nobody is behind it.
bool is_nobody_there(long status) {
  return status >= 502 && status <= 504;
}

class http_minter final : public minter {
public:
  explicit http_minter(http_minter_options options)
    : options_(std::move(options)) {
    // nop
  }

  caf::expected<std::string> mint(const mint_request& x) override {
    const auto body = body_of(x);
    for (std::uint32_t i = 1;; ++i) {
      auto out = ask(body);
      const bool over = out || i >= options_.tries;
      // What is no answer at all may be the service's front door in trouble.
      if (over
          || (out.error() != ec::overloaded && out.error() != ec::malformed)
          || !wait())
        return out;
    }
  }

private:
  /// False: there is to be no other try.
  bool wait() const {
    constexpr std::chrono::milliseconds look{1'000};
    for (auto left = options_.retry_delay; left.count() > 0; left -= look) {
      if (options_.stopped && options_.stopped())
        return false;
      std::this_thread::sleep_for(std::min(left, look));
    }
    return !options_.stopped || !options_.stopped();
  }

  caf::expected<std::string> ask(const std::string& body) const {
    const auto easy = make_curl_easy();
    if (!easy)
      return caf::make_error(ec::overloaded, std::string{"no memory for curl"});
    const auto headers =
      curl_strings_of({"Content-Type: text/plain; charset=UTF-8"});
    answer_text answer;
    const auto set = [&](CURLoption option, auto value) {
      curl_easy_setopt(easy.get(), option, value);
    };
    set_up(easy.get(), options_);
    set(CURLOPT_HTTPHEADER, headers.get());
    set(CURLOPT_POSTFIELDS, body.c_str());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(options_.time_limit.count()));
    set(CURLOPT_WRITEFUNCTION, &collect);
    set(CURLOPT_WRITEDATA, &answer);
    const auto code = curl_easy_perform(easy.get());
    if (answer.too_large)
      return refused(ec::malformed, "the minter answers more than ",
                     std::to_string(answer_bytes_max) + " bytes");
    if (code != CURLE_OK)
      return refused(ec::overloaded,
                     "the minter cannot be asked: ", curl_easy_strerror(code));
    long status = 0;
    curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
    return read_answer(status, answer.text);
  }

  const http_minter_options options_;
};

} // namespace

std::unique_ptr<minter> make_http_minter(http_minter_options options) {
  return std::make_unique<http_minter>(std::move(options));
}

caf::error look_for_http_minter(const http_minter_options& options) {
  const auto easy = make_curl_easy();
  if (!easy)
    return {}; // nothing is known
  set_up(easy.get(), options);
  curl_easy_setopt(easy.get(), CURLOPT_NOBODY, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_TIMEOUT_MS, look_limit_ms);
  const auto code = curl_easy_perform(easy.get());
  if (code == CURLE_ABORTED_BY_CALLBACK)
    return {}; // the program ends
  if (code != CURLE_OK)
    return refused(ec::overloaded,
                   "the minter cannot be asked: ", curl_easy_strerror(code));
  long status = 0;
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
  if (is_nobody_there(status))
    return refused(ec::overloaded,
                   "the minter answers with ", std::to_string(status));
  return {};
}

} // namespace depositd
