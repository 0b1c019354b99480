#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace depositd {

struct kafka_options {
  /// Some brokers of the cluster: "host:port,host:port".
  std::string brokers;

  /// Further settings of librdkafka, by its names, for TLS and SASL:
  /// "security.protocol", "ssl.ca.location", "sasl.password", ... They win over
  /// ours.
  std::map<std::string, std::string> settings;

  /// Holds the SASL password in its first line; read again by every client, so
  /// that it can be changed. Empty: there is none.
  std::string password_file;

  /// How long a call that names no time of its own may wait for a broker.
  std::uint32_t timeout_ms = 10'000;
};

} // namespace depositd
