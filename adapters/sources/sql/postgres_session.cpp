#include "adapters/sources/sql/postgres_session.hpp"

#include "adapters/sources/sql/scrubber.hpp"
#include "adapters/stores/postgres/quiet_login.hpp"
#include "messages/values/hex.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <poll.h>

namespace depositd::sources::sql {

namespace {

struct close_connection {
  void operator()(PGconn* x) const noexcept {
    PQfinish(x);
  }
};
struct free_result {
  void operator()(PGresult* x) const noexcept {
    PQclear(x);
  }
};
struct free_options {
  void operator()(PQconninfoOption* x) const noexcept {
    PQconninfoFree(x);
  }
};
using connection_ptr = std::unique_ptr<PGconn, close_connection>;
using result_ptr = std::unique_ptr<PGresult, free_result>;

// Numbers of types, which never change (pg_type.dat).
constexpr Oid bool_type = 16;
constexpr Oid bytea_type = 17;
constexpr Oid int8_type = 20;
constexpr Oid int2_type = 21;
constexpr Oid int4_type = 23;
constexpr Oid oid_type = 26;
constexpr Oid json_type = 114;
constexpr Oid float4_type = 700;
constexpr Oid float8_type = 701;
constexpr Oid numeric_type = 1700;
constexpr Oid jsonb_type = 3802;

cell_kind kind_of(Oid type) {
  switch (type) {
    case bool_type:
      return cell_kind::boolean;
    case bytea_type:
      return cell_kind::bytes;
    case int2_type:
    case int4_type:
    case int8_type:
    case oid_type:
      return cell_kind::integer;
    case float4_type:
    case float8_type:
    case numeric_type:
      return cell_kind::number;
    case json_type:
    case jsonb_type:
      return cell_kind::json;
    default:
      return cell_kind::text;
  }
}

/// What a value of that kind is, from the text "\x00ff" or "t".
std::string read_value(cell_kind kind, std::string_view text) {
  if (kind == cell_kind::boolean)
    return text == "t" ? "true" : "false";
  if (kind != cell_kind::bytes || !text.starts_with("\\x"))
    return std::string{text};
  std::string out;
  for (text.remove_prefix(2); text.size() >= 2; text.remove_prefix(2)) {
    std::uint8_t byte = 0;
    take_hex(text.substr(0, 2), byte);
    out += static_cast<char>(byte);
  }
  return out;
}

/// What is wrong by the class of the server's state: whoever wrote the query
/// has to mend it, or it names what is not there.
ec code_of(std::string_view state) {
  if (state == "42P01" || state == "3F000" || state == "3D000")
    return ec::not_found;
  if (state == "42501" || state == "53400")
    return ec::store_failed;
  return state.starts_with("42") || state == "25006" ? ec::invalid_argument
                                                     : ec::store_failed;
}

/// Of a session. Texts as they were written, whatever the defaults of the
/// server: positions are given back to it later. A server that nobody waits for
/// notices that by itself, if it can (since version 14). One that knows no
/// encoding would refuse the whole answer for what is no UTF-8 in it: that is
/// for its record to bear.
std::string settings_for(bool without_encoding) {
  std::string out =
    "SET default_transaction_read_only = on"
    "; SET standard_conforming_strings = on; SET bytea_output = 'hex'"
    "; SET extra_float_digits = 3; SET datestyle = 'ISO'"
    "; SET client_min_messages = error"
    "; SELECT set_config(name, '1000', false) FROM pg_settings"
    " WHERE name = 'client_connection_check_interval'";
  if (without_encoding)
    out += "; SET client_encoding = 'SQL_ASCII'";
  return out;
}

class postgres_session final : public session {
public:
  postgres_session(std::string url, const std::string& name)
    : url_(std::move(url)), name_("depositd " + name), scrub_(url_) {
    // nop
  }

