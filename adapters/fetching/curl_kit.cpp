#include "adapters/fetching/curl_kit.hpp"

#include "messages/values/blanks.hpp"
#include "messages/values/lower_case.hpp"

#include <algorithm>
#include <charconv>

namespace depositd {

curl_easy make_curl_easy() {
  // Once in the life of the process.
  static const auto started = curl_global_init(CURL_GLOBAL_DEFAULT);
  static_cast<void>(started);
  return {curl_easy_init(), &curl_easy_cleanup};
}

namespace {

/// Of a request; heads alone may have 300 KiB by the library.
constexpr std::uintptr_t header_bytes_max = 1024 * 1024;

std::size_t count_header(char*, std::size_t, std::size_t count, void* easy) {
  return headers_fit(easy, count) ? count : 0;
}

} // namespace

bool headers_fit(CURL* easy, std::size_t count) {
  char* counted = nullptr; // a number, kept with the handle
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &counted);
  const auto bytes = reinterpret_cast<std::uintptr_t>(counted) + count;
  curl_easy_setopt(easy, CURLOPT_PRIVATE, reinterpret_cast<void*>(bytes));
  return bytes <= header_bytes_max;
}

void set_up_web(CURL* easy) {
  curl_easy_setopt(easy, CURLOPT_PRIVATE, nullptr);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &count_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, easy);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "depositd");
}

namespace {

int on_progress(void* stopped, curl_off_t, curl_off_t, curl_off_t,
                curl_off_t) {
  return (*static_cast<const std::function<bool()>*>(stopped))() ? 1 : 0;
}

} // namespace

void stop_curl_if(CURL* easy, const std::function<bool()>& stopped) {
  if (!stopped)
    return;
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, &on_progress);
  curl_easy_setopt(easy, CURLOPT_XFERINFODATA,
                   const_cast<std::function<bool()>*>(&stopped));
}

curl_strings curl_strings_of(const std::vector<std::string>& texts) {
  curl_slist* out = nullptr;
  for (const auto& x : texts)
    out = curl_slist_append(out, x.c_str());
  return {out, &curl_slist_free_all};
}

std::optional<std::uint64_t> header_number(std::string_view text) {
  std::uint64_t out = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, wrong] = std::from_chars(text.data(), end, out);
  if (text.empty() || stop != end || wrong != std::errc{})
    return std::nullopt;
  return out;
}

bool is_header_line(std::string_view line, std::string_view name) {
  if (line.size() <= name.size() || line[name.size()] != ':')
    return false;
  return same_but_for_case(name, line.substr(0, name.size()));
}

std::string_view header_value(std::string_view line) {
  line.remove_prefix(line.find(':') + 1);
  return trimmed(line, " \t\r\n");
}

} // namespace depositd
