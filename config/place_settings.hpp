#pragma once

// Places that several settings name.

#include <string>

namespace depositd {

/// A place in a bucket.
struct s3_settings {
  std::string endpoint;
  std::string bucket;
  std::string prefix;
  std::string region = "us-east-1";
  bool path_style = false;
  std::string access_key_file;
  std::string secret_key_file;
  std::string access_key; ///< from the file
  std::string secret_key; ///< from the file
  std::string ca_file;    ///< empty: the system's

  friend bool operator==(const s3_settings&, const s3_settings&) = default;
};

} // namespace depositd
