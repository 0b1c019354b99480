#pragma once

// Who is at the other end of a connection of the node port.

#include <cstdint>
#include <string>

namespace depositd {

/// How a peer is known.
enum class peer_kind : std::uint8_t {
  stranger,    ///< not at all
  account,     ///< plain on the loopback: the kernel says whose socket it is
  certificate, ///< TLS: it has the key of a certificate of our CA
};

/// Proven when the connection was made; the peer's own words are not in it.
struct peer {
  peer_kind kind = peer_kind::stranger;
  std::uint32_t account = 0; ///< user id; of kind `account` only
  std::string name;          ///< the certificate's common name; may be empty
  std::string fingerprint;   ///< SHA-256 of the certificate, 64 of 0-9 a-f
  std::string address;       ///< numeric, without the port
  /// The messages come by way of this peer, which may speak for other nodes:
  /// they have its word only.
  bool forwarded = false;

  friend bool operator==(const peer&, const peer&) = default;
};

/// Whether two connections are of the same account, or of certificates of the
/// same name. Strangers are never the same.
inline bool same_holder(const peer& x, const peer& y) {
  if (x.kind != y.kind || x.kind == peer_kind::stranger)
    return false;
  if (x.kind == peer_kind::account)
    return x.account == y.account;
  return x.name == y.name
         && (!x.name.empty() || x.fingerprint == y.fingerprint);
}

} // namespace depositd
