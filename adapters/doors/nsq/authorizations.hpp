#pragma once

// What an authentication server says of a client, as nsqd asks for it.

#include "messages/values/errors.hpp"

#include <chrono>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::nsq {

/// What is asked.
struct auth_question {
  std::string secret;
  std::string remote_ip;
  bool tls = false;
  std::string common_name; ///< of the client's certificate
};

struct authorization {
  std::regex topic;
  std::vector<std::regex> channels;
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
