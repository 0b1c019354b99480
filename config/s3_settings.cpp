#include "config/s3_settings.hpp"

#include "adapters/stores/s3/place.hpp"
#include "messages/values/endpoint.hpp"

#include <fstream>
#include <string>
#include <utility>

namespace depositd {

namespace {

/// Of "http://HOST:PORT".
std::string host_of(const std::string& endpoint) {
  const auto host = endpoint.substr(endpoint.find("://") + 3);
  if (host.starts_with('['))
    return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

/// Whether there can be no name of a bucket before it.
bool is_address(const std::string& host) {
  return host.starts_with('[') || host == "localhost"
         || host.find_first_not_of("0123456789.") == std::string::npos;
}

} // namespace

setting_fault check_s3(const std::string& key, const s3_settings& x) {
  for (const auto& [field, wrong] :
       {std::pair{"endpoint", s3::endpoint_fault(x.endpoint)},
        std::pair{"bucket", s3::bucket_fault(x.bucket)},
        std::pair{"prefix", s3::prefix_fault(x.prefix)},
        std::pair{"region", s3::region_fault(x.region)}})
    if (!wrong.empty())
      return {key + field, wrong};
  if (!x.path_style && is_address(host_of(x.endpoint)))
    return {key + "path_style",
            "must be true: there can be no bucket's name before "
              + host_of(x.endpoint)};
  for (const auto& [field, text] : {std::pair{"access_key_file", x.access_key},
                                    std::pair{"secret_key_file", x.secret_key}})
    if (text.empty())
      return {key + field, "is needed: a file with the key in its first line"};
  if (!x.ca_file.empty() && !std::ifstream{x.ca_file}.good())
    return {key + "ca_file", "cannot read \"" + x.ca_file + "\""};
  return {};
}

setting_fault check_no_s3(const std::string& key, const s3_settings& x) {
  const s3_settings none;
  for (const auto& [field, given] :
       {std::pair{"endpoint", x.endpoint != none.endpoint},
        std::pair{"bucket", x.bucket != none.bucket},
        std::pair{"prefix", x.prefix != none.prefix},
        std::pair{"region", x.region != none.region},
        std::pair{"path_style", x.path_style != none.path_style},
        std::pair{"access_key_file", !x.access_key_file.empty()},
        std::pair{"secret_key_file", !x.secret_key_file.empty()},
        std::pair{"ca_file", !x.ca_file.empty()}})
    if (given)
      return {key + field, "is for the kind s3 alone"};
  return {};
}

setting_fault check_place(const std::string& key, bool in_s3,
                          const std::string& path, const s3_settings& s3,
                          const char* needed) {
  if (in_s3)
    return path.empty() ? check_s3(key, s3)
                        : setting_fault{key + "path",
                                        "is for the kind folder alone"};
  if (path.empty() && needed != nullptr)
    return {key + "path", std::string{"is needed: "} + needed};
  return check_no_s3(key, s3);
}

setting_fault check_blobs(const depositd_settings& x) {
  const auto kind = x.blobs.kind;
  const bool postgres = x.store.kind == store_kind::postgres;
  if (kind == blobs_kind::postgres && !postgres)
    return {"blobs.kind", "postgres needs store.kind postgres"};
  if (kind == blobs_kind::folder && x.blobs.path.empty()
      && x.store.kind != store_kind::embedded)
    return {"blobs.path", "is needed: the folder of the blobs"};
  if (kind != blobs_kind::folder && !x.blobs.path.empty())
    return {"blobs.path", "is for the kind folder alone"};
  return kind == blobs_kind::s3 ? check_s3("blobs.", x.blobs.s3)
                                : check_no_s3("blobs.", x.blobs.s3);
}

} // namespace depositd
