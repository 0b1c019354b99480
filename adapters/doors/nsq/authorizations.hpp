#pragma once

// What an authentication server says of a client, as nsqd asks for it.

#include "messages/values/errors.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {

class RE2;

} // namespace re2

namespace depositd::nsq {

/// A regular expression as nsqd reads it, which takes a time that grows with
/// the name, whatever the server has written.
using name_pattern = std::shared_ptr<const re2::RE2>;

/// What is asked.
struct auth_question {
  std::string secret;
  std::string remote_ip;
  bool tls = false;
  std::string common_name; ///< of the client's certificate
};

struct authorization {
  name_pattern topic;
  std::vector<name_pattern> channels;
  bool publish = false;
  bool subscribe = false;
};

struct auth_state {
  std::string identity;
  std::string identity_url;
  std::chrono::seconds ttl{0};
  std::vector<authorization> permits;

  /// An empty channel: whether it may publish.
  bool allows(const std::string& topic, const std::string& channel) const;
};

/// Reads the server's answer. `ec::malformed` says what is wrong with it.
caf::expected<auth_state> read_auth_state(std::string_view document);

/// Where the question is asked: `address` is HOST:PORT or a whole URL.
std::string auth_url(const std::string& address, const auth_question& what);

} // namespace depositd::nsq