  caf::expected<answer> ask(const question& x, const patience& until) override {
    for (bool kept = true;;) {
      if (!connection_) {
        kept = false;
        if (auto failed = connect(until)) {
          stop();
          return failed;
        }
      }
      auto out = run(x, until);
      if (out)
        return out;
      const bool lost = PQstatus(connection_.get()) != CONNECTION_OK;
      if (until.ended() || !lost)
        return give_up(std::move(out.error()));
      // One that was kept may have died long ago: reading may be repeated.
      connection_.reset();
      if (!kept)
        return std::move(out.error());
    }
  }

private:
  /// Keeps the session if it can be asked again.
  caf::error give_up(caf::error why) {
    if (PQtransactionStatus(connection_.get()) != PQTRANS_IDLE)
      stop();
    return why;
  }

  /// Ends the session, and what runs in the server with it: no PQcancel, which
  /// waits without an end for a server that stands still.
  void stop() noexcept {
    connection_.reset();
    statement_timeout_ms_ = -1;
  }

  caf::error failure(const PGresult* from) const {
    const char* state =
      from == nullptr ? nullptr : PQresultErrorField(from, PG_DIAG_SQLSTATE);
    const char* text = from == nullptr
                         ? PQerrorMessage(connection_.get())
                         : PQresultErrorField(from, PG_DIAG_MESSAGE_PRIMARY);
    if (text == nullptr || *text == '\0')
      text = from == nullptr ? "out of memory" : PQresultErrorMessage(from);
    auto what = "postgres: " + scrub_(text);
    if (state != nullptr)
      what += " (" + std::string{state} + ")";
    return caf::make_error(code_of(state == nullptr ? "" : state),
                           std::move(what));
  }

  /// What the URL may say otherwise stands before it, the rest behind. What is
  /// not acknowledged for five seconds is lost.
  caf::error connect(const patience& until) {
    const std::array<const char*, 9> names{
      "connect_timeout",  "keepalives_idle",  "keepalives_interval",
      "keepalives_count", "tcp_user_timeout", "dbname",
      "application_name", "client_encoding",  nullptr};
    const std::array<const char*, 9> values{"10",          "5",    "3",
                                            "3",           "5000", url_.c_str(),
                                            name_.c_str(), "UTF8", nullptr};
    connection_.reset(postgres::begin_quietly(names.data(), values.data()));
    statement_timeout_ms_ = -1;
    if (PQstatus(connection_.get()) == CONNECTION_BAD)
      return failure(nullptr);
    for (auto wanted = PGRES_POLLING_WRITING; wanted != PGRES_POLLING_OK;
         wanted = PQconnectPoll(connection_.get())) {
      if (wanted == PGRES_POLLING_FAILED)
        return failure(nullptr);
      const short events = wanted == PGRES_POLLING_READING ? POLLIN : POLLOUT;
      if (auto late = until.await(PQsocket(connection_.get()), events))
        return late;
    }
    PQsetnonblocking(connection_.get(), 1);
    const auto* encoding =
      PQparameterStatus(connection_.get(), "server_encoding");
    return execute(settings_for(encoding != nullptr
                                && std::string_view{encoding} == "SQL_ASCII"),
                   until);
  }

  /// The next result; null behind the last one.
  caf::expected<result_ptr> next_result(const patience& until) {
    auto* const to = connection_.get();
    for (;;) {
      const auto unsent = PQflush(to);
      if (unsent < 0)
        return failure(nullptr);
      if (unsent == 0 && PQisBusy(to) == 0)
        return result_ptr{PQgetResult(to)};
      const auto events =
        static_cast<short>(unsent > 0 ? POLLIN | POLLOUT : POLLIN);
      if (auto late = until.await(PQsocket(to), events))
        return late;
      if (PQconsumeInput(to) == 0)
        return failure(nullptr);
    }
  }

  /// Statements whose results nobody wants.
  caf::error execute(const std::string& sql, const patience& until) {
    if (PQsendQuery(connection_.get(), sql.c_str()) == 0)
      return failure(nullptr);
    caf::error failed;
    for (;;) {
      auto next = next_result(until);
      if (!next)
        return std::move(next.error());
      if (!*next)
        return failed;
      if (PQresultStatus(next->get()) == PGRES_FATAL_ERROR && !failed)
        failed = failure(next->get());
    }
  }

