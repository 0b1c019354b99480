#pragma once

// TLS as a layer: OpenSSL between two memory buffers, so that the loop alone
// touches the socket.

#include "adapters/doors/kit/layer.hpp"
#include "adapters/doors/kit/tls.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace depositd::kit {

/// Certificate, key, and whose clients are let in. Shared by connections.
class tls_context {
public:
  /// Null without files. With `ca` clients need a certificate that it signed.
  /// `ec::bad_setting` names what cannot be used.
  static caf::expected<std::shared_ptr<tls_context>>
  of(const tls_files& files, const std::string& ca);

  ~tls_context();

  tls_context(const tls_context&) = delete;
  tls_context& operator=(const tls_context&) = delete;

private:
  friend class tls_layer;
  tls_context() = default;

  void* context_ = nullptr;
};

/// The one for handshakes that begin now. Any thread.
class tls_in_use {
public:
  void use(std::shared_ptr<tls_context> x) {
    const std::lock_guard lock{guard_};
    now_ = std::move(x);
  }

  std::shared_ptr<tls_context> now() const {
    const std::lock_guard lock{guard_};
    return now_;
  }

private:
  mutable std::mutex guard_;
  std::shared_ptr<tls_context> now_;
};

class tls_layer : public layer {
public:
  /// The server's side. `ec::overloaded` from the first call on if the library
  /// has no memory, or there is no context.
  explicit tls_layer(std::shared_ptr<tls_context> from);
  ~tls_layer() override;

  caf::error unpack(std::string_view& from, std::string& to,
                    std::size_t enough) override;
  caf::error pack(std::string_view from, std::string& to) override;

  /// Appends what the library itself has to say to the other side.
  void drain(std::string& to);

  /// The same, that nothing more comes.
  void end(std::string& to);

  /// Both sides have shaken hands.
  bool established() const;

  /// The other side has said that nothing more comes.
  bool closed() const {
    return closed_;
  }

  /// As Go's server shows them, e.g. "TLS1.3"; empty until established.
  std::string version() const;
  std::string cipher() const;
  /// The common name of the client's certificate, if it has shown one.
  std::string common_name() const;

private:
  bool usable() const;
  caf::error failure(int result);

  std::shared_ptr<tls_context> context_;
  void* session_ = nullptr; ///< null: the library had no memory
  bool closed_ = false;
};

} // namespace depositd::kit
