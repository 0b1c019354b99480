#include "adapters/sources/sql/sql_reader.hpp"

#include "adapters/sources/records/interruption.hpp"
#include "adapters/sources/sql/positions.hpp"
#include "adapters/sources/sql/row_object.hpp"
#include "adapters/sources/sql/session.hpp"
#include "messages/values/utf8.hpp"

#include <caf/atom.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace depositd::sources {

namespace {

using sql::answer;
using sql::cell_kind;
using sql::placeholder;

/// Rows of one cursor value that are still read at once.
constexpr std::uint64_t rows_of_one_value_max = 1'000'000;
/// How much more is asked for when the rows of one value do not end.
constexpr std::uint64_t growth = 4;
/// Of the time that goes by, one part is spent on counting.
constexpr int parts_of_time = 10;

caf::error unfit(const std::string& why) {
  return caf::make_error(ec::invalid_argument, why);
}

/// The same error, saying which query it is about.
caf::error about(const std::string& what, const caf::error& x) {
  const auto text = what + ": " + render(x);
  if (x.category() == caf::atom("depositd"))
    return caf::make_error(static_cast<ec>(x.code()), text);
  return caf::make_error(ec::store_failed, text);
}

/// Why a value cannot be a position; empty if it can.
const char* fault_of_cursor(const sql::cell& x) {
  if (x.kind == cell_kind::null)
    return "is null";
  if (x.kind == cell_kind::bytes)
    return "has bytes, which are no cursor";
  if (x.text.empty())
    return "is empty";
  return find_invalid_utf8(x.text) == std::string::npos ? "" : "is not UTF-8";
}

/// How far an answer goes.
struct reach {
  std::uint64_t limit = 0;
  std::string from;  ///< value of `:cursor`
  bool full = false; ///< there may be more rows
};

class sql_reader final : public source_reader {
public:
  sql_reader(const record_rules& by, source_origin from,
             std::unique_ptr<sql::session> session, sql::query_text query,
             std::optional<sql::query_text> total)
    : by_(by), from_(std::move(from)), session_(std::move(session)),
      query_(std::move(query)), total_(std::move(total)) {
    // nop
  }

  caf::expected<pulled_batch> next_batch(const batch_request& x) override {
    const sql::patience until{stop_, x.timeout};
    auto out = read(x, until);
    if (!out)
      return out;
    if (auto failed = count_all(*out, until))
      return failed;
    return out;
  }

  void cancel() noexcept override {
    stop_.cancel();
  }

  caf::error applied(const std::vector<std::string>&) override {
    return {}; // nothing to forget there
  }

private:
  bool goes_on() const noexcept {
    return query_.has(placeholder::cursor);
  }

  caf::expected<pulled_batch> read(const batch_request& x,
                                   const sql::patience& until) {
    reach how{std::max<std::uint64_t>(x.limit, 1),
              x.cursor.empty() ? from_.cursor_start : x.cursor, false};
    for (;;) {
      const auto rows = session_->ask(question_of(how), until);
      if (!rows)
        return rows.error();
      if (auto failed = check(*rows))
        return failed;
      if (!goes_on())
        return batch_of(*rows);
      how.full =
        rows->more
        || (query_.has(placeholder::limit) && rows->rows() >= how.limit);
      auto out = batch_of(*rows, how, x.cursor);
      if (!out)
        return std::move(out.error());
      if (*out)
        return std::move(**out);
      const bool too_large = rows->more && rows->rows() < how.limit;
      if (too_large || how.limit >= rows_of_one_value_max)
        return caf::make_error(ec::too_large,
                               "more than " + std::to_string(rows->rows())
                                 + " rows have the value \"" + how.from
                                 + "\" or the next one in the column "
                                 + from_.cursor);
      how.limit = std::min(how.limit * growth, rows_of_one_value_max);
    }
  }

  sql::question question_of(const reach& how) const {
    sql::question out;
    out.query = query_;
    out.limit = how.limit;
    out.cursor = how.from;
    out.cursor_column = from_.cursor;
    out.cursor_kind = cursor_kind_;
    if (goes_on())
      out.rows_max = how.limit;
    return out;
  }

  /// What must be there in every answer, with or without rows.
  caf::error check(const answer& rows) const {
    std::vector<std::string_view> needed{by_.key};
    if (!by_.user_field.empty())
      needed.push_back(by_.user_field);
    if (goes_on())
      needed.push_back(from_.cursor);
    for (const auto column : needed)
      if (!rows.find(column))
        return unfit("the query has no column " + std::string{column});
    if (rows.more && !goes_on())
      return caf::make_error(ec::too_large,
                             "the rows have more than "
                               + std::to_string(sql::answer_bytes_max)
                               + " bytes: the query needs :limit, or :cursor");
    return {};
  }

