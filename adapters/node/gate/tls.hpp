#pragma once

// TLS with certificates on both sides, over OpenSSL: this end's own certificate
// and the authority that the other end's must come from.

#include "messages/values/errors.hpp"

#include <memory>
#include <string>

#include <openssl/types.h>

namespace depositd::gate {

/// The reason of a handshake whose other end has none.
inline constexpr const char* speaks_no_tls = "the other end does not speak it";

/// In PEM form; all three or none.
struct tls_files {
  std::string certificate; ///< with its chain
  std::string key;
  std::string ca; ///< the other end's certificate must come from it

  bool configured() const {
    return !certificate.empty();
  }
};

/// What the files hold. TLS 1.2 is the lowest version spoken.
using tls_context = std::shared_ptr<SSL_CTX>;

/// `ec::bad_setting` names the file that is wrong and what is wrong with it; so
/// a pair of which only one half has been written is not taken.
caf::expected<tls_context> load_tls(const tls_files& from);

/// A text that changes with any of the files; cheap.
std::string look_of(const tls_files& from);

/// A certificate that was accepted, or is this end's own.
struct certificate_facts {
  std::string name;        ///< its common name; may be empty
  std::string fingerprint; ///< SHA-256, hexadecimal
};

/// Of the certificate with which this end shows itself.
certificate_facts own_facts(const tls_context& of);

enum class tls_side : unsigned char { accepting, connecting };
enum class tls_state : unsigned char {
  done,
  more_to_read,
  more_to_write,
  failed
};

/// One connection's. Never throws and never ends the program: what goes wrong
/// is `failed` and a reason.
class tls_session {
public:
  /// The socket stays whose it is.
  tls_session(tls_context context, int socket, tls_side side);

  bool ready() const {
    return ready_;
  }

  tls_state handshake();

  /// `size` is what was read or written, if `done`.
  tls_state read(void* to, std::size_t max, std::size_t& size);
  tls_state write(const void* from, std::size_t max, std::size_t& size);

  /// Bytes that have been decrypted and not been read.
  std::size_t pending() const;

  /// Of the other end, when it is ready.
  certificate_facts other_end() const;

  /// Why it failed, in OpenSSL's words; empty: the other end just closed.
  const std::string& reason() const {
    return reason_;
  }

private:
  tls_state result_of(int code);

  struct ssl_deleter {
    void operator()(SSL* x) const;
  };

  tls_context context_;
  std::unique_ptr<SSL, ssl_deleter> ssl_;
  std::string reason_;
  bool ready_ = false;
};

} // namespace depositd::gate
