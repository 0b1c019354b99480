#pragma once

// SQL of batches and jobs, and what is PostgreSQL's own about their queries.

#include "adapters/stores/postgres/shard_tables.hpp"
#include "adapters/stores/rows/work_queries.hpp"

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace depositd::postgres {

/// For `rows::asked_ids`. The first parameter is the shard.
template <class Row>
class work_words {
public:
  explicit work_words(std::uint32_t shard) : given_(shard) {
    // nop
  }

  template <class T>
  requires std::integral<T> || std::is_enum_v<T> std::string give(T value) {
    given_.add(value);
    return sign();
  }

  std::string give(const std::string& value) {
    given_.text(value);
    return sign();
  }

  template <class T>
  std::string give(const std::vector<T>& values) {
    given_.add(column_of(values));
    return sign();
  }

  static std::string among(const std::string& column, const std::string& list) {
    return column + " = ANY(" + list + ")";
  }

  static std::string among_ids(const std::string& list) {
    return "id = ANY(" + list + ")";
  }

  std::string looked_up(std::string_view column, const std::string& value) {
    const std::string name{column};
    return name + " <> '' AND " + name + " = " + give(value);
  }

  /// Bytes compare as they are, in columns; so must what is looked for.
  static std::string part(const std::string& column, const std::string& of) {
    return "strpos(lower(" + column + "), lower(" + of
           + " COLLATE \"C\")) > 0";
  }

  static std::string joined_by_semicolon(const std::string& column,
                                         const std::string& one) {
    return one + " = ANY(string_to_array(" + column + ", ';'))";
  }

  static std::string values(const std::string& list, const char* name) {
    return "unnest(" + list + ") AS " + name + "(value)";
  }

  /// What few rows have must not be sought by walking all rows by id in hope of
  /// an early match.
  static std::string chosen(const std::string& where, const std::string& order,
                            const std::string& count, bool is_exact) {
    const auto all = "SELECT id FROM " + table + " WHERE shard = $1" + where;
    return (is_exact ? "WITH found AS MATERIALIZED (" + all
                         + ") SELECT id FROM found"
                     : all)
           + " ORDER BY id" + order + " LIMIT " + count;
  }

  static std::string chosen_of_each(const std::string& sources,
                                    const std::string& where,
                                    const std::string& order,
                                    const std::string& count) {
    return "SELECT f.id FROM " + sources + " CROSS JOIN LATERAL ("
           + chosen(where, order, count, false) + ") AS f ORDER BY f.id"
           + order + " LIMIT " + count;
  }

  const parameters& given() const noexcept {
    return given_;
  }

private:
  std::string sign() const {
    return "$" + std::to_string(given_.size());
  }

  static inline const std::string table{statements::table_of<Row>};

  parameters given_;
};

namespace statements {

/// For `rows::work_table`. No index needs more than the columns.
template <class Row>
struct work {
  /// The column with the number of the batch that a row is or belongs to.
  static constexpr std::string_view batch =
    std::is_same_v<Row, batch_row> ? "id" : "batch";

  static constexpr fields keys() {
    return {};
  }
  static auto keys_of(const Row&) {
    return std::tuple{};
  }
  static constexpr fields seldom_keys() {
    return {};
  }
  static auto seldom_keys_of(const Row&) {
    return std::tuple{};
  }

  static constexpr auto put =
    constant([] { return insert<Row>(with_checksum<Row>()); });
  static constexpr auto change = constant([] {
    return update<Row>(fields_of<Row>(is::changing) + fields{{"checksum"}});
  });
  static constexpr auto change_seldom =
    constant([] { return update<Row>(fields_of<Row>(is::seldom)); });
  static constexpr auto of_id = constant(
    [] { return select_from<Row>() + "AND id = ANY($2::bigint[])"; });
  static constexpr auto all_live = constant(
    [] { return select_from<Row>() + "AND queue <> '' ORDER BY id"; });
  static constexpr auto live = constant([] {
    return select_from<Row>({{"checksum"}})
           + joined({"AND ", batch, " = ANY($2::bigint[]) AND queue <> ''"});
  });
  static constexpr auto drop = constant([] {
    return joined({"DELETE FROM ", table_of<Row>, " WHERE shard = $1 AND ",
                   batch, " = ANY($2::bigint[])"});
  });

  template <class Query>
  static caf::error find(shard_tables& in, const Query& x,
                         const connection::show_row& show) {
    work_words<Row> words{in.shard()};
    const auto ids = rows::asked_ids(words, x);
    return in.on().each(select_from<Row>() + "AND id IN (" + ids
                          + ") ORDER BY id" + rows::order_of(x),
                        words.given(), show);
  }
};

} // namespace statements

} // namespace depositd::postgres
