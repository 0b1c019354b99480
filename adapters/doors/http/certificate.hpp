#pragma once

// Inside the server: what it shows in handshakes.

#include "adapters/doors/kit/tls.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include <gnutls/abstract.h>

namespace depositd::http {

/// A certificate with its chain, and its key.
class certificate {
public:
  /// `ec::bad_setting` if the files hold no such pair; so one of which only a
  /// half has been written is not taken.
  static caf::expected<std::shared_ptr<const certificate>>
  of(const kit::tls_files& files);

  ~certificate();
  certificate(const certificate&) = delete;
  certificate& operator=(const certificate&) = delete;

  /// For the library, which may look at it for as long as this lives.
  void show(gnutls_pcert_st** chain, unsigned* length,
            gnutls_privkey_t* key) const;

private:
  static constexpr unsigned chain_max = 16;

  certificate() = default;
  bool take(const kit::tls_credentials& from);
  bool fits() const;

  gnutls_pcert_st chain_[chain_max] = {};
  unsigned length_ = 0;
  gnutls_privkey_t key_ = nullptr;
};

/// The one for handshakes that begin now. Any thread.
class certificate_in_use {
public:
  void use(std::shared_ptr<const certificate> x) {
    const std::lock_guard lock{guard_};
    now_ = std::move(x);
  }

  /// Null: TLS is not spoken.
  std::shared_ptr<const certificate> now() const {
    const std::lock_guard lock{guard_};
    return now_;
  }

private:
  mutable std::mutex guard_;
  std::shared_ptr<const certificate> now_;
};

} // namespace depositd::http
