#include "adapters/sources/gauges/make_gauge.hpp"

#include "adapters/fetching/curl_kit.hpp"
#include "adapters/sources/records/interruption.hpp"
#include "adapters/sources/sql/session.hpp"
#include "messages/values/json_text.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace depositd::sources {

namespace {

constexpr std::size_t answer_bytes_max = 64 * 1024;
/// No queue is as long; a double cannot count further either. Whoever counts
/// below zero may say the greatest number that there is.
constexpr std::uint64_t left_max = 9'000'000'000'000'000;

std::optional<std::uint64_t> count_of(const nlohmann::json& x) {
  if (x.is_number_unsigned()) {
    const auto count = x.get<std::uint64_t>();
    return count <= left_max ? std::optional{count} : std::nullopt;
  }
  if (!x.is_number_float())
    return std::nullopt;
  const auto value = x.get<double>();
  if (!(value >= 0) || value > static_cast<double>(left_max))
    return std::nullopt;
  return static_cast<std::uint64_t>(std::ceil(value));
}

/// "17", or {"left":17}.
std::optional<std::uint64_t> read_left(std::string_view answer) {
  const auto document = json_of(answer);
  if (!document.is_object())
    return count_of(document);
  const auto left = document.find("left");
  return left == document.end() ? std::nullopt : count_of(*left);
}

class web_gauge final : public downstream_gauge {
public:
  web_gauge(std::string url, std::string ca_file)
    : url_(std::move(url)), ca_file_(std::move(ca_file)) {
    // nop
  }

  caf::expected<std::uint64_t>
  left(std::chrono::milliseconds timeout) override {
    const auto easy = make_curl_easy();
    if (!easy)
      return caf::make_error(ec::store_failed, "downstream: no memory");
    body got;
    set_up(easy.get(), timeout, got);
    const auto code = curl_easy_perform(easy.get());
    if (got.too_large)
      return caf::make_error(ec::malformed, "downstream: answers more than "
                                              + std::to_string(answer_bytes_max)
                                              + " bytes");
    if (code != CURLE_OK)
      return caf::make_error(ec::store_failed, std::string{"downstream: "}
                                                 + curl_easy_strerror(code));
    long status = 0;
    curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
    if (status < 200 || status > 299)
      return caf::make_error(ec::store_failed,
                             "downstream: answers " + std::to_string(status));
    if (const auto out = read_left(got.text))
      return *out;
    return caf::make_error(ec::malformed,
                           "downstream: answers neither a number nor an object "
                           "with a number `left`, or a negative one");
  }

private:
  struct body {
    std::string text;
    bool too_large = false;
  };

  void set_up(CURL* easy, std::chrono::milliseconds timeout, body& to) const {
    const auto set = [easy](CURLoption option, auto value) {
      curl_easy_setopt(easy, option, value);
    };
    set_up_web(easy);
    set(CURLOPT_URL, url_.c_str());
    set(CURLOPT_TIMEOUT_MS,
        static_cast<long>(std::max<std::int64_t>(timeout.count(), 1)));
    if (!ca_file_.empty())
      set(CURLOPT_CAINFO, ca_file_.c_str());
    set(CURLOPT_WRITEFUNCTION, &web_gauge::on_body);
    set(CURLOPT_WRITEDATA, &to);
  }

  static std::size_t on_body(char* data, std::size_t, std::size_t count,
                             void* to) {
    auto& got = *static_cast<body*>(to);
    got.too_large = got.text.size() + count > answer_bytes_max;
    if (got.too_large)
      return 0;
    got.text.append(data, count);
    return count;
  }

  const std::string url_;
  const std::string ca_file_;
};

class database_gauge final : public downstream_gauge {
public:
  database_gauge(std::unique_ptr<sql::session> session, sql::query_text query)
    : session_(std::move(session)) {
    what_.query = std::move(query);
    what_.rows_max = 2; // one more than there may be
  }

  caf::expected<std::uint64_t>
  left(std::chrono::milliseconds timeout) override {
    const sql::patience until{stop_, timeout};
    const auto rows = session_->ask(what_, until);
    if (!rows)
      // Whatever it is: nobody has answered.
      return caf::make_error(ec::store_failed,
                             "downstream_query: " + render(rows.error()));
    auto out = sql::number_of(*rows);
    if (!out)
      return caf::make_error(ec::malformed,
                             "downstream_query: " + render(out.error()));
    return out;
  }

private:
  const std::unique_ptr<sql::session> session_;
  sql::question what_;
  interruption stop_; ///< which nobody uses: its questions are short
};

} // namespace

caf::expected<std::unique_ptr<downstream_gauge>>
make_gauge(const scheduler_settings& x, const reader_context& in) {
  const auto unfit = [](const std::string& why) {
    return caf::make_error(ec::invalid_argument, why);
  };
  std::unique_ptr<downstream_gauge> out;
  if (x.downstream.starts_with("http://")
      || x.downstream.starts_with("https://")) {
    out = std::make_unique<web_gauge>(x.downstream, in.ca_file);
    return out;
  }
  if (!sql::is_postgres(x.downstream))
    return unfit("downstream: expected http://... or postgresql://...");
  auto query = sql::query_for(sql::dialect::postgres, x.downstream_query);
  if (!query)
    return unfit("downstream_query: " + render(query.error()));
  if (!query->bound.empty())
    return unfit("downstream_query: has no use for :limit and :cursor");
  auto session = sql::make_session(x.downstream, "gauge of " + x.queue);
  if (!session)
    return unfit("downstream: " + render(session.error()));
  out =
    std::make_unique<database_gauge>(std::move(*session), std::move(*query));
  return out;
}

} // namespace depositd::sources
