#include "adapters/sources/web/transport.hpp"

#include "adapters/sources/records/records.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace depositd::sources {

namespace {

constexpr std::chrono::milliseconds connect_limit{10'000};

/// Between two looks where the system has no descriptor left to be woken by.
constexpr int look_ms = 1'000;

constexpr std::size_t reason_bytes_max = 300;

/// What comes of an answer.
struct incoming {
  std::string body;
  bool too_large = false;
};

std::size_t on_incoming(char* data, std::size_t, std::size_t count, void* to) {
  auto& got = *static_cast<incoming*>(to);
  got.too_large = got.body.size() + count > answer_bytes_max;
  if (got.too_large)
    return 0;
  got.body.append(data, count);
  return count;
}

long in_ms(std::chrono::milliseconds x) {
  // 0 would be no limit at all.
  return static_cast<long>(
    std::clamp<std::int64_t>(x.count(), 1, std::numeric_limits<int>::max()));
}

caf::error no_answer(std::string why) {
  return caf::make_error(ec::store_failed, std::move(why));
}

} // namespace

std::chrono::milliseconds allowance::left() const {
  using std::chrono::milliseconds;
  const auto out = std::chrono::duration_cast<milliseconds>(
    until_ - std::chrono::steady_clock::now());
  return std::max(out, milliseconds{0});
}

web_line::web_line(std::string ca_file, const interruption& stop)
  : ca_file_(std::move(ca_file)), stop_(stop), easy_(make_curl_easy()),
    multi_(curl_multi_init(), &curl_multi_cleanup) {
  // nop
}

void web_line::set_up(const web_question& x, const curl_strings& headers,
                      const allowance& time) {
  const auto set = [this](CURLoption option, auto value) {
    curl_easy_setopt(easy_.get(), option, value);
  };
  curl_easy_reset(easy_.get());
  set_up_web(easy_.get());
  set(CURLOPT_URL, x.url.c_str());
  set(CURLOPT_HTTPHEADER, headers.get());
  // What is signed is what is sent, "a/../b" too.
  set(CURLOPT_PATH_AS_IS, 1L);
  // A name that nobody resolves is not waited for.
  set(CURLOPT_QUICK_EXIT, 1L);
  set(CURLOPT_BUFFERSIZE, 256L * 1024);
  set(CURLOPT_CONNECTTIMEOUT_MS, in_ms(std::min(connect_limit, time.left())));
  set(CURLOPT_TIMEOUT_MS, in_ms(time.left()));
  if (!ca_file_.empty())
    set(CURLOPT_CAINFO, ca_file_.c_str());
  if (x.post) {
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(x.post->size()));
    set(CURLOPT_POSTFIELDS, x.post->c_str());
  }
  if (!x.signer.access_key.empty()) {
    // The library keeps copies of these texts.
    const auto how = "aws:amz:" + x.signer.region + ":" + x.signer.service;
    set(CURLOPT_AWS_SIGV4, how.c_str());
    set(CURLOPT_USERNAME, x.signer.access_key.c_str());
    set(CURLOPT_PASSWORD, x.signer.secret_key.c_str());
  }
}

CURLcode web_line::drive() {
  auto* easy = easy_.get();
  auto* multi = multi_.get();
  if (curl_multi_add_handle(multi, easy) != CURLM_OK)
    return CURLE_OUT_OF_MEMORY;
  int running = 1;
  while (curl_multi_perform(multi, &running) == CURLM_OK && running > 0
         && !stop_.cancelled()) {
    curl_waitfd woken{};
    woken.fd = stop_.descriptor();
    woken.events = CURL_WAIT_POLLIN;
    if (curl_multi_poll(multi, &woken, woken.fd < 0 ? 0 : 1, look_ms, nullptr)
        != CURLM_OK)
      break;
  }
  auto out = CURLE_ABORTED_BY_CALLBACK;
  int more = 0;
  while (const auto* said = curl_multi_info_read(multi, &more))
    if (said->msg == CURLMSG_DONE && said->easy_handle == easy)
      out = said->data.result;
  // Of what has not ended, the connection goes too.
  curl_multi_remove_handle(multi, easy);
  return out;
}

caf::expected<web_reply> web_line::ask(const web_question& x,
                                       const allowance& time) {
  if (stop_.cancelled())
    return was_cancelled();
  if (time.left() == std::chrono::milliseconds{0})
    return took_too_long(time.timeout());
  if (!easy_ || !multi_)
    return no_answer("no memory for a request");
  // None of them may be empty, which stands for one that is not sent: the
  // library would sign it.
  const auto headers = curl_strings_of(x.headers);
  incoming got;
  std::array<char, CURL_ERROR_SIZE> reason{};
  set_up(x, headers, time);
  curl_easy_setopt(easy_.get(), CURLOPT_WRITEFUNCTION, &on_incoming);
  curl_easy_setopt(easy_.get(), CURLOPT_WRITEDATA, &got);
  curl_easy_setopt(easy_.get(), CURLOPT_ERRORBUFFER, reason.data());
  const auto code = drive();
  web_reply out;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &out.status);
  // None of what it knows may outlive this call.
  curl_easy_reset(easy_.get());
  if (got.too_large)
    return caf::make_error(ec::too_large, "the answer has more than "
                                            + std::to_string(answer_bytes_max)
                                            + " bytes");
  if (code == CURLE_OK) {
    out.body = std::move(got.body);
    return out;
  }
  if (stop_.cancelled())
    return was_cancelled();
  if (code == CURLE_OPERATION_TIMEDOUT
      && time.left() == std::chrono::milliseconds{0})
    return took_too_long(time.timeout());
  return no_answer(reason[0] != '\0' ? reason.data()
                                     : curl_easy_strerror(code));
}

std::string quoted_reason(std::string_view said,
                          const std::vector<std::string>& secrets) {
  std::string out{said};
  for (const auto& secret : secrets)
    for (auto at = secret.empty() ? out.npos : out.find(secret); at != out.npos;
         at = out.find(secret, at + 3))
      out.replace(at, secret.size(), "***");
  if (out.size() > reason_bytes_max)
    out.resize(reason_bytes_max);
  for (auto& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = ' ';
  return readable(out);
}

} // namespace depositd::sources
