#include "adapters/fetching/url.hpp"

#include "messages/values/lower_case.hpp"

#include <charconv>
#include <memory>

#include <curl/curl.h>

namespace depositd {

namespace {

using handle = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

caf::error refused(std::string text) {
  return caf::make_error(ec::malformed, std::move(text));
}

/// One part; empty if it is not there.
std::string part(const handle& from, CURLUPart which, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(from.get(), which, &text, flags) != CURLUE_OK)
    return {};
  const std::unique_ptr<char, decltype(&curl_free)> owner{text, &curl_free};
  return text;
}

const char* text_fault(std::string_view text) {
  if (text.empty())
    return "there is no URL";
  if (text.size() > url_bytes_max)
    return "the URL has more than 8192 bytes";
  for (const unsigned char c : text)
    if (c <= 0x20 || c == 0x7f || c == '\\')
      return "the URL has a blank, a backslash or a control character";
  // What they would be once decoded: requests must not have two lines.
  for (const auto* code : {"%0d", "%0D", "%0a", "%0A", "%00"})
    if (text.find(code) != text.npos)
      return "the URL has an encoded line break or zero";
  return nullptr;
}

bool is_web(std::string_view text, std::string_view scheme) {
  if (text.size() < scheme.size())
    return false;
  for (std::size_t i = 0; i < scheme.size(); ++i)
    if ((text[i] | 0x20) != (scheme[i] | 0x20))
      return false;
  return true;
}

} // namespace

caf::expected<web_url> parse_url(std::string_view text) {
  if (const auto* fault = text_fault(text))
    return refused(fault);
  // What opens the address may stand in its query.
  const auto address = text.substr(0, text.find('?'));
  const auto shown = "\"" + std::string{address.substr(0, 200)}
                     + (address == text ? "\"" : "?...\"");
  if (!is_web(text, "http://") && !is_web(text, "https://"))
    return refused("only http and https are fetched, not " + shown);
  // The library takes more slashes than there should be.
  if (text.substr(text.find("://") + 3).starts_with('/'))
    return refused(shown + " is no URL");
  const handle url{curl_url(), &curl_url_cleanup};
  const auto code = curl_url_set(
    url.get(), CURLUPART_URL, std::string{text}.c_str(), CURLU_DISALLOW_USER);
  if (code == CURLUE_USER_NOT_ALLOWED)
    return refused("the URL names a user");
  if (code != CURLUE_OK)
    return refused(shown + " is no URL");
  web_url out;
  out.text = text;
  out.scheme = part(url, CURLUPART_SCHEME);
  out.host = part(url, CURLUPART_HOST);
  out.path = part(url, CURLUPART_PATH);
  if (out.host.starts_with('[') && out.host.ends_with(']'))
    out.host = out.host.substr(1, out.host.size() - 2);
  while (out.host.ends_with('.'))
    out.host.pop_back();
  out.host = lower_case(out.host);
  const auto port = part(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
  std::from_chars(port.data(), port.data() + port.size(), out.port);
  if (out.host.empty() || out.port == 0
      || (out.scheme != "http" && out.scheme != "https"))
    return refused(shown + " is no URL");
  return out;
}

std::string resolve_link(const web_url& base, const std::string& link) {
  const handle url{curl_url(), &curl_url_cleanup};
  if (curl_url_set(url.get(), CURLUPART_URL, base.text.c_str(), 0) != CURLUE_OK
      || curl_url_set(url.get(), CURLUPART_URL, link.c_str(),
                      CURLU_NON_SUPPORT_SCHEME)
           != CURLUE_OK)
    return {};
  return part(url, CURLUPART_URL);
}

std::string file_name_of(const web_url& url) {
  return url.path.substr(url.path.rfind('/') + 1);
}

} // namespace depositd
