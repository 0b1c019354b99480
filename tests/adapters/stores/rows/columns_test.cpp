// A column is said once: whatever sums, spells or writes rows finds it there.

#include "adapters/stores/rows/checked_rows.hpp"
#include "adapters/stores/rows/sql_text.hpp"

#include <gtest/gtest.h>

namespace depositd {

/// A row as an earlier version had it.
struct old_row {
  std::uint64_t id = 0;
  std::string name;
};

/// The same with columns that came later.
struct new_row : old_row {
  std::uint32_t weight = 0;
  std::string note;
};

namespace rows {

template <>
inline constexpr std::string_view table_name<old_row> = "toys";

template <>
inline constexpr auto columns<old_row> = std::tuple{
  column{"id", is::key, &old_row::id},
  column{"name", is::changing, &old_row::name},
};

template <>
inline constexpr std::string_view table_name<new_row> = "toys";

template <>
inline constexpr auto columns<new_row> = std::tuple{
  column{"id", is::key, &old_row::id},
  column{"name", is::changing, &old_row::name},
  column{"weight", is::added | is::changing, &new_row::weight},
  column{"note", is::added, &new_row::note},
};

namespace {

/// What a member of an aggregate can be made of.
struct anything {
  template <class T>
  operator T() const;
};

/// How many members the aggregate has.
template <class T, class... Values>
consteval std::size_t members() {
  if constexpr (requires { T{Values{}..., anything{}}; })
    return members<T, Values..., anything>();
  else
    return sizeof...(Values);
}

template <class Row>
constexpr std::size_t columns_of = fields_of<Row>().size();

// A member that is no column would be lost without a word.
constexpr auto of_place = members<body_location>() - 1;
constexpr auto of_particulars = members<depositd::submission>() - 1;
constexpr auto of_batch =
  members<batch_info>() + members<batch_status>() + members<job_counts>() - 3;
constexpr auto of_job =
  members<job_info>() + members<job_status>() + members<job_facts>() - 3;
constexpr std::size_t gone = 1;     // such a row is in no table
constexpr std::size_t apart = 2;    // documents, contents: other tables
static_assert(columns_of<item_row> == members<item_row>() + of_place);
constexpr std::size_t keys_again = 2;   // of a user's two rows
constexpr std::size_t which_of_two = 2; // rows there are
static_assert(columns_of<ring_row> + columns_of<paid_row> - keys_again
                + which_of_two + gone
              == members<ring_row>());
static_assert(columns_of<paid_row> + gone == members<paid_row>());
static_assert(columns_of<control_row> + gone == members<control_row>());
static_assert(columns_of<submission_row> + apart
              == members<submission_row>() + of_particulars);
static_assert(columns_of<doi_record> == members<doi_record>());
static_assert(columns_of<batch_row> == members<batch_row>() + of_batch);
static_assert(columns_of<job_row> == members<job_row>() + of_job);
constexpr std::size_t body = 1;   // as a document
constexpr std::size_t begins = 1; // is for slices alone
static_assert(columns_of<record_row> + body == members<record_row>());
static_assert(columns_of<record_totals> + begins + gone
              == members<record_totals>());
static_assert(columns_of<watermarks> == 2 + 8 * members<table_sum>());

// Statements are constants, and a column of the list is in all of them.
constexpr auto put_toy =
  constant([] { return insert("toys", with_checksum<new_row>(), '?'); });
constexpr auto set_toy = constant(
  [] { return listed(fields_of<new_row>(is::changing), "{} = x.{}"); });
constexpr std::string_view put_text =
  "INSERT INTO toys (\"id\", \"name\", \"weight\", \"note\", \"checksum\") "
  "VALUES (?1, ?2, ?3, ?4, ?5)";
constexpr std::string_view set_text =
  "\"name\" = x.\"name\", \"weight\" = x.\"weight\"";
static_assert(std::string_view{put_toy} == put_text);
static_assert(std::string_view{set_toy} == set_text);

/// A row that is read back from what was written.
struct written {
  std::vector<std::string> values;

  void read(int column, std::string& out) const {
    out = values[static_cast<std::size_t>(column)];
  }

  template <class Number>
  void read(int column, Number& out) const {
    out = static_cast<Number>(number(column));
  }

  std::uint64_t number(int column) const {
    return std::stoull(values[static_cast<std::size_t>(column)]);
  }

  static caf::error damaged(const std::string& what) {
    return caf::make_error(ec::store_damaged, what);
  }
};

template <class Row>
std::uint64_t sum_of(const Row& row) {
  return checked_rows<Row>{}.checksum_of(row);
}

TEST(added_columns, leave_the_checksums_of_rows_before_as_they_were) {
  const old_row before{7, "ann"};
  new_row now;
  now.id = 7;
  now.name = "ann";
  EXPECT_EQ(sum_of(now), sum_of(before));
}

TEST(added_columns, count_once_they_say_something) {
  new_row heavy;
  heavy.weight = 1;
  new_row noted;
  noted.note = "n";
  auto both = heavy;
  both.note = "n";
  EXPECT_NE(sum_of(heavy), sum_of(new_row{}));
  EXPECT_NE(sum_of(noted), sum_of(new_row{}));
  EXPECT_NE(sum_of(both), sum_of(heavy));
  EXPECT_NE(sum_of(both), sum_of(noted));
}

void alter(std::string& value) {
  value += "changed";
}

template <class Number>
void alter(Number& value) {
  value = static_cast<Number>(value == Number{});
}

template <class Row>
void expect_that_all_columns_count() {
  for (std::size_t which = 0; which < columns_of<Row>; ++which) {
    Row row;
    with_values(row, [&](auto&... values) {
      std::size_t at = 0;
      ((at++ == which ? alter(values) : void()), ...);
    });
    EXPECT_NE(sum_of(row), sum_of(Row{}))
      << table_name<Row> << ", column " << which;
  }
}

TEST(columns, all_count_in_the_checksum) {
  expect_that_all_columns_count<item_row>();
  expect_that_all_columns_count<batch_row>();
  expect_that_all_columns_count<job_row>();
}

TEST(columns, of_sums_that_came_later_leave_earlier_marks_as_they_were) {
  watermarks before;
  before.reached = 7;
  before.controls.put(5);
  auto now = before;
  now.jobs.put(1);
  EXPECT_NE(sum_of(now), sum_of(before));
  now.jobs.drop(1);
  EXPECT_EQ(sum_of(now), sum_of(before));
}

TEST(columns, are_read_in_the_order_in_which_they_are_spelled) {
  ring_row row{.queue = "q", .user = "u", .stamp = 3, .credit = 4};
  checked_rows<ring_row> checked;
  const written there{
    {"q", "u", "3", "4", std::to_string(checked.checksum_of(row))}};
  ring_row found;
  const auto sum = checked.read(there, found);
  ASSERT_TRUE(sum);
  EXPECT_EQ(*sum, checked.checksum_of(row));
  EXPECT_EQ(found, row);
}

TEST(columns, that_were_changed_behind_our_back_are_refused_by_name) {
  const written there{{"q", "u", "3", "4", "12345"}};
  ring_row found;
  const auto sum = checked_rows<ring_row>{}.read(there, found);
  ASSERT_FALSE(sum);
  EXPECT_EQ(sum.error(), ec::store_damaged);
  EXPECT_NE(render(sum.error()).find("at user u"), std::string::npos);
}

} // namespace

} // namespace rows

} // namespace depositd
