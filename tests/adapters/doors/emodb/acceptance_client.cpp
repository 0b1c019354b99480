#include "tests/adapters/doors/emodb/acceptance_client.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <stdexcept>

#include <curl/curl.h>

namespace depositd::testing {

namespace {

std::size_t take_body(char* bytes, std::size_t size, std::size_t count,
                      void* to) {
  static_cast<http_answer*>(to)->body.append(bytes, size * count);
  return size * count;
}

std::size_t take_header(char* bytes, std::size_t size, std::size_t count,
                        void* to) {
  std::string line{bytes, size * count};
  line.erase(line.find_last_not_of("\r\n") + 1);
  const auto colon = line.find(':');
  if (colon != std::string::npos) {
    auto name = line.substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
      return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    });
    const auto value = line.find_first_not_of(' ', colon + 1);
    static_cast<http_answer*>(to)->headers[name] =
      value == std::string::npos ? "" : line.substr(value);
  }
  return size * count;
}

} // namespace

std::string http_answer::header(const std::string& name) const {
  const auto at = headers.find(name);
  return at == headers.end() ? std::string{} : at->second;
}

json http_answer::document() const {
  return json::parse(body, nullptr, false);
}

std::ostream& operator<<(std::ostream& out, const http_answer& x) {
  if (x.status == 0)
    return out << "no answer: " << x.failure;
  return out << x.status << ' ' << x.header("content-type") << ' '
             << x.header("x-bv-exception") << '\n'
             << x.body.substr(0, 500);
}

http_client::http_client(std::uint16_t port, long limit_ms)
  : handle_(curl_easy_init()), port_(port), limit_ms_(limit_ms) {
  if (handle_ == nullptr)
    throw std::runtime_error("no HTTP client");
}

http_client::~http_client() {
  curl_easy_cleanup(handle_);
}

http_answer http_client::send(const http_call& x) {
  http_answer out;
  curl_easy_reset(handle_); // keeps the connection
  curl_slist* headers = curl_slist_append(nullptr, "Expect:");
  for (const auto& line : x.headers)
    headers = curl_slist_append(headers, line.c_str());
  const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> keep{
    headers, curl_slist_free_all};
  const auto url = "http://127.0.0.1:" + std::to_string(port_) + x.target;
  curl_easy_setopt(handle_, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle_, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(handle_, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle_, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(handle_, CURLOPT_TIMEOUT_MS, limit_ms_);
  curl_easy_setopt(handle_, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(handle_, CURLOPT_WRITEDATA, &out);
  curl_easy_setopt(handle_, CURLOPT_HEADERFUNCTION, take_header);
  curl_easy_setopt(handle_, CURLOPT_HEADERDATA, &out);
  if (x.method == "POST") {
    curl_easy_setopt(handle_, CURLOPT_POSTFIELDS, x.body.data());
    curl_easy_setopt(handle_, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(x.body.size()));
  } else if (x.method == "HEAD") {
    curl_easy_setopt(handle_, CURLOPT_NOBODY, 1L);
  } else {
    curl_easy_setopt(handle_, CURLOPT_CUSTOMREQUEST, x.method.c_str());
  }
  curl_easy_setopt(handle_, CURLOPT_HTTPHEADER, headers);
  const auto ended = curl_easy_perform(handle_);
  if (ended != CURLE_OK) {
    out.failure = curl_easy_strerror(ended);
    return out;
  }
  long status = 0;
  curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
  out.status = static_cast<unsigned>(status);
  return out;
}

std::string percent_encoded(const std::string& text) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  for (const unsigned char c : text) {
    if (std::isalnum(c) != 0) {
      out += static_cast<char>(c);
      continue;
    }
    out += '%';
    out += digits[c >> 4];
    out += digits[c & 15];
  }
  return out;
}

} // namespace depositd::testing
