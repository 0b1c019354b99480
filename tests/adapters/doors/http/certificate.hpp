#pragma once

// A certificate for 127.0.0.1 that signs itself, made anew for each test.

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace depositd::testing {

struct certificate_files {
  std::string certificate; ///< path of the PEM file
  std::string key;

  void write_to(const std::filesystem::path& folder) {
    certificate = (folder / "certificate.pem").string();
    key = (folder / "key.pem").string();
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> pair{
      EVP_EC_gen("P-256"), EVP_PKEY_free};
    const std::unique_ptr<X509, decltype(&X509_free)> x{X509_new(), X509_free};
    X509_set_version(x.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(x.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x.get()), 24 * 3600);
    X509_set_pubkey(x.get(), pair.get());
    auto* name = X509_get_subject_name(x.get());
    X509_NAME_add_entry_by_txt(
      name, "CN", MBSTRING_ASC,
      reinterpret_cast<const unsigned char*>("depositd test"), -1, -1, 0);
    X509_set_issuer_name(x.get(), name);
    auto* alternative = X509V3_EXT_conf_nid(
      nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1");
    X509_add_ext(x.get(), alternative, -1);
    X509_EXTENSION_free(alternative);
    X509_sign(x.get(), pair.get(), EVP_sha256());
    const std::unique_ptr<FILE, decltype(&fclose)> certificate_file{
      fopen(certificate.c_str(), "w"), fclose};
    PEM_write_X509(certificate_file.get(), x.get());
    const std::unique_ptr<FILE, decltype(&fclose)> key_file{
      fopen(key.c_str(), "w"), fclose};
    PEM_write_PrivateKey(key_file.get(), pair.get(), nullptr, nullptr, 0,
                         nullptr, nullptr);
  }
};

} // namespace depositd::testing
