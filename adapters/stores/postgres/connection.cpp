#include "adapters/stores/postgres/connection.hpp"

#include "adapters/stores/postgres/quiet_login.hpp"

#include <spdlog/spdlog.h>

#include <cerrno>
#include <chrono>
#include <poll.h>

namespace depositd::postgres {

namespace {

/// Tables of the log come and go, and each has statements of its own.
constexpr std::size_t statements_max = 256;

constexpr std::string_view read_only_state = "25006";

std::string trimmed(std::string_view text) {
  const auto end = text.find_last_not_of("\n ");
  text = text.substr(0, end == std::string_view::npos ? 0 : end + 1);
  std::string out;
  for (const char x : text)
    out += x == '\n' ? ' ' : x;
  return out;
}

/// What the URL may say otherwise stands before it, the rest behind.
std::vector<std::pair<const char*, std::string>>
keywords_of(const connection_options& options) {
  return {{"connect_timeout", std::to_string(options.connect_timeout_s)},
          // Of several hosts the one that writes, not a copy of it.
          {"target_session_attrs", "read-write"},
          {"keepalives_idle", "5"},
          {"keepalives_interval", "3"},
          {"keepalives_count", "3"},
          {"tcp_user_timeout", std::to_string(options.silence_ms_max)},
          {"dbname", options.url},
          {"application_name", "depositd " + options.name},
          {"client_encoding", "UTF8"}};
}

} // namespace

connection::connection(const connection_options& options) : options_(options) {
  // nop
}

connection::~connection() {
  PQfinish(handle_);
}

caf::expected<std::unique_ptr<connection>>
connection::open(const connection_options& options) {
  std::unique_ptr<connection> out{new connection(options)};
  if (auto error = out->connect())
    return error;
  if (auto error = out->configure())
    return error;
  out->hear_warnings();
  return out;
}

caf::error connection::connect() {
  const auto given = keywords_of(options_);
  std::vector<const char*> names;
  std::vector<const char*> values;
  for (const auto& [name, value] : given) {
    names.push_back(name);
    values.push_back(value.c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  handle_ = begin_quietly(names.data(), values.data());
  // How long to wait for each of several hosts only the library knows, when it
  // begins anew; who came and said nothing is nothing to a server.
  if (PQstatus(handle_) != CONNECTION_BAD)
    PQreset(handle_);
  if (PQstatus(handle_) != CONNECTION_OK)
    return failure(nullptr);
  PQsetnonblocking(handle_, 1);
  return {};
}

void connection::hear_warnings() {
  PQsetNoticeProcessor(
    handle_,
    [](void* self, const char* text) {
      static_cast<connection*>(self)->log_warning(text);
    },
    this);
}

/// What a server says to whoever operates it: that numbers of transactions run
/// out, or that we end one that did not begin.
void connection::log_warning(std::string_view text) {
  if (warnings_left_ == 0)
    return;
  --warnings_left_;
  spdlog::warn("postgres_warns connection=\"{}\" text=\"{}\"", options_.name,
               trimmed(text));
}

/// A commit that is not flushed is none, whatever the server's default; the
/// other end of a cut cable must let go of its locks, and so must an engine
/// that stopped in the middle of a transaction. One in which nothing happens
/// keeps its session, and with it the shard's lock, and who waits for a lock is
/// bounded by the time for its statement: not every version knows all of these.
caf::error connection::configure() {
  return script(
    "SET statement_timeout = " + std::to_string(options_.statement_timeout_ms)
    + "; SET idle_in_transaction_session_timeout = '5s'"
      "; SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 3"
      "; SET tcp_keepalives_count = 3; SET client_min_messages = warning"
      "; SELECT set_config('synchronous_commit', 'on', false)"
      " WHERE current_setting('synchronous_commit') = 'off'"
      "; SELECT set_config(name, value, false) FROM (VALUES "
      "('idle_session_timeout', '0'), ('transaction_timeout', '0'), "
      "('lock_timeout', '0'), "
      "('default_transaction_isolation', 'read committed')"
      ") AS ours (name, value) WHERE current_setting(name, true) IS NOT NULL");
}

bool connection::lost() const noexcept {
  return silent_ || PQstatus(handle_) != CONNECTION_OK;
}

caf::error connection::failure(const PGresult* from) {
  const char* state =
    from == nullptr ? nullptr : PQresultErrorField(from, PG_DIAG_SQLSTATE);
  state_ = state == nullptr ? "" : state;
  // It was not when it began: another server writes, or will.
  silent_ = silent_ || state_ == read_only_state;
  std::string text;
  if (from != nullptr)
    if (const auto* primary = PQresultErrorField(from, PG_DIAG_MESSAGE_PRIMARY))
      text = primary;
  if (text.empty())
    text = trimmed(from == nullptr ? PQerrorMessage(handle_)
                                   : PQresultErrorMessage(from));
  if (!state_.empty()) {
    text += " (";
    text += state_;
    text += ')';
  }
  const auto damaged = state_ == "XX001" || state_ == "XX002";
  return caf::make_error(damaged ? ec::store_damaged : ec::store_failed,
                         "postgres: " + text);
}

caf::error connection::give_up(const std::string& why) {
  silent_ = true;
  state_.clear();
  return caf::make_error(ec::store_failed, "postgres: " + why);
}

/// Until a result can be taken without blocking.
caf::error connection::await() {
  using clock = std::chrono::steady_clock;
  const auto until =
    clock::now() + std::chrono::milliseconds{options_.silence_ms_max};
  for (;;) {
    const auto unsent = PQflush(handle_);
    if (unsent < 0)
      return failure(nullptr);
    if (unsent == 0 && PQisBusy(handle_) == 0)
      return {};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      until - clock::now());
    pollfd wait{PQsocket(handle_), POLLIN, 0};
    if (unsent > 0)
      wait.events |= POLLOUT;
    const auto ready =
      left.count() <= 0 ? 0 : ::poll(&wait, 1, static_cast<int>(left.count()));
    if (ready == 0)
      return give_up("no answer for " + std::to_string(options_.silence_ms_max)
                     + " ms");
    if (ready < 0 && errno != EINTR)
      return give_up("cannot wait for the server");
    if (ready > 0 && PQconsumeInput(handle_) == 0)
      return failure(nullptr);
  }
}

/// The next result; one without rows and commands if there is none.
caf::expected<result> connection::take_result() {
  if (auto error = await())
    return error;
  return result{PQgetResult(handle_)};
}

/// The last result of what was sent, or the first failure.
caf::expected<result> connection::take_all() {
  result last;
  caf::error failed;
  for (;;) {
    auto next = take_result();
    if (!next)
      return std::move(next.error());
    if (next->get() == nullptr)
      break;
    const auto status = PQresultStatus(next->get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && !failed)
      failed = failure(next->get());
    last = std::move(*next);
  }
  if (failed)
    return failed;
  if (last.get() == nullptr)
    return failure(nullptr);
  return last;
}

caf::error connection::script(const std::string& sql) {
  if (PQsendQuery(handle_, sql.c_str()) == 0)
    return failure(nullptr);
  auto done = take_all();
  return done ? caf::error{} : std::move(done.error());
}

caf::expected<std::string> connection::prepare(std::string_view sql,
                                               const parameters& x) {
  if (const auto known = statements_.find(sql); known != statements_.end())
    return known->second;
  if (statements_.size() >= statements_max) {
    if (auto error = script("DEALLOCATE ALL"))
      return error;
    statements_.clear();
  }
  auto name = std::to_string(++statements_made_);
  const std::string text{sql};
  if (PQsendPrepare(handle_, name.c_str(), text.c_str(), x.size(), x.types())
      == 0)
    return failure(nullptr);
  if (auto done = take_all(); !done)
    return std::move(done.error());
  statements_.emplace(text, name);
  return name;
}

caf::error connection::send(std::string_view sql, const parameters& x) {
  const auto name = prepare(sql, x);
  if (!name)
    return name.error();
  if (PQsendQueryPrepared(handle_, name->c_str(), x.size(), x.values(),
                          x.lengths(), x.formats(), 1)
      == 0)
    return failure(nullptr);
  return {};
}

caf::expected<result> connection::run(std::string_view sql,
                                      const parameters& x) {
  if (auto error = send(sql, x))
    return error;
  return take_all();
}

caf::error connection::execute(std::string_view sql, const parameters& x) {
  auto done = run(sql, x);
  return done ? caf::error{} : std::move(done.error());
}

caf::error connection::each(std::string_view sql, const parameters& x,
                            const show_row& show) {
  const auto rows = run(sql, x);
  if (!rows)
    return rows.error();
  for (int row = 0; row < rows->rows(); ++row)
    if (auto error = show({*rows, row}))
      return error;
  return {};
}

caf::expected<result> connection::run_once(const std::string& sql,
                                           const parameters& x) {
  if (PQsendQueryParams(handle_, sql.c_str(), x.size(), x.types(), x.values(),
                        x.lengths(), x.formats(), 1)
      == 0)
    return failure(nullptr);
  return take_all();
}

bool connection::is_in_transaction() const noexcept {
  const auto status = PQtransactionStatus(handle_);
  return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}

caf::error connection::stream(std::string_view sql, const parameters& x,
                              const show_row& show) {
  if (is_in_transaction()) {
    auto failed = fetch(sql, x, show);
    if (PQtransactionStatus(handle_) != PQTRANS_INTRANS)
      return failed; // which has closed it
    auto unclosed = script("CLOSE streamed");
    return failed ? failed : unclosed;
  }
  return run_transaction([&]() -> caf::error {
    if (auto error = script("SET LOCAL statement_timeout = 0"))
      return error;
    return fetch(sql, x, show);
  });
}

/// Whoever has enough fetches no more: to cancel what the server sends would
/// wait for one that stands still.
caf::error connection::fetch(std::string_view sql, const parameters& x,
                             const show_row& show) {
  auto declared =
    run_once("DECLARE streamed NO SCROLL CURSOR FOR " + std::string{sql}, x);
  if (!declared)
    return std::move(declared.error());
  while (true) {
    const auto rows = run_once("FETCH 256 FROM streamed", {});
    if (!rows)
      return rows.error();
    for (int row = 0; row < rows->rows(); ++row)
      if (auto error = show({*rows, row}))
        return error;
    if (rows->rows() == 0)
      return {};
  }
}

caf::error
connection::run_transaction(const std::function<caf::error()>& body) {
  if (is_in_transaction())
    return caf::make_error(ec::store_failed,
                           "postgres: a transaction within another");
  if (auto error = script("BEGIN"))
    return error;
  if (auto failed = body()) {
    const auto state = state_;
    if (!lost())
      (void)script("ROLLBACK");
    state_ = state;
    return failed;
  }
  return commit();
}

/// A server that has nothing to commit, because a statement failed, rolls back
/// and calls that no error.
caf::error connection::commit() {
  if (PQsendQuery(handle_, "COMMIT") == 0)
    return failure(nullptr);
  const auto done = take_all();
  if (!done)
    return done.error();
  return std::string_view{PQcmdStatus(done->get())} == "COMMIT"
           ? caf::error{}
           : caf::make_error(ec::store_failed,
                             "postgres: the transaction was rolled back");
}

} // namespace depositd::postgres
