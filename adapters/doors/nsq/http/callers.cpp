#include "adapters/doors/nsq/http/callers.hpp"

#include "adapters/doors/http/browser.hpp"
#include "messages/values/base64.hpp"
#include "messages/values/blanks.hpp"
#include "messages/values/topic_names.hpp"

#include <algorithm>

namespace depositd::nsq_http {

namespace {

bool changes(const http::request& x) {
  return x.method != "GET" && x.method != "HEAD";
}

std::string_view scheme_of(std::string_view header) {
  return header.substr(0, header.find(' '));
}

std::string key_in_login(std::string_view header) {
  const auto blank = header.find(' ');
  if (blank == std::string_view::npos)
    return {};
  const auto scheme = scheme_of(header);
  const auto rest = trimmed(header.substr(blank));
  if (http::same_token(scheme, "bearer"))
    return std::string{rest};
  if (!http::same_token(scheme, "basic"))
    return {};
  const auto login = decode_base64(rest);
  const auto colon = login ? login->find(':') : std::string::npos;
  return colon == std::string::npos ? std::string{} : login->substr(colon + 1);
}

} // namespace

bool may(const caller& who, nsq::topic_right what, std::string_view topic,
         std::string_view channel) {
  return !who.key || nsq::may(*who.key, what, topic, channel);
}

bool may_see(const caller& who, std::string_view topic) {
  using right = nsq::topic_right;
  if (may(who, right::look, topic) || may(who, right::publish, topic)
      || may(who, right::subscribe, topic))
    return true;
  const auto channels = topic_queue(topic) + '/';
  const auto& permits = who.key->permits;
  return std::any_of(permits.begin(), permits.end(), [&](const auto& x) {
    return x.queue.starts_with(channels);
  });
}

std::string key_of(const http::request& x) {
  if (const auto* key = x.header("x-bv-api-key"); key && !key->empty())
    return *key;
  if (const auto* login = x.header("authorization"))
    return key_in_login(*login);
  const auto* secret = http::find(x.query, "secret");
  return secret ? *secret : std::string{};
}

bool is_forged(const http::request& x) {
  if (key_of(x).empty())
    return !http::may_be_nobody(x);
  const auto* login = x.header("authorization");
  const bool typed = login && http::same_token(scheme_of(*login), "basic");
  return typed && changes(x) && !http::is_from_own_page(x);
}

} // namespace depositd::nsq_http
