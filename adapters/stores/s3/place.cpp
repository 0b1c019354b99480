#include "adapters/stores/s3/place.hpp"

#include "messages/values/payload_paths.hpp"

#include <algorithm>

namespace depositd::s3 {

namespace {

constexpr std::string_view unreserved = "abcdefghijklmnopqrstuvwxyz"
                                        "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789-._~";
constexpr std::string_view digits = "0123456789ABCDEF";
constexpr std::size_t prefix_bytes_max = 256;

int digit_of(char x) {
  const auto upper =
    x >= 'a' && x <= 'f' ? static_cast<char>(x - 'a' + 'A') : x;
  const auto at = digits.find(upper);
  return at == digits.npos ? -1 : static_cast<int>(at);
}

std::string_view without_scheme(std::string_view endpoint) {
  return endpoint.substr(endpoint.find("://") + 3);
}

bool only(std::string_view text, std::string_view known) {
  return text.find_first_not_of(known) == text.npos;
}

} // namespace

std::string endpoint_fault(std::string_view endpoint) {
  if (!endpoint.starts_with("http://") && !endpoint.starts_with("https://"))
    return "must begin with http:// or https://";
  const auto host = without_scheme(endpoint);
  if (host.empty() || host.size() > 300
      || !only(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                     "0123456789-._:[]"))
    return "must be http(s)://HOST or http(s)://HOST:PORT and no more";
  return {};
}

std::string bucket_fault(std::string_view bucket) {
  if (bucket.size() < 3 || bucket.size() > 63
      || !only(bucket, "abcdefghijklmnopqrstuvwxyz0123456789.-")
      || bucket.find("..") != bucket.npos || bucket.front() == '.'
      || bucket.front() == '-' || bucket.back() == '.' || bucket.back() == '-')
    return "must be a bucket's name: 3 to 63 of a-z 0-9 . -";
  return {};
}

std::string prefix_fault(std::string_view prefix) {
  if (prefix.empty())
    return {};
  if (prefix.size() > prefix_bytes_max)
    return "has more than " + std::to_string(prefix_bytes_max) + " bytes";
  return payload_path_fault(prefix);
}

std::string region_fault(std::string_view region) {
  if (region.empty() || region.size() > 64
      || !only(region, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                       "0123456789-_"))
    return "must be a region's name, such as us-east-1";
  return {};
}

std::string encoded(std::string_view text, bool is_key) {
  std::string out;
  for (const char c : text) {
    if (unreserved.find(c) != unreserved.npos || (is_key && c == '/')) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool coded = text[i] == '%' && i + 2 < text.size()
                       && digit_of(text[i + 1]) >= 0
                       && digit_of(text[i + 2]) >= 0;
    if (!coded) {
      // Some servers write a blank as forms do; '+' itself is always %2B.
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    out +=
      static_cast<char>(digit_of(text[i + 1]) * 16 + digit_of(text[i + 2]));
    i += 2;
  }
  return out;
}

std::string url_of(const s3_place& place, std::string_view key,
                   std::string_view query) {
  std::string out = place.endpoint.substr(0, place.endpoint.find("://") + 3);
  if (place.path_style) {
    out += without_scheme(place.endpoint);
    out += '/' + place.bucket;
    if (!key.empty())
      out += '/';
  } else {
    out += place.bucket + '.';
    out += without_scheme(place.endpoint);
    out += '/';
  }
  out += encoded(key, true);
  if (!query.empty())
    out += '?' + std::string{query};
  return out;
}

} // namespace depositd::s3
