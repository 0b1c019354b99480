#pragma once

// A connection to PostgreSQL. This and values.hpp are the only places that
// speak libpq.

#include "adapters/stores/postgres/values.hpp"
#include "messages/values/errors.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>

namespace depositd::postgres {

struct connection_options {
  /// "postgresql://..." or "host=... dbname=...", with whatever libpq knows:
  /// sslmode=verify-full, sslrootcert, several hosts, options=-csearch_path=...
  std::string url;
  /// Shown in pg_stat_activity behind "depositd ".
  std::string name;
  std::uint32_t connect_timeout_s = 5; ///< unless the URL says another
  /// The server gives up a statement after this ...
  std::uint32_t statement_timeout_ms = 30'000;
  /// ... and we give up the server after this long without a sign of it.
  std::uint32_t silence_ms_max = 45'000;
};

/// What `body` gives, an error or a value, when `run` runs a function of `Args`
/// that gives an error.
template <class... Args, class Run, class Body>
auto by_way_of(const Run& run, const Body& body)
  -> std::invoke_result_t<const Body&, Args...> {
  using outcome = std::invoke_result_t<const Body&, Args...>;
  if constexpr (std::is_same_v<outcome, caf::error>) {
    return run(body);
  } else {
    std::optional<outcome> out;
    auto failed = run([&](Args... args) {
      out.emplace(body(args...));
      return *out ? caf::error{} : out->error();
    });
    if (failed)
      return failed;
    return std::move(*out);
  }
}

/// One session. Not thread-safe; every call blocks until the server has
/// answered or a timeout has passed. Errors are `ec::store_failed` with the
/// server's words, or `ec::store_damaged` if it says that data are corrupt.
class connection {
public:
  static caf::expected<std::unique_ptr<connection>>
  open(const connection_options& options);

  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;
  ~connection();

  /// Runs one statement, prepared at its first use.
  caf::expected<result> run(std::string_view sql, const parameters& x = {});

  /// The same where nobody looks at the result.
  caf::error execute(std::string_view sql, const parameters& x = {});

  using show_row = std::function<caf::error(const row_view&)>;

  /// Runs one statement and shows its rows. Ends with the error of `show`.
  caf::error each(std::string_view sql, const parameters& x,
                  const show_row& show);

  /// The same with some hundred rows in memory. Outside of a transaction it has
  /// one of its own, in which the server's own timeout does not hold. An error
  /// of `show` ends it before the last row has come.
  caf::error stream(std::string_view sql, const parameters& x,
                    const show_row& show);

  /// Runs any number of statements without parameters.
  caf::error script(const std::string& sql);

  /// Runs `body` in one transaction and returns what it gives, an error or a
  /// value. An error rolls back, one that `body` keeps to itself, too. If the
  /// connection is lost meanwhile it is not known what became of it. Within
  /// another `ec::store_failed`: the inner one's end would be that of both.
  template <class Body>
  auto transact(const Body& body) {
    return by_way_of<>([this](const auto& x) { return run_transaction(x); },
                       body);
  }

  /// `ec::store_damaged`; says that it is in PostgreSQL.
  static caf::error damaged(const std::string& what) {
    return row_view::damaged(what);
  }

  /// Whether this session is over, or takes no writes any more; open another.
  bool lost() const noexcept;

  /// SQLSTATE of the failure that was last: "23505". Empty: not the server's.
  const std::string& state() const noexcept {
    return state_;
  }

private:
  explicit connection(const connection_options& options);

  bool is_in_transaction() const noexcept;
  caf::error run_transaction(const std::function<caf::error()>& body);
  caf::error commit();
  caf::error fetch(std::string_view sql, const parameters& x,
                   const show_row& show);
  caf::error connect();
  caf::error configure();
  caf::expected<std::string> prepare(std::string_view sql, const parameters& x);
  caf::error send(std::string_view sql, const parameters& x);
  /// Not kept as prepared.
  caf::expected<result> run_once(const std::string& sql, const parameters& x);
  caf::error await();
  caf::expected<result> take_result();
  caf::expected<result> take_all();
  void hear_warnings();
  void log_warning(std::string_view text);
  caf::error failure(const PGresult* from);
  caf::error give_up(const std::string& why);

  struct text_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view x) const noexcept {
      return std::hash<std::string_view>{}(x);
    }
  };

  connection_options options_;
  PGconn* handle_ = nullptr;
  bool silent_ = false; ///< gave no sign for too long, or takes no writes
  std::string state_;
  std::unordered_map<std::string, std::string, text_hash, std::equal_to<>>
    statements_;
  std::uint64_t statements_made_ = 0;
  int warnings_left_ = 20; ///< that are still told
};

} // namespace depositd::postgres
