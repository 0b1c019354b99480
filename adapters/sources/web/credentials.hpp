#pragma once

// Addresses that may not have secrets, and the keys that settings name files
// for: these are read with every batch, since an operator may replace them.

#include "adapters/fetching/url.hpp"
#include "adapters/sources/web/transport.hpp"
#include "messages/values/errors.hpp"
#include "messages/values/sources.hpp"

#include <string>
#include <string_view>

namespace depositd::sources {

/// The first line of the file. `ec::invalid_argument` names the setting and the
/// file if there is none, or none that can be a secret.
caf::expected<std::string> read_secret(std::string_view setting,
                                       const std::string& path);

/// The setting `url`. `ec::bad_setting` unless it is an address of the web with
/// a path, and without user, password, query and fragment.
caf::expected<web_url> read_address(const std::string& url);

/// `ec::bad_setting` if one of the keys for AWS has a file and the other has
/// not, or if the region cannot be part of a signature.
caf::error check_aws_keys(const source_origin& x);

/// With the keys as they are now; without, if no files are named.
/// `ec::invalid_argument`.
caf::expected<aws_signer> aws_signer_of(const source_origin& x,
                                        std::string service);

} // namespace depositd::sources
