#pragma once

// Passwords in addresses of databases, kept out of what is said of them.

#include <string>
#include <string_view>
#include <vector>

namespace depositd::sources::sql {

/// Knows the passwords of a "postgresql://..." URL or of an ODBC connection
/// string, as they are written there and as they are meant.
class scrubber {
public:
  explicit scrubber(std::string_view address);

  /// The text, in one line of UTF-8 and not too long, with *** in place of
  /// every password.
  std::string operator()(std::string_view text) const;

private:
  std::vector<std::string> secrets_; ///< the longest first
};

} // namespace depositd::sources::sql
