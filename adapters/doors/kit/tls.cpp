#include "adapters/doors/kit/tls.hpp"

#include <fstream>
#include <sstream>
#include <utility>

namespace depositd::kit {

namespace {

caf::expected<std::string> read_pem(const std::string& file) {
  std::ifstream in{file, std::ios::binary};
  std::stringstream out;
  if (!in || !(out << in.rdbuf()))
    return caf::make_error(ec::bad_setting, "cannot read " + file);
  return out.str();
}

} // namespace

caf::expected<tls_credentials> read_tls(const tls_files& from) {
  if (from.certificate.empty() != from.key.empty())
    return caf::make_error(ec::bad_setting,
                           "a certificate and its key are needed together");
  if (from.certificate.empty())
    return tls_credentials{};
  auto certificate = read_pem(from.certificate);
  if (!certificate)
    return certificate.error();
  auto key = read_pem(from.key);
  if (!key)
    return key.error();
  return tls_credentials{std::move(*certificate), std::move(*key)};
}

} // namespace depositd::kit
