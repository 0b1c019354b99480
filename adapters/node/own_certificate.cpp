#include "adapters/node/own_certificate.hpp"

#include "messages/values/hex.hpp"

#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstdio>
#include <memory>

namespace depositd::node {

namespace {

struct closer {
  void operator()(std::FILE* x) const {
    std::fclose(x);
  }
  void operator()(X509* x) const {
    X509_free(x);
  }
};

std::string common_name(const X509* certificate) {
  const auto* subject = X509_get_subject_name(certificate);
  const auto at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0)
    return "";
  const auto* text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
  unsigned char* bytes = nullptr;
  const auto size = ASN1_STRING_to_UTF8(&bytes, text);
  if (size < 0)
    return "";
  std::string out{reinterpret_cast<const char*>(bytes),
                  static_cast<std::size_t>(size)};
  OPENSSL_free(bytes);
  return out;
}

} // namespace

caf::expected<own_certificate> read_own_certificate(const std::string& file) {
  const auto wrong = [&](const char* why) {
    return caf::make_error(ec::bad_setting,
                           "node.tls.certificate: " + file + ": " + why);
  };
  const std::unique_ptr<std::FILE, closer> in{std::fopen(file.c_str(), "re")};
  if (!in)
    return wrong("cannot be read");
  const std::unique_ptr<X509, closer> certificate{
    PEM_read_X509(in.get(), nullptr, nullptr, nullptr)};
  if (!certificate)
    return wrong("is no certificate");
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (X509_digest(certificate.get(), EVP_sha256(), digest, &size) != 1)
    return wrong("has no digest");
  return own_certificate{common_name(certificate.get()),
                         to_hex({reinterpret_cast<const char*>(digest), size})};
}

} // namespace depositd::node
