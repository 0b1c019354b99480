#pragma once

// NSQ's doors. What each key means is said in config/defaults/depositd.yaml.

#include "messages/values/endpoint.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace depositd {

/// Files in PEM form. Empty: no TLS.
struct nsq_tls_settings {
  std::string certificate;
  std::string key;
  std::string ca; ///< whose client certificates are accepted; empty: none asked
  bool required = false;

  friend bool operator==(const nsq_tls_settings&,
                         const nsq_tls_settings&) = default;
};

/// Of the TCP door's clients. Names and defaults are nsqd's, where it has them.
struct nsq_limits_settings {
  std::uint32_t connections_max = 2'000; ///< that speak the protocol
  std::uint32_t connections_per_address_max = 1'000;
  std::uint32_t unfinished_max = 512; ///< that have said nothing yet
  std::uint32_t unfinished_per_address_max = 64;
  std::uint32_t message_bytes_max = 1 << 20;
  std::uint32_t body_bytes_max = 5 << 20;
  std::uint32_t rdy_max = 2'500;
  std::uint32_t msg_timeout_ms = 60'000;
  std::uint32_t msg_timeout_ms_max = 900'000;
  std::uint32_t req_timeout_ms_max = 3'600'000;
  std::uint32_t heartbeat_ms_max = 60'000;
  std::uint32_t output_buffer_max = 64 * 1024;
  std::uint32_t output_timeout_ms_max = 30'000;
  std::uint32_t deflate_level_max = 6;
  std::uint32_t channel_consumers_max = 0; ///< 0: no limit
  std::uint32_t backlog_mb = 4;            ///< that one client has not read
  std::uint32_t made_per_user_max = 5'000; ///< topics and channels; 0: no limit

  friend bool operator==(const nsq_limits_settings&,
                         const nsq_limits_settings&) = default;
};

struct nsq_auth_settings {
  std::string http_address; ///< empty: secrets are keys of this engine

  friend bool operator==(const nsq_auth_settings&,
                         const nsq_auth_settings&) = default;
};

/// Of its HTTP door.
struct nsq_http_settings {
  endpoint listen{"", 0}; ///< without a host: closed
  bool tls = true;        ///< once there is a certificate

  bool is_open() const {
    return !listen.host.empty();
  }

  friend bool operator==(const nsq_http_settings&,
                         const nsq_http_settings&) = default;
};

struct nsq_settings {
  endpoint listen{"", 0}; ///< without a host: closed
  std::uint32_t io_threads = 1;
  bool anonymous = false;      ///< served without AUTH off the loopback, too
  bool user_is_client = false; ///< by client_id, not by address
  bool snappy = true;
  bool deflate = true;
  nsq_tls_settings tls;
  nsq_limits_settings limits;
  nsq_auth_settings auth;
  nsq_http_settings http;
  std::vector<endpoint> lookupd; ///< nsqlookupds that are told of this engine
  std::string broadcast_address; ///< that clients are told; empty: `listen`

  bool is_open() const {
    return !listen.host.empty();
  }

  friend bool operator==(const nsq_settings&, const nsq_settings&) = default;
};

} // namespace depositd
