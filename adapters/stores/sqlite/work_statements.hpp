#pragma once

// SQL of batches and jobs, and what is SQLite's own about their queries.

#include "adapters/stores/rows/work_queries.hpp"
#include "adapters/stores/sqlite/database.hpp"
#include "adapters/stores/sqlite/json_list.hpp"
#include "adapters/stores/sqlite/statements.hpp"

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace depositd::sqlite {

/// For `rows::asked_ids`. A plus in front of a column keeps it from choosing
/// the index.
template <class Row>
class work_words {
public:
  template <class T>
  requires std::integral<T> || std::is_enum_v<T> std::string give(T value) {
    return add(static_cast<std::uint64_t>(value));
  }

  std::string give(const std::string& value) {
    return add(value);
  }

  /// As a JSON array.
  template <class T>
  std::string give(const std::vector<T>& values) {
    return add(json_list(values));
  }

  static std::string among(const std::string& column, const std::string& list) {
    return "+" + column + " IN (SELECT value FROM json_each(" + list + "))";
  }

  static std::string among_ids(const std::string& list) {
    return "id IN (SELECT value FROM json_each(" + list + "))";
  }

  std::string looked_up(std::string_view column, const std::string& value) {
    const std::string name{column};
    const auto key = name + "_key";
    return key + " <> 0 AND " + key + " = " + give(lookup_key({}, value))
           + " AND " + name + " = " + give(value);
  }

  static std::string part(const std::string& column, const std::string& of) {
    return "instr(lower(" + column + "), lower(" + of + ")) > 0";
  }

  static std::string joined_by_semicolon(const std::string& column,
                                         const std::string& one) {
    return "instr(';' || " + column + " || ';', ';' || " + one
           + " || ';') > 0 AND instr(" + one + ", ';') = 0";
  }

  static std::string values(const std::string& list, const char* name) {
    return "json_each(" + list + ") AS " + name;
  }

  static std::string chosen(const std::string& where, const std::string& order,
                            const std::string& count, bool) {
    return "SELECT id FROM " + table + " WHERE 1" + where + " ORDER BY id"
           + order + " LIMIT " + count;
  }

  static std::string chosen_of_each(const std::string& sources,
                                    const std::string& where,
                                    const std::string& order,
                                    const std::string& count) {
    return "SELECT f.id FROM " + sources + " CROSS JOIN " + table
           + " AS f WHERE f.id IN (" + chosen(where, order, count, false)
           + ") ORDER BY f.id" + order + " LIMIT " + count;
  }

  const std::vector<value>& given() const noexcept {
    return given_;
  }

private:
  std::string add(value x) {
    given_.push_back(std::move(x));
    return "?" + std::to_string(given_.size());
  }

  static inline const std::string table{rows::table_name<Row>};

  std::vector<value> given_;
};

namespace statements {

/// What stands behind the checksum of a row, for its indexes.
template <class Row>
struct work_keys;

template <>
struct work_keys<batch_row> {
  static constexpr fields keys() {
    return {{"uuid_key"}};
  }
  static auto keys_of(const batch_row& x) {
    return std::tuple{lookup_key({}, x.info.uuid)};
  }

  static constexpr fields seldom_keys() {
    return {};
  }
  static auto seldom_keys_of(const batch_row&) {
    return std::tuple{};
  }
};

template <>
struct work_keys<job_row> {
  static constexpr fields keys() {
    return {{"uuid_key"}, {"identifier_key"}};
  }
  static auto keys_of(const job_row& x) {
    return std::tuple{lookup_key({}, x.info.uuid),
                      lookup_key({}, x.facts.identifier)};
  }

  static constexpr fields seldom_keys() {
    return {{"identifier_key"}};
  }
  static auto seldom_keys_of(const job_row& x) {
    return std::tuple{lookup_key({}, x.facts.identifier)};
  }
};

/// For `rows::work_table`.
template <class Row>
struct work : work_keys<Row> {
  /// The column with the number of the batch that a row is or belongs to.
  static constexpr std::string_view batch =
    std::is_same_v<Row, batch_row> ? "id" : "batch";

  static constexpr auto put = constant([] {
    return rows::insert(rows::table_name<Row>,
                        with_checksum<Row>() + work_keys<Row>::keys(), '?');
  });
  static constexpr auto change = constant([] {
    return update<Row>(fields_of<Row>(is::changing) + fields{{"checksum"}});
  });
  static constexpr auto change_seldom = constant([] {
    return update<Row>(fields_of<Row>(is::seldom)
                       + work_keys<Row>::seldom_keys());
  });
  static constexpr auto of_id =
    constant([] { return select_from<Row>() + "WHERE id = ?"; });
  static constexpr auto all_live = constant(
    [] { return select_from<Row>() + "WHERE queue <> '' ORDER BY id"; });
  /// By the index of batches, not by that of all that live.
  static constexpr auto live = constant([] {
    return select_from<Row>({{"checksum"}})
           + joined({"WHERE ", batch, " = ? AND +queue <> ''"});
  });
  static constexpr auto drop = constant([] {
    return joined(
      {"DELETE FROM ", rows::table_name<Row>, " WHERE ", batch, " = ?"});
  });

  template <class Query, class Show>
  static caf::error find(database& in, const Query& x, const Show& show) {
    work_words<Row> words;
    const auto ids = rows::asked_ids(words, x);
    const auto sql = select_from<Row>() + "WHERE id IN (" + ids
                     + ") ORDER BY id" + rows::order_of(x);
    return in.each(sql, show, words.given());
  }
};

} // namespace statements

} // namespace depositd::sqlite
