#pragma once

// What a query for batches or jobs restricts, and by which index its rows are
// found, said once for every store.
//
// `Words` keep the parameters and spell what stores spell differently:
// `give` takes a value, or a list, and returns its sign; `among` compares with
// any of a list, `among_ids` finds the rows of a list of ids, `looked_up` with
// a text that has an index, `part` with a part of a text in either case of
// ASCII letters, `joined_by_semicolon` with one of several; `chosen` and
// `chosen_of_each` make the statement.

#include "adapters/stores/rows/sql_text.hpp"
#include "messages/values/work_rows.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace depositd::rows {

/// A condition for each field of a query that is not empty.
template <class Words>
class conditions {
public:
  explicit conditions(Words& words) : words_(words) {
    // nop
  }

  template <class T>
  void equal(std::string_view column, const T& value) {
    if (value != T{})
      add(quoted(column) + " = " + words_.give(value));
  }

  template <class T>
  void compared(std::string_view column, const char* sign, const T& value) {
    add(quoted(column) + sign + words_.give(value));
  }

  template <class T>
  void among(std::string_view column, const std::vector<T>& values) {
    if (!values.empty())
      add(words_.among(quoted(column), words_.give(values)));
  }

  template <class T>
  void not_among(std::string_view column, const std::vector<T>& values) {
    if (!values.empty())
      add("NOT (" + words_.among(quoted(column), words_.give(values)) + ")");
  }

  void among_ids(const std::vector<item_id>& ids) {
    if (!ids.empty())
      add(words_.among_ids(words_.give(ids)));
  }

  void looked_up(std::string_view column, const std::string& value) {
    if (!value.empty())
      add(words_.looked_up(column, value));
  }

  void part(std::string_view column, const std::string& value) {
    if (!value.empty())
      add(words_.part(quoted(column), words_.give(value)));
  }

  void one_of_joined(std::string_view column, const std::string& value) {
    if (!value.empty())
      add(words_.joined_by_semicolon(quoted(column), words_.give(value)));
  }

  void add(const std::string& condition) {
    text_ += " AND " + condition;
  }

  /// Each begins with AND.
  const std::string& text() const noexcept {
    return text_;
  }

private:
  static std::string quoted(std::string_view column) {
    return joined({"\"", column, "\""});
  }

  Words& words_;
  std::string text_;
};

namespace parts {

template <class Words>
void restrict_to(conditions<Words>& by, const batch_query& x) {
  if (x.changed_before_us != never)
    by.compared("changed_us", " < ", x.changed_before_us);
}

template <class Words>
void restrict_to(conditions<Words>& by, const job_query& x) {
  by.equal("batch", x.batch);
  if (x.needs_review)
    by.add("needs_review = 1"); // as their index has it
  if (x.changed_since_us != never)
    by.compared("changed_us", " >= ", x.changed_since_us);
  if (x.changed_before_us != never)
    by.compared("changed_us", " < ", x.changed_before_us);
  if (!x.queues.empty())
    by.add("queue <> ''"); // as the index of what lives has it
  by.among("queue", x.queues);
  by.not_among("queue", x.queues_but);
  by.looked_up("identifier", x.identifier);
  by.one_of_joined("local_ids", x.local_id);
  by.part("title", x.title);
  by.part("file_name", x.file_name);
}

/// Whether few rows have the key that the query names.
inline bool is_exact(const batch_query& x) {
  return x.id != 0 || !x.uuid.empty() || !x.ids.empty();
}

inline bool is_exact(const job_query& x) {
  return x.id != 0 || !x.uuid.empty() || !x.identifier.empty()
         || !x.ids.empty();
}

/// Whether a key orders the rows better than their states do.
inline bool has_key(const batch_query& x) {
  return is_exact(x) || !x.user.empty();
}

inline bool has_key(const job_query& x) {
  return is_exact(x) || x.batch != 0 || x.needs_review || !x.queues.empty();
}

inline constexpr auto last_state(batch_state) {
  return batch_state::deleted;
}

inline constexpr auto last_state(job_state) {
  return job_state::deleted;
}

template <class T>
std::vector<T> each_once(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Those asked for, or all there are.
template <class State>
std::vector<State> states_of(const std::vector<State>& asked) {
  if (!asked.empty())
    return each_once(asked);
  std::vector<State> out;
  for (auto x = 0; x <= static_cast<int>(last_state(State{})); ++x)
    out.push_back(static_cast<State>(x));
  return out;
}

} // namespace parts

/// How a query orders its rows, to follow the column.
template <class Query>
std::string order_of(const Query& x) {
  return x.newest_first ? " DESC" : "";
}

/// A statement that tells the ids of the rows that the query asks for. Without
/// a better key it takes the first of each state, and of each collection, from
/// an index that has them in order, so that it never sorts all that there are.
template <class Words, class Query>
std::string asked_ids(Words& words, const Query& x) {
  conditions<Words> by{words};
  by.equal("id", x.id);
  by.among_ids(x.ids);
  by.equal("user", x.user);
  by.looked_up("uuid", x.uuid);
  by.among("user", x.users);
  parts::restrict_to(by, x);
  if (!x.after.empty())
    by.compared("id", x.newest_first ? " < " : " > ", x.after.front());
  if (parts::has_key(x) || (x.states.empty() && x.collections.empty())) {
    by.among("state", x.states);
    by.among("collection", x.collections);
    return words.chosen(by.text(), order_of(x), words.give(x.count_max),
                        parts::is_exact(x));
  }
  auto sources = words.values(words.give(parts::states_of(x.states)), "s");
  by.add("state = s.value");
  if (!x.collections.empty()) {
    sources += " CROSS JOIN "
               + words.values(words.give(parts::each_once(x.collections)), "c");
    by.add("collection = c.value");
  }
  return words.chosen_of_each(sources, by.text(), order_of(x),
                              words.give(x.count_max));
}

} // namespace depositd::rows
