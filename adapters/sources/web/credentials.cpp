#include "adapters/sources/web/credentials.hpp"

#include "adapters/stores/s3/place.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

namespace depositd::sources {

namespace {

constexpr std::size_t secret_bytes_max = 4'096;

} // namespace

caf::expected<std::string> read_secret(std::string_view setting,
                                       const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  std::string out(secret_bytes_max + 1, '\0');
  file.read(out.data(), static_cast<std::streamsize>(out.size()));
  out.resize(static_cast<std::size_t>(file.gcount()));
  out.resize(std::min(out.find_first_of("\r\n"), out.size()));
  const auto wrong = [&](const char* what) {
    return caf::make_error(ec::invalid_argument, std::string{setting} + ": "
                                                   + what + " in \"" + path
                                                   + "\"");
  };
  if (out.empty())
    return wrong("no text");
  // It becomes part of a header.
  if (out.size() > secret_bytes_max
      || std::any_of(out.begin(), out.end(),
                     [](char c) { return c < 0x20 || c > 0x7e; }))
    return wrong("no key of one line");
  return out;
}

caf::expected<web_url> read_address(const std::string& url) {
  const auto wrong = [](const std::string& why) {
    return caf::make_error(ec::bad_setting, "url: " + why);
  };
  const auto host = std::min(url.find("://"), url.size());
  const auto path = std::min(url.find('/', host + 3), url.size());
  // Before anybody shows it.
  if (url.substr(0, path).find('@') != url.npos)
    return wrong("must not name a user");
  auto out = parse_url(url);
  if (!out)
    return wrong(render(out.error()));
  if (path + 1 >= url.size() || url.find_first_of("?#") != url.npos)
    return wrong("must name a queue by its path, and no more");
  return out;
}

caf::error check_aws_keys(const source_origin& x) {
  const auto wrong = [](std::string text) {
    return caf::make_error(ec::bad_setting, std::move(text));
  };
  if (x.access_key_file.empty() != x.secret_key_file.empty())
    return wrong(x.access_key_file.empty()
                   ? "access_key_file: is required with secret_key_file"
                   : "secret_key_file: is required with access_key_file");
  if (auto fault = s3::region_fault(x.region); !fault.empty())
    return wrong("region: " + fault);
  return {};
}

caf::expected<aws_signer> aws_signer_of(const source_origin& x,
                                        std::string service) {
  aws_signer out{x.region, std::move(service), {}, {}};
  if (x.access_key_file.empty())
    return out;
  auto access = read_secret("access_key_file", x.access_key_file);
  if (!access)
    return std::move(access.error());
  auto secret = read_secret("secret_key_file", x.secret_key_file);
  if (!secret)
    return std::move(secret.error());
  out.access_key = std::move(*access);
  out.secret_key = std::move(*secret);
  return out;
}

} // namespace depositd::sources
