#pragma once

// Certificates to try TLS with.

#include <cstdlib>
#include <filesystem>
#include <string>

namespace depositd::testing {

/// Files in PEM form.
struct certificate_files {
  std::string certificate;
  std::string key;
  std::string ca;
};

/// A folder with an authority and certificates that it (or nobody) signed.
class certificates {
public:
  certificates() {
    auto name =
      (std::filesystem::temp_directory_path() / "certificates-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    authority("ca");
    authority("other_ca");
    signed_by("ca", "engine");
    signed_by("ca", "operator");
    signed_by("other_ca", "stranger");
  }

  ~certificates() {
    std::filesystem::remove_all(folder_);
  }

  certificates(const certificates&) = delete;
  certificates& operator=(const certificates&) = delete;

  /// Another one of the same name, in the same files.
  void renew(const std::string& who) {
    signed_by("ca", who);
  }

  /// The key is kept under a password from now on.
  void lock_key_of(const std::string& who) {
    openssl("pkey -aes256 -passout pass:secret -in " + file(who + ".key")
            + " -out " + file(who + ".locked"));
    std::filesystem::rename(file(who + ".locked"), file(who + ".key"));
  }

  std::string file(const std::string& name) const {
    return (folder_ / name).string();
  }

  certificate_files of(const std::string& who,
                       const std::string& ca = "ca") const {
    return {file(who + ".pem"), file(who + ".key"), file(ca + ".pem")};
  }

  bool good = true;

private:
  void openssl(const std::string& words) {
    const auto line = "openssl " + words + " >/dev/null 2>&1";
    good = std::system(line.c_str()) == 0 && good;
  }

  /// A tenth of the time that RSA takes: each test has keys of its own.
  static constexpr const char* new_key
    = " -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";

  void authority(const std::string& who) {
    openssl(std::string{"req -x509"} + new_key + " -days 2 -subj /CN=" + who
            + " -keyout " + file(who + ".key") + " -out " + file(who + ".pem"));
  }

  void signed_by(const std::string& ca, const std::string& who) {
    openssl(std::string{"req"} + new_key + " -subj /CN=" + who + " -keyout "
            + file(who + ".key") + " -out " + file(who + ".csr"));
    openssl("x509 -req -days 2 -CAcreateserial -in " + file(who + ".csr")
            + " -CA " + file(ca + ".pem") + " -CAkey " + file(ca + ".key")
            + " -out " + file(who + ".pem"));
  }

  std::filesystem::path folder_;
};

} // namespace depositd::testing