  /// The second net: the server gives up what it does not notice that nobody
  /// waits for.
  caf::error set_timeout(const patience& until) {
    const auto wanted_ms = std::max<std::int64_t>(until.timeout().count(), 1);
    if (statement_timeout_ms_ == wanted_ms)
      return {};
    if (auto failed = execute(
          "SET statement_timeout = " + std::to_string(wanted_ms), until))
      return failed;
    statement_timeout_ms_ = wanted_ms;
    return {};
  }

  caf::error send(const question& x) {
    const auto limit = std::to_string(x.limit);
    std::vector<Oid> types;
    std::vector<const char*> values;
    for (const auto what : x.query.bound) {
      // The server finds the type of a cursor itself, by what it is compared
      // with; a limit is a number, even where it could be anything.
      const bool is_limit = what == placeholder::limit;
      types.push_back(is_limit ? int8_type : 0);
      values.push_back(is_limit ? limit.c_str() : x.cursor.c_str());
    }
    if (PQsendQueryParams(connection_.get(), x.query.text.c_str(),
                          static_cast<int>(values.size()), types.data(),
                          values.data(), nullptr, nullptr, 0)
          == 0
        || PQsetSingleRowMode(connection_.get()) == 0)
      return failure(nullptr);
    return {};
  }

  static std::vector<std::string> columns_of(const PGresult* from) {
    std::vector<std::string> out;
    for (int i = 0; i < PQnfields(from); ++i)
      out.emplace_back(PQfname(from, i));
    return out;
  }

  /// False: it had no room.
  static bool add_row(const PGresult* from, answer_filler& to) {
    if (!to.begin_row())
      return false;
    for (int i = 0; i < PQnfields(from); ++i) {
      if (PQgetisnull(from, 0, i) != 0) {
        to.add(cell_kind::null);
        continue;
      }
      const auto kind = kind_of(PQftype(from, i));
      to.add(
        kind,
        read_value(kind, {PQgetvalue(from, 0, i),
                          static_cast<std::size_t>(PQgetlength(from, 0, i))}));
    }
    return to.end_row();
  }

  caf::expected<answer> run(const question& x, const patience& until) {
    if (auto failed = set_timeout(until))
      return failed;
    if (auto failed = send(x))
      return failed;
    answer_filler out{x.rows_max};
    caf::error failed;
    for (;;) {
      auto next = next_result(until);
      if (!next)
        return std::move(next.error());
      if (!*next)
        break;
      const auto* from = next->get();
      const auto status = PQresultStatus(from);
      const bool rows =
        status == PGRES_SINGLE_TUPLE || status == PGRES_TUPLES_OK;
      if (rows && !out.has_columns())
        out.set_columns(columns_of(from));
      if (status == PGRES_SINGLE_TUPLE && !add_row(from, out)) {
        // The rest of the rows is on its way: not with this session.
        stop();
        return out.take();
      }
      if (status == PGRES_FATAL_ERROR) {
        failed = failure(from);
      } else if (!rows && status != PGRES_COMMAND_OK
                 && status != PGRES_EMPTY_QUERY) {
        // Copying has to be answered, which nobody does here.
        stop();
        return no_rows_given();
      }
    }
    if (failed)
      return failed;
    if (!out.has_columns())
      return no_rows_given();
    return out.take();
  }

  const std::string url_;
  const std::string name_;
  const scrubber scrub_;
  connection_ptr connection_;
  std::int64_t statement_timeout_ms_ = -1; ///< of the session; -1: not known
};

} // namespace

caf::expected<std::unique_ptr<session>>
make_postgres_session(const std::string& url, const std::string& name) {
  char* reason = nullptr;
  const std::unique_ptr<PQconninfoOption, free_options> options{
    PQconninfoParse(url.c_str(), &reason)};
  if (!options) {
    const auto text = scrubber{url}(reason == nullptr ? "" : reason);
    PQfreemem(reason);
    return caf::make_error(ec::invalid_argument, "url: " + text);
  }
  std::unique_ptr<session> out = std::make_unique<postgres_session>(url, name);
  return out;
}

} // namespace depositd::sources::sql
