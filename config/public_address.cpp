#include "config/public_address.hpp"

namespace depositd {

public_address::public_address(const depositd_settings& settings)
  : told_(settings.crossref.public_url),
    scheme_(settings.http.tls.configured() ? "https://" : "http://") {
  const auto& listen = settings.http.listen;
  if (listen.port != 0)
    at_ = to_string(listen);
}

void public_address::opened(const std::string& at) {
  const std::lock_guard lock{guard_};
  at_ = at;
}

std::string public_address::url() const {
  if (!told_.empty())
    return told_;
  const std::lock_guard lock{guard_};
  return at_.empty() ? std::string{} : scheme_ + at_;
}

} // namespace depositd
