#include "adapters/doors/http/certificate.hpp"

#include <array>
#include <string>

namespace depositd::http {

namespace {

gnutls_datum_t datum_of(const std::string& text) {
  // The library does not write to it.
  auto* bytes =
    reinterpret_cast<unsigned char*>(const_cast<char*>(text.data())); // NOLINT
  return {bytes, static_cast<unsigned>(text.size())};
}

/// Of a public key; empty if there is none.
std::string key_id(gnutls_pubkey_t of) {
  std::array<unsigned char, 64> bytes{};
  std::size_t size = bytes.size();
  if (gnutls_pubkey_get_key_id(of, GNUTLS_KEYID_USE_SHA256, bytes.data(), &size)
      != GNUTLS_E_SUCCESS)
    return {};
  return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)};
}

} // namespace

caf::expected<std::shared_ptr<const certificate>>
certificate::of(const kit::tls_files& files) {
  const auto texts = kit::read_tls(files);
  if (!texts)
    return texts.error();
  if (files.certificate.empty())
    return std::shared_ptr<const certificate>{};
  const std::shared_ptr<certificate> out{new certificate};
  if (!out->take(*texts) || !out->fits())
    return caf::make_error(ec::bad_setting, "cannot use the certificate "
                                              + files.certificate
                                              + " with its key");
  return std::shared_ptr<const certificate>{out};
}

certificate::~certificate() {
  for (unsigned i = 0; i < length_; ++i)
    gnutls_pcert_deinit(&chain_[i]);
  if (key_ != nullptr)
    gnutls_privkey_deinit(key_);
}

bool certificate::take(const kit::tls_credentials& from) {
  const auto chain = datum_of(from.certificate);
  unsigned length = chain_max;
  if (gnutls_pcert_list_import_x509_raw(chain_, &length, &chain,
                                        GNUTLS_X509_FMT_PEM, 0)
      != GNUTLS_E_SUCCESS)
    return false;
  length_ = length;
  const auto key = datum_of(from.key);
  return length_ > 0 && gnutls_privkey_init(&key_) == GNUTLS_E_SUCCESS
         && gnutls_privkey_import_x509_raw(key_, &key, GNUTLS_X509_FMT_PEM,
                                           nullptr, 0)
              == GNUTLS_E_SUCCESS;
}

/// Whether the key is the certificate's.
bool certificate::fits() const {
  gnutls_pubkey_t own = nullptr;
  if (gnutls_pubkey_init(&own) != GNUTLS_E_SUCCESS)
    return false;
  const bool is_known =
    gnutls_pubkey_import_privkey(own, key_, 0, 0) == GNUTLS_E_SUCCESS;
  const auto id = is_known ? key_id(own) : std::string{};
  gnutls_pubkey_deinit(own);
  return !id.empty() && id == key_id(chain_[0].pubkey);
}

void certificate::show(gnutls_pcert_st** chain, unsigned* length,
                       gnutls_privkey_t* key) const {
  *chain = const_cast<gnutls_pcert_st*>(chain_); // NOLINT
  *length = length_;
  *key = key_;
}

} // namespace depositd::http
