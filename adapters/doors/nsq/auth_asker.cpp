#include "adapters/doors/nsq/auth_asker.hpp"

#include "adapters/fetching/curl_kit.hpp"

namespace depositd::nsq {

namespace {

constexpr std::size_t answer_bytes_max = 256 * 1024;

std::size_t collect(char* data, std::size_t, std::size_t count, void* to) {
  auto& answer = *static_cast<std::string*>(to);
  if (answer.size() + count > answer_bytes_max)
    return 0;
  answer.append(data, count);
  return count;
}

caf::expected<std::string> get(const std::string& url,
                               const auth_asker_options& how) {
  const auto easy = make_curl_easy();
  if (!easy)
    return caf::make_error(ec::overloaded, std::string{"no memory for curl"});
  const auto headers =
    curl_strings_of({"Accept: application/vnd.nsq; version=1.0"});
  std::string out;
  const auto set = [&](CURLoption option, auto value) {
    curl_easy_setopt(easy.get(), option, value);
  };
  set_up_web(easy.get());
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_HTTPHEADER, headers.get());
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(how.connect.count()));
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(how.within.count()));
  set(CURLOPT_WRITEFUNCTION, &collect);
  set(CURLOPT_WRITEDATA, &out);
  const auto code = curl_easy_perform(easy.get());
  // The address has the secret in it, so nothing of it is told.
  if (code != CURLE_OK)
    return caf::make_error(ec::overloaded,
                           std::string{"the authentication server cannot be "
                                       "asked: "}
                             + curl_easy_strerror(code));
  long status = 0;
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
  if (status != 200)
    return caf::make_error(ec::wrong_credentials,
                           "the authentication server answers "
                             + std::to_string(status));
  return out;
}

} // namespace

auth_asker_actor::behavior_type auth_asker(auth_asker_actor::pointer,
                                           auth_asker_options options) {
  return {
    [=](const ask_authorizations& x) -> caf::result<authorizations_told> {
      const auto document = get(auth_url(options.address, x.what), options);
      if (!document)
        return document.error();
      auto state = read_auth_state(*document);
      if (!state)
        return state.error();
      return authorizations_told{
        std::make_shared<const auth_state>(std::move(*state))};
    },
  };
}

} // namespace depositd::nsq
