#pragma once

// Settings of a place in a bucket of S3, wherever one can be named.

#include "config/setting_fields.hpp"
#include "config/work_settings.hpp"

namespace depositd {

/// Adds what the settings of `Owner`, which has the place in its member `s3`,
/// say about it. `add` is given a name and a reader.
template <class Owner, class Add>
void add_s3_keys(s3_settings Owner::*s3, Add add) {
  using setting_fields::field;
  using setting_fields::text;
  add("endpoint", text(s3, &s3_settings::endpoint));
  add("bucket", text(s3, &s3_settings::bucket));
  add("prefix", text(s3, &s3_settings::prefix));
  add("region", text(s3, &s3_settings::region));
  add("path_style", field(read_flag, s3, &s3_settings::path_style));
  add("access_key_file", text(s3, &s3_settings::access_key_file));
  add("secret_key_file", text(s3, &s3_settings::secret_key_file));
  add("ca_file", text(s3, &s3_settings::ca_file));
}

/// What is wrong with it; `key` is all but the last part of its keys, with a
/// dot.
setting_fault check_s3(const std::string& key, const s3_settings& x);

/// The first key that was given though the kind is another.
setting_fault check_no_s3(const std::string& key, const s3_settings& x);

/// What is wrong with where something is kept: a folder, unless it is in S3.
/// `needed` says what the folder is for, if there must be one.
setting_fault check_place(const std::string& key, bool in_s3,
                          const std::string& path, const s3_settings& s3,
                          const char* needed);

/// Where blobs are.
setting_fault check_blobs(const depositd_settings& x);

} // namespace depositd
