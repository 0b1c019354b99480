#pragma once

// Who a client is, and what it may do. In its connection's thread.

#include "adapters/doors/nsq/authorizations.hpp"
#include "adapters/doors/nsq/refusal.hpp"
#include "adapters/doors/nsq/rights.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace depositd::nsq {

/// A name that is legal for a user, as like the text as possible.
std::string user_name_of(const std::string& text);

/// The user of those whom nobody authenticates: an IPv4 address, or the part of
/// an IPv6 one that one holder has to itself.
std::string user_of_address(const std::string& address);

class login {
public:
  using time = std::chrono::steady_clock::time_point;

  enum class verdict : std::uint8_t {
    yes,
    no,
    ask_again, ///< what the server said is too old
  };

  /// What a command may do. `refused` says why not.
  verdict may(topic_right what, const std::string& word,
              const std::string& topic, const std::string& channel,
              const std::shared_ptr<const kit::key_ring>& keys, time now);

  const refusal& refused() const {
    return refused_;
  }

  /// The secret is a key. False if it is none.
  bool enter_with_key(const std::string& secret,
                      const std::shared_ptr<const kit::key_ring>& keys);

  /// The server knows the secret.
  void enter_with(const std::string& secret,
                  std::shared_ptr<const auth_state> state, time now);

  bool entered() const {
    return !secret_.empty();
  }

  /// What it entered with.
  const std::string& secret() const {
    return secret_;
  }

  /// The answer to AUTH.
  std::string answer() const;

  const std::string& identity() const {
    return identity_;
  }

  const std::string& identity_url() const {
    return identity_url_;
  }

  /// Of what it publishes; empty: nobody has authenticated it.
  const std::string& user() const {
    return user_;
  }

  /// Null if it came without one, or it is no key any more.
  const kit::api_key* key() const {
    return key_;
  }

private:
  verdict refuse(std::string_view code, const std::string& why);
  bool find_key(const std::shared_ptr<const kit::key_ring>& keys);

  std::string secret_;
  std::string identity_;
  std::string identity_url_;
  std::string user_;
  std::size_t permits_ = 0;
  std::shared_ptr<const auth_state> told_; ///< by the server
  time told_until_{};
  std::shared_ptr<const kit::key_ring> keys_; ///< in which `key_` is
  const kit::api_key* key_ = nullptr;
  refusal refused_;
};

} // namespace depositd::nsq
