#include "adapters/doors/nsq/authorizations.hpp"

#include "messages/values/json_text.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>
#include <re2/re2.h>

namespace depositd::nsq {

namespace {

using json = nlohmann::json;

constexpr std::size_t patterns_max = 1'000; ///< of one client
constexpr std::size_t pattern_bytes_max = 256;
constexpr std::int64_t pattern_memory_max = 256 * 1024; ///< compiled

/// Why a document is no answer; caught here.
struct bad_answer {
  std::string why;
};

/// As Go reads members: one that is not there, or null, is nothing.
template <class T>
T given_or(const json& x, const char* name, T nothing) {
  const auto at = x.find(name);
  return at == x.end() || at->is_null() ? nothing : at->get<T>();
}

name_pattern pattern_of(const json& x) {
  const auto text = x.get<std::string>();
  if (text.size() > pattern_bytes_max)
    throw bad_answer{"a pattern is too long"};
  re2::RE2::Options how;
  how.set_log_errors(false);
  how.set_max_mem(pattern_memory_max);
  auto out = std::make_shared<const re2::RE2>(text, how);
  if (!out->ok())
    throw bad_answer{"a pattern is no regular expression"};
  return out;
}

/// Somewhere in the name, as nsqd does.
bool matches(const std::string& name, const name_pattern& x) {
  return re2::RE2::PartialMatch(name, *x);
}

authorization read_one(const json& x) {
  authorization out;
  out.topic = pattern_of(x.at("topic"));
  for (const auto& channel : given_or(x, "channels", json::array()))
    out.channels.push_back(pattern_of(channel));
  for (const auto& right : given_or(x, "permissions", json::array())) {
    const auto name = right.get<std::string>();
    if (name != "publish" && name != "subscribe")
      throw bad_answer{"unknown permission"};
    (name == "publish" ? out.publish : out.subscribe) = true;
  }
  return out;
}

auth_state read_all(const json& x) {
  auth_state out;
  out.identity = given_or(x, "identity", std::string{});
  out.identity_url = given_or(x, "identity_url", std::string{});
  out.ttl = std::chrono::seconds{given_or(x, "ttl", std::int64_t{0})};
  if (out.ttl <= out.ttl.zero())
    throw bad_answer{"invalid TTL (must be >0)"};
  out.ttl = std::min(out.ttl, std::chrono::seconds{366 * 86'400});
  std::size_t patterns = 0;
  for (const auto& one : given_or(x, "authorizations", json::array())) {
    // Before they are compiled: each may take a hundred times its bytes.
    patterns += 1 + given_or(one, "channels", json::array()).size();
    if (patterns > patterns_max)
      throw bad_answer{"too many patterns"};
    out.permits.push_back(read_one(one));
  }
  return out;
}

std::string encoded(std::string_view text) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || std::string_view{"-_.~"}.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += '%';
      out += hex[byte >> 4];
      out += hex[byte & 0xf];
    }
  }
  return out;
}

} // namespace

bool auth_state::allows(const std::string& topic,
                        const std::string& channel) const {
  return std::any_of(permits.begin(), permits.end(), [&](const auto& x) {
    return (channel.empty() ? x.publish : x.subscribe)
           && matches(topic, x.topic)
           && std::any_of(
             x.channels.begin(), x.channels.end(),
             [&](const auto& each) { return matches(channel, each); });
  });
}

caf::expected<auth_state> read_auth_state(std::string_view document) {
  const auto bad = [](const std::string& why) {
    return caf::make_error(ec::malformed,
                           "the authentication server's answer: " + why);
  };
  try {
    return read_all(sound_json_of(document));
  } catch (const bad_answer& x) {
    return bad(x.why);
  } catch (const json::exception&) {
    return bad("no such JSON as nsqd asks for");
  }
}

std::string auth_url(const std::string& address, const auth_question& what) {
  const auto base = address.find("://") != std::string::npos
                      ? address
                      : "http://" + address + "/auth";
  return base + "?common_name=" + encoded(what.common_name) + "&remote_ip="
         + encoded(what.remote_ip) + "&secret=" + encoded(what.secret)
         + "&tls=" + (what.tls ? "true" : "false");
}

} // namespace depositd::nsq
