#pragma once

// What a door needs to speak TLS.

#include "messages/values/errors.hpp"

#include <string>

namespace depositd::kit {

/// Both files or none. PEM; TLS 1.2 is the lowest version spoken.
struct tls_files {
  std::string certificate; ///< with its chain
  std::string key;
};

/// What the files hold; empty: TLS is not spoken.
struct tls_credentials {
  std::string certificate;
  std::string key;
};

/// `ec::bad_setting` if only one file is named or one cannot be read.
caf::expected<tls_credentials> read_tls(const tls_files& from);

} // namespace depositd::kit
