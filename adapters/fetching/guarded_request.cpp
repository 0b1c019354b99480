#include "adapters/fetching/guarded_request.hpp"

#include "adapters/fetching/curl_kit.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <netdb.h>

namespace depositd {

namespace {

/// "bytes 5-9/10", "bytes */10".
void read_range(std::string_view text, web_answer& to) {
  if (!text.starts_with("bytes "))
    return;
  text.remove_prefix(6);
  const auto slash = text.find('/');
  if (slash == text.npos)
    return;
  to.range_first = header_number(text.substr(0, text.find('-')));
  to.range_total = header_number(text.substr(slash + 1));
}

/// The library takes what is too long for it as if nothing had been told, and
/// the end of the connection as that of the body.
void read_length(std::string_view text, web_answer& to) {
  to.length = header_number(text);
  to.has_odd_length = !to.length;
}

/// The library reads seconds and dates.
void read_retry_after(CURL* easy, web_answer& to) {
  curl_off_t seconds = 0;
  curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &seconds);
  to.retry_after = std::chrono::seconds{std::clamp<curl_off_t>(
    seconds, 0, std::numeric_limits<std::int32_t>::max())};
}

bool is_redirect(long status) {
  return status == 301 || status == 302 || status == 303 || status == 307
         || status == 308;
}

/// One hop.
class hop {
public:
  hop(const web_request& x, const web_url& url,
      std::vector<std::string> addresses)
    : x_(x), url_(url), addresses_(std::move(addresses)) {
    // nop
  }

  web_ending run(const web_limits& limits, std::chrono::milliseconds within) {
    const auto easy = make_curl_easy();
    const auto headers = curl_strings_of(x_.headers);
    const auto pinned = curl_strings_of({pin(), pin(".")});
    set_up(easy.get(), limits, within);
    curl_easy_setopt(easy.get(), CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(easy.get(), CURLOPT_RESOLVE, pinned.get());
    std::array<char, CURL_ERROR_SIZE> reason{};
    curl_easy_setopt(easy.get(), CURLOPT_ERRORBUFFER, reason.data());
    const auto code = curl_easy_perform(easy.get());
    curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE,
                      &ending_.answer.status);
    read_retry_after(easy.get(), ending_.answer);
    if (is_redirect(ending_.answer.status) && has_head_) {
      redirect = location_.empty() ? "" : resolve_link(url_, location_);
      ending_.failure =
        caf::make_error(ec::malformed, url_.host + " redirects to nowhere");
      return std::move(ending_);
    }
    if ((code != CURLE_OK || !has_head_) && !ending_.failure)
      ending_.failure = caf::make_error(
        ec::overloaded, url_.host + ": " + why_ended(code, reason.data()));
    return std::move(ending_);
  }

  std::string redirect; ///< where to go; empty: nowhere

private:
  /// To the library the end of a connection is the end of an answer, also
  /// within its head; and a line that is too long is a lack of memory.
  std::string why_ended(CURLcode code, const char* reason) const {
    if (code == CURLE_OK)
      return "the connection ended within the head of the answer";
    if (code == CURLE_OUT_OF_MEMORY && !has_head_)
      return "the answer has no head that can be read";
    return reason[0] != '\0' ? reason : curl_easy_strerror(code);
  }

  /// The host has these addresses and no others for this request, also where
  /// the URL has a dot behind it, which makes it another name to the library.
  std::string pin(const std::string& dot = {}) const {
    const bool v6 = url_.host.find(':') != url_.host.npos;
    auto out = (v6 ? "[" + url_.host + "]" : url_.host + dot) + ":"
               + std::to_string(url_.port) + ":";
    for (std::size_t i = 0; i < addresses_.size(); ++i)
      out += (i > 0 ? "," : "") + addresses_[i];
    return out;
  }

  void set_up(CURL* easy, const web_limits& limits,
              std::chrono::milliseconds within) {
    const auto set = [easy](CURLoption option, auto value) {
      curl_easy_setopt(easy, option, value);
    };
    set_up_web(easy);
    set(CURLOPT_URL, url_.text.c_str());
    set(CURLOPT_NOBODY, x_.head ? 1L : 0L);
    if (x_.post) {
      set(CURLOPT_POSTFIELDSIZE_LARGE,
          static_cast<curl_off_t>(x_.post->size()));
      set(CURLOPT_POSTFIELDS, x_.post->c_str());
    }
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits.connect.count()));
    set(CURLOPT_TIMEOUT_MS,
        static_cast<long>(std::max<std::int64_t>(within.count(), 1)));
    set(CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(limits.rate_min));
    set(CURLOPT_LOW_SPEED_TIME,
        static_cast<long>((limits.stalled.count() + 999) / 1'000));
    set(CURLOPT_BUFFERSIZE, 256L * 1024);
    if (!limits.ca_file.empty())
      set(CURLOPT_CAINFO, limits.ca_file.c_str());
    set(CURLOPT_HEADERFUNCTION, &hop::on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &hop::on_body);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_OPENSOCKETFUNCTION, &hop::on_socket);
    set(CURLOPT_OPENSOCKETDATA, this);
    stop_curl_if(easy, limits.stopped);
    easy_ = easy;
  }