  pulled_batch batch_of(const answer& rows) const {
    pulled_batch out;
    const sql::row_writer writer{rows};
    for (std::size_t i = 0; i < rows.rows(); ++i)
      add_object(out, by_, writer.object(i));
    return out;
  }

  /// Nothing: more rows must be read at once.
  caf::expected<std::optional<pulled_batch>>
  batch_of(const answer& rows, const reach& how, const std::string& begun) {
    const auto column = *rows.find(from_.cursor);
    const auto values = cursors_of(rows, column, how);
    if (!values)
      return values.error();
    const auto found = sql::positions_of(*values, how.from, how.full, repeats_);
    repeats_ = found.repeats;
    if (!found.enough)
      return std::optional<pulled_batch>{};
    // In front of the first value is where this batch began.
    const auto position = [&](std::string_view x) {
      return x == how.from ? begun : std::string{x};
    };
    pulled_batch out;
    const sql::row_writer writer{rows};
    const auto key = *rows.find(by_.key);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      auto body = writer.object(i);
      if (const std::string why = fault_of_cursor(rows.at(i, column));
          !why.empty())
        add_bad(out, rows.at(i, key).text,
                "its column " + from_.cursor + " " + why, body);
      else
        add_object(out, by_, std::move(body), position(found.behind[i]));
    }
    out.cursor = position(found.end);
    out.has_cursor = !out.cursor.empty();
    return std::optional<pulled_batch>{std::move(out)};
  }

  /// Values of the cursor column, which ascend as far as one can tell. Nothing
  /// for one that cannot be a cursor.
  caf::expected<std::vector<std::optional<std::string_view>>>
  cursors_of(const answer& rows, std::size_t column, const reach& how) {
    std::vector<std::optional<std::string_view>> out;
    bool integers = true;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const auto& x = rows.at(i, column);
      if (*fault_of_cursor(x) != '\0') {
        out.push_back(std::nullopt);
        continue;
      }
      cursor_kind_ = x.kind;
      integers = integers && x.kind == cell_kind::integer;
      out.push_back(x.text);
    }
    // The order of texts is known to the database only.
    const auto at = integers ? sql::descending_at(out, how.from) : std::nullopt;
    if (at)
      return unfit("the column " + from_.cursor
                   + " does not ascend in the query's order: it has "
                   + std::string{*out[*at]} + " behind what is greater");
    return out;
  }

  /// Asked again when ten times what it took is over, so that counting a large
  /// table does not take the time of reading it.
  caf::error count_all(pulled_batch& to, const sql::patience& until) {
    using clock = std::chrono::steady_clock;
    if (!total_)
      return {};
    const auto started = clock::now();
    if (started >= count_again_) {
      sql::question x;
      x.query = *total_;
      x.rows_max = 1;
      const auto rows = session_->ask(x, until);
      if (!rows)
        return about("total_query", rows.error());
      const auto number = sql::number_of(*rows);
      if (!number)
        return about("total_query", number.error());
      total_last_ = *number;
      count_again_ = clock::now() + (clock::now() - started) * parts_of_time;
    }
    to.total = total_last_;
    to.has_total = true;
    return {};
  }

  const record_rules by_;
  const source_origin from_;
  const std::unique_ptr<sql::session> session_;
  const sql::query_text query_;
  const std::optional<sql::query_text> total_;
  interruption stop_;
  std::optional<cell_kind> cursor_kind_; ///< of the value seen last
  bool repeats_ = false;                 ///< values of the cursor column
  std::uint64_t total_last_ = 0;
  std::chrono::steady_clock::time_point count_again_{};
};

} // namespace

caf::expected<std::unique_ptr<source_reader>>
make_sql_reader(const std::string& name, const source_settings& x,
                const reader_context& in) {
  const auto dialect = sql::dialect_of(x.from.url);
  auto query = sql::query_for(dialect, x.from.query);
  if (!query)
    return about("query", query.error());
  if (x.key.empty())
    return unfit("key: is required for the kind sql");
  if (query->has(placeholder::cursor)
      && (x.from.cursor.empty() || !x.from.has_cursor_start))
    return unfit("query: :cursor needs the settings cursor and cursor_start");
  std::optional<sql::query_text> total;
  if (!x.from.total_query.empty()) {
    auto text = sql::query_for(dialect, x.from.total_query);
    if (!text)
      return about("total_query", text.error());
    if (!text->bound.empty())
      return unfit("total_query: has no use for :limit and :cursor");
    total = std::move(*text);
  }
  auto session = sql::make_session(x.from.url, "source " + name);
  if (!session)
    return std::move(session.error());
  std::unique_ptr<source_reader> out = std::make_unique<sql_reader>(
    rules_of(name, x, in.body_bytes_max), x.from, std::move(*session),
    std::move(*query), std::move(total));
  return out;
}

} // namespace depositd::sources
