#include "adapters/doors/kit/certificate_life.hpp"

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <memory>
#include <utility>

namespace depositd::kit {

namespace {

constexpr std::int64_t fortnight_s = 14LL * 24 * 3600;

/// 0 if it is none.
std::int64_t seconds_of(const ASN1_TIME* x) {
  std::tm parts{};
  return ASN1_TIME_to_tm(x, &parts) == 1 ? timegm(&parts) : 0;
}

std::string utc_text(std::int64_t seconds) {
  const std::time_t at = seconds;
  std::tm parts{};
  std::array<char, 32> text{};
  gmtime_r(&at, &parts);
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

} // namespace

validity validity_of(const std::string& file) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> in{
    BIO_new_file(file.c_str(), "r"), BIO_free};
  validity out;
  while (in) {
    const std::unique_ptr<X509, decltype(&X509_free)> one{
      PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr), X509_free};
    if (!one)
      break;
    const validity x{seconds_of(X509_get0_notBefore(one.get())),
                     seconds_of(X509_get0_notAfter(one.get()))};
    if (out.until == 0 || x.until < out.until)
      out = x;
  }
  ERR_clear_error();
  return out;
}

certificate_age age_at(const validity& x, std::int64_t now_s) {
  if (x.until == 0)
    return certificate_age::fine;
  if (now_s >= x.until)
    return certificate_age::over;
  const auto margin = std::min(fortnight_s, (x.until - x.from) / 5);
  return x.until - now_s <= margin ? certificate_age::due
                                   : certificate_age::fine;
}

certificate_life::certificate_life(std::string use) : use_(std::move(use)) {
  // nop
}

void certificate_life::take(const std::string& file) {
  file_ = file;
  valid_ = file.empty() ? validity{} : validity_of(file);
  until_ = valid_.until;
  age_ = certificate_age::fine;
}

void certificate_life::look(std::int64_t now_s) {
  const auto age = age_at(valid_, now_s);
  if (age_.exchange(age) == age || age == certificate_age::fine)
    return;
  const auto ends = utc_text(valid_.until);
  if (age == certificate_age::due)
    spdlog::warn("certificate_due use={} file={} ends={}", use_, file_, ends);
  else
    spdlog::error("certificate_over use={} file={} ended={} "
                  "reason=\"who checks it does not connect any more\"",
                  use_, file_, ends);
}

std::int64_t seconds_since_1970() {
  using namespace std::chrono;
  return duration_cast<seconds>(system_clock::now().time_since_epoch())
    .count();
}

} // namespace depositd::kit