  static std::size_t on_header(char* data, std::size_t, std::size_t count,
                               void* self) {
    auto& x = *static_cast<hop*>(self);
    const std::string_view line{data, count};
    auto& answer = x.ending_.answer;
    if (!headers_fit(x.easy_, count))
      x.end_if(caf::make_error(ec::malformed,
                               x.url_.host + " sends headers without end"));
    if (line.starts_with("HTTP/")) {
      answer = {};
      x.location_.clear();
    } else if (is_header_line(line, "location")) {
      x.location_ = header_value(line);
    }
    if (is_header_line(line, "content-length"))
      read_length(header_value(line), answer);
    else if (is_header_line(line, "content-range"))
      read_range(header_value(line), answer);
    else if (is_header_line(line, "etag")
             && header_value(line).starts_with('"'))
      answer.validator = header_value(line);
    else if (is_header_line(line, "last-modified") && answer.validator.empty())
      answer.validator = header_value(line);
    else if (line == "\r\n" || line == "\n")
      x.end_head();
    return x.ending_.failure ? 0 : count;
  }

  static std::size_t on_body(char* data, std::size_t, std::size_t count,
                             void* self) {
    auto& x = *static_cast<hop*>(self);
    // The body of a redirect is nobody's business: it need not be read.
    if (is_redirect(x.ending_.answer.status))
      return 0;
    if (!x.ending_.failure && x.x_.body)
      x.end_if(x.x_.body({data, count}));
    return x.ending_.failure ? 0 : count;
  }

  /// The library connects only where it was told to; this makes it sure.
  static curl_socket_t on_socket(void* self, curlsocktype, curl_sockaddr* to) {
    auto& x = *static_cast<hop*>(self);
    std::array<char, NI_MAXHOST> text{};
    const bool known = ::getnameinfo(&to->addr, to->addrlen, text.data(),
                                     text.size(), nullptr, 0, NI_NUMERICHOST)
                       == 0;
    if (!known
        || std::find(x.addresses_.begin(), x.addresses_.end(), text.data())
             == x.addresses_.end())
      return CURL_SOCKET_BAD;
    return ::socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
  }

  /// What comes before the answer itself (1xx) has a head, too; what comes
  /// behind it in chunks looks like one.
  void end_head() {
    auto& status = ending_.answer.status;
    curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    if (has_head_ || status < 200)
      return;
    has_head_ = true;
    if (x_.begin && !is_redirect(status))
      end_if(x_.begin(ending_.answer));
  }

  void end_if(caf::error failure) {
    if (failure)
      ending_.failure = std::move(failure);
  }

  const web_request& x_;
  const web_url& url_;
  const std::vector<std::string> addresses_;
  CURL* easy_ = nullptr;
  web_ending ending_;
  std::string location_; ///< of a redirect
  bool has_head_ = false; ///< all of it
};

} // namespace

web_ending perform(const web_request& x, const address_guard& guard,
                   const web_limits& limits) {
  using clock = std::chrono::steady_clock;
  const auto deadline = clock::now() + x.within;
  web_ending out;
  auto url = parse_url(x.url);
  for (std::uint32_t hops = 0; url; ++hops) {
    auto addresses = guard.admit(*url);
    if (!addresses) {
      out.failure = std::move(addresses.error());
      return out;
    }
    hop one{x, *url, std::move(*addresses)};
    out = one.run(limits, std::chrono::duration_cast<std::chrono::milliseconds>(
                            deadline - clock::now()));
    if (one.redirect.empty())
      return out;
    if (hops >= limits.redirects_max) {
      out.failure = caf::make_error(
        ec::malformed,
        "more than " + std::to_string(limits.redirects_max) + " redirects");
      return out;
    }
    url = check_redirect(*url, one.redirect);
  }
  out.failure = std::move(url.error());
  return out;
}

} // namespace depositd
