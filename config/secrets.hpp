#pragma once

// Secrets that settings name a file for. One that is not named may be a
// credential of systemd (`LoadCredential=`), under the name of its setting.

#include "config/settings.hpp"

#include <string>
#include <vector>

namespace depositd {

/// A secret: the setting that names its file, and where its text goes.
struct secret_key {
  const char* name; ///< of the secret, and of the credential
  std::string& (*file)(depositd_settings&);
  /// Null where whoever needs it reads the file.
  std::string& (*text)(depositd_settings&);
};

/// Every secret but those of storage targets. The setting of its file is its
/// name with `_file`.
const std::vector<secret_key>& secret_table();

/// Reads what is named, from first lines; what others may read is remarked on.
/// `ec::bad_setting` names the setting whose file cannot be read.
caf::error read_secrets(depositd_settings& to);

/// The address of a PostgreSQL server with this password, in both of the forms
/// that libpq knows.
std::string with_password(std::string url, const std::string& password);

} // namespace depositd
