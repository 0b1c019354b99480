#include "adapters/stores/s3/wire.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace depositd::s3 {

namespace {

constexpr std::size_t idle_max = 16;

/// Of no bytes.
constexpr const char* nothing_sha256 =
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// What will be no better later.
bool is_final(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION
         || code == CURLE_SSL_CACERT_BADFILE || code == CURLE_URL_MALFORMAT
         || code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_OUT_OF_MEMORY;
}

long seconds_of(std::chrono::milliseconds x) {
  return static_cast<long>((x.count() + 999) / 1'000);
}

/// One request on one handle.
class exchange {
public:
  exchange(const request& x, CURL* easy) : x_(x), easy_(easy) {
    // nop
  }

  ending run(const s3_place& place, const time_limits& limits,
             const std::string& signing) {
    const auto url = url_of(place, x_.key, x_.query);
    auto lines = x_.headers;
    lines.push_back("x-amz-content-sha256: "
                    + (x_.body ? x_.body->sha256 : nothing_sha256));
    if (x_.from > 0)
      lines.push_back("Range: bytes=" + std::to_string(x_.from) + "-");
    // No line without a value, as one that keeps libcurl from asking first
    // whether a body is welcome: libcurl signs it and does not send it. Bodies
    // up to 1 MiB are sent without asking anyway.
    const auto headers = curl_strings_of(lines);
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_HTTPHEADER, headers.get());
    set(CURLOPT_AWS_SIGV4, signing.c_str());
    set(CURLOPT_USERNAME, place.access_key.c_str());
    set(CURLOPT_PASSWORD, place.secret_key.c_str());
    if (!place.ca_file.empty())
      set(CURLOPT_CAINFO, place.ca_file.c_str());
    set_up_fixed();
    set_up_method();
    set_up_limits(limits);
    std::array<char, CURL_ERROR_SIZE> reason{};
    set(CURLOPT_ERRORBUFFER, reason.data());
    const auto code = curl_easy_perform(easy_);
    out_.said.status = status();
    if (code != CURLE_OK && !out_.failure) {
      out_.failure = caf::make_error(
        ec::store_failed,
        place.endpoint + ": "
          + (reason[0] ? reason.data() : curl_easy_strerror(code)));
      out_.passing = !is_final(code) && code != CURLE_ABORTED_BY_CALLBACK;
      out_.hung = code == CURLE_OPERATION_TIMEDOUT;
    }
    // To the library the end of a connection is the end of an answer, also
    // within its head: an object would be one of no bytes.
    if (code == CURLE_OK && !has_head_) {
      out_.failure = caf::make_error(
        ec::store_failed, place.endpoint
                            + ": the connection ended within the head of the "
                              "answer");
      out_.passing = true;
    }
    return std::move(out_);
  }

private:
  template <class T>
  void set(CURLoption option, T value) {
    curl_easy_setopt(easy_, option, value);
  }

  void set_up_fixed() {
    set_up_web(easy_);
    // A key may be "a/../b": what is signed is what is sent.
    set(CURLOPT_PATH_AS_IS, 1L);
    set(CURLOPT_BUFFERSIZE, 256L * 1024);
    set(CURLOPT_UPLOAD_BUFFERSIZE, 256L * 1024);
    set(CURLOPT_HEADERFUNCTION, &exchange::on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &exchange::on_body);
    set(CURLOPT_WRITEDATA, this);
  }

  void set_up_method() {
    if (x_.method == "HEAD") {
      set(CURLOPT_NOBODY, 1L);
    } else if (x_.method == "PUT" || x_.method == "POST") {
      set(CURLOPT_UPLOAD, 1L);
      set(CURLOPT_CUSTOMREQUEST, x_.method.c_str());
      set(CURLOPT_INFILESIZE_LARGE,
          static_cast<curl_off_t>(x_.body ? x_.body->bytes : 0));
      set(CURLOPT_READFUNCTION, &exchange::on_read);
      set(CURLOPT_READDATA, this);
      set(CURLOPT_SEEKFUNCTION, &exchange::on_seek);
      set(CURLOPT_SEEKDATA, this);
    } else {
      set(CURLOPT_CUSTOMREQUEST, x_.method.c_str());
    }
  }

  void set_up_limits(const time_limits& limits) {
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits.connect.count()));
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(limits.whole.count()));
    set(CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(limits.rate_min));
    set(CURLOPT_LOW_SPEED_TIME,
        seconds_of(x_.slow_answer ? limits.thinking : limits.stalled));
  }

  static std::size_t on_header(char* data, std::size_t, std::size_t count,
                               void* self) {
    auto& x = *static_cast<exchange*>(self);
    auto& said = x.out_.said;
    const std::string_view line{data, count};
    if (!headers_fit(x.easy_, count)) {
      x.out_.failure = caf::make_error(
        ec::store_failed, std::string{"the server sends headers without end"});
      return 0;
    }
    if (line.starts_with("HTTP/"))
      said = {};
    else if (is_header_line(line, "content-length"))
      said.length = header_number(header_value(line));
    else if (is_header_line(line, "etag"))
      said.etag = header_value(line);
    else if (is_header_line(line, mark_header))
      said.mark = header_value(line);
    else if (is_header_line(line, "x-amz-bucket-region"))
      said.region = header_value(line);
    else if (is_header_line(line, "content-range"))
      said.range_first = range_first(header_value(line));
    else if (line == "\r\n" || line == "\n")
      x.has_head_ = x.has_head_ || x.status() >= 200;
    return count;
  }

  long status() const {
    long out = 0;
    curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &out);
    return out;
  }

  /// "bytes 5-9/10".
  static std::optional<std::uint64_t> range_first(std::string_view text) {
    if (!text.starts_with("bytes "))
      return std::nullopt;
    text.remove_prefix(6);
    return header_number(text.substr(0, text.find('-')));
  }

  static std::size_t on_body(char* data, std::size_t, std::size_t count,
                             void* self) {
    auto& x = *static_cast<exchange*>(self);
    const auto status = x.status();
    x.out_.said.status = status;
    if (x.x_.sink && (status == 200 || status == 206)) {
      const auto from = x.out_.said.range_first.value_or(0);
      x.out_.failure = from == x.x_.from
                         ? x.x_.sink({data, count})
                         : caf::make_error(ec::store_failed,
                                           "the server gives another part than "
                                           "was asked for");
      return x.out_.failure ? 0 : count;
    }
    auto& body = x.out_.said.body;
    if (body.size() + count > document_bytes_max) {
      x.out_.failure = caf::make_error(ec::store_failed,
                                       std::string{"the answer is too long"});
      return 0;
    }
    body.append(data, count);
    return count;
  }

  static std::size_t on_read(char* to, std::size_t, std::size_t room,
                             void* self) {
    auto& x = *static_cast<exchange*>(self);
    if (!x.x_.body || !x.x_.body->read)
      return 0;
    const auto count =
      std::min<std::uint64_t>(room, x.x_.body->bytes - x.sent_);
    if (count == 0)
      return 0;
    x.out_.failure = x.x_.body->read({to, count}, x.sent_);
    if (x.out_.failure)
      return CURL_READFUNC_ABORT;
    x.sent_ += count;
    return count;
  }

  static int on_seek(void* self, curl_off_t offset, int origin) {
    auto& x = *static_cast<exchange*>(self);
    if (origin != SEEK_SET || offset < 0)
      return CURL_SEEKFUNC_CANTSEEK;
    x.sent_ = static_cast<std::uint64_t>(offset);
    return CURL_SEEKFUNC_OK;
  }

  const request& x_;
  CURL* easy_;
  std::uint64_t sent_ = 0;
  bool has_head_ = false; ///< all of the answer's
  ending out_;
};

} // namespace

wire::wire(s3_place place, time_limits limits, std::function<bool()> stopped)
  : place_(std::move(place)), stopped_(std::move(stopped)), limits_(limits),
    signing_("aws:amz:" + place_.region + ":s3") {
  // nop
}

curl_easy wire::take() {
  const std::lock_guard guard{mutex_};
  if (idle_.empty())
    return make_curl_easy();
  auto out = std::move(idle_.back());
  idle_.pop_back();
  return out;
}

void wire::give_back(curl_easy x) {
  // Its connections stay.
  curl_easy_reset(x.get());
  const std::lock_guard guard{mutex_};
  if (idle_.size() < idle_max)
    idle_.push_back(std::move(x));
}

ending wire::send(const request& x) {
  auto easy = take();
  if (!easy)
    return {
      {}, caf::make_error(ec::store_failed, "no memory for a request"), false};
  stop_curl_if(easy.get(), stopped_);
  auto out = exchange{x, easy.get()}.run(place_, limits_, signing_);
  give_back(std::move(easy));
  return out;
}

} // namespace depositd::s3
