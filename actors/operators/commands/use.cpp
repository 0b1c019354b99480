// How much is stored of each collection, and what was done in a month.

#include "actors/operators/work.hpp"

#include "actors/rules/pages/pages.hpp"
#include "messages/catalogue.hpp"
#include "messages/shard.hpp"
#include "messages/values/csv.hpp"
#include "messages/values/time_text.hpp"

#include <charconv>
#include <cstdio>
#include <map>
#include <memory>
#include <utility>

namespace depositd::operators {

namespace about_use {
namespace {

// -- what is stored -----------------------------------------------------------

/// Null: the caller may not see it. A collection that is no more is for those
/// alone who see everything.
bool sees_collection(const caller& by, const control_state& control,
                     const std::string& name) {
  if (!by.is_limited())
    return true;
  const auto at = control.collections.find(name);
  return at != control.collections.end() && by.sees(at->second.owner, name);
}

document use_document(const collection_use& x) {
  return {{"collection", x.collection}, {"objects", x.objects},
          {"versions", x.versions},     {"files", x.files},
          {"bytes", x.bytes},           {"bytes_since", x.bytes_since}};
}

void deliver_use(const admin_call_ptr& call, const control_state& control,
                 const std::vector<collection_use>& all) {
  const auto name = call->arguments.text("collection");
  document out{{"since", time_or_null(call->arguments.number("since_us"))},
               {"collections", document::array()}};
  std::uint64_t bytes = 0;
  for (const auto& x : all) {
    if ((!name.empty() && x.collection != name)
        || !sees_collection(call->by, control, x.collection))
      continue;
    bytes += x.bytes;
    out["collections"].push_back(use_document(x));
  }
  out["bytes"] = bytes;
  deliver(call, out);
}

void use(admin_pointer self, const admin_call_ptr& call) {
  with_control(self, call, [=](const control_snapshot& control) {
    // Never: what has come since there is no time to compare with.
    const auto since = call->arguments.number("since_us");
    ask_inventory(
      self, call, measure_collections{since},
      [=](const collections_measured& x) {
        deliver_use(call, *control, x.uses);
      });
  });
}

// -- a month ------------------------------------------------------------------

constexpr std::uint32_t batches_per_page = 1'000;
/// Of a month and of all that came later.
constexpr std::size_t batches_read_max = 200'000;
constexpr std::uint32_t lines_max = 10'000;

struct month_line {
  std::uint64_t batches = 0;
  job_counts jobs;
  recorded_use recorded;
};

struct month_report {
  std::string name; ///< "2026-11"
  micros from_us = never;
  micros until_us = never;
  std::map<std::pair<std::string, std::string>, month_line> lines;
  std::size_t batches_read = 0;
};

using report_ptr = std::shared_ptr<month_report>;

std::string month_name(int year, unsigned month) {
  char out[32];
  std::snprintf(out, sizeof(out), "%04d-%02u", year, month);
  return out;
}

/// Nothing if the text is no month of UTC, as 2026-11.
report_ptr read_month(const std::string& text) {
  const auto* begin = text.data();
  int year = 0;
  unsigned month = 0;
  if (text.size() != 7 || text[4] != '-')
    return nullptr;
  const auto first = std::from_chars(begin, begin + 4, year);
  const auto second = std::from_chars(begin + 5, begin + 7, month);
  if (first.ptr != begin + 4 || second.ptr != begin + 7 || year < 1970
      || month < 1 || month > 12)
    return nullptr;
  const auto from = parse_utc(text + "-01");
  const auto until = parse_utc(
    (month == 12 ? month_name(year + 1, 1) : month_name(year, month + 1))
    + "-01");
  if (!from || !until)
    return nullptr;
  return std::make_shared<month_report>(
    month_report{text, *from, *until, {}, 0});
}

void add(job_counts& to, const job_counts& x) {
  to.open += x.open;
  to.held += x.held;
  to.completed += x.completed;
  to.failed += x.failed;
  to.deleted += x.deleted;
}

void add(month_line& to, const month_line& x) {
  to.batches += x.batches;
  add(to.jobs, x.jobs);
  to.recorded.objects += x.recorded.objects;
  to.recorded.versions += x.recorded.versions;
  to.recorded.files += x.recorded.files;
  to.recorded.bytes += x.recorded.bytes;
}

document line_document(const month_line& x) {
  return {{"batches", x.batches},
          {"jobs",
           {{"completed", x.jobs.completed},
            {"failed", x.jobs.failed},
            {"open", x.jobs.open},
            {"deleted", x.jobs.deleted}}},
          {"objects", x.recorded.objects},
          {"versions", x.recorded.versions},
          {"files", x.recorded.files},
          {"bytes", x.recorded.bytes}};
}

document report_document(const month_report& x) {
  document out{{"month", x.name},
               {"from", time_or_null(x.from_us)},
               {"until", time_or_null(x.until_us)},
               {"lines", document::array()}};
  month_line total;
  for (const auto& [names, line] : x.lines) {
    document one{{"collection", names.first}, {"user", names.second}};
    one.update(line_document(line));
    out["lines"].push_back(std::move(one));
    add(total, line);
  }
  out["total"] = line_document(total);
  return out;
}

/// Lines end as the shell's do: none of these names has a line break.
std::string csv_text(const month_report& x) {
  std::string out;
  append_csv_row(out,
                 {"month", "collection", "user", "batches", "jobs_completed",
                  "jobs_failed", "jobs_open", "jobs_deleted", "objects",
                  "versions", "files", "bytes"});
  const auto number = [](std::uint64_t n) { return std::to_string(n); };
  for (const auto& [names, line] : x.lines)
    append_csv_row(
      out, {x.name, names.first, names.second, number(line.batches),
            number(line.jobs.completed), number(line.jobs.failed),
            number(line.jobs.open), number(line.jobs.deleted),
            number(line.recorded.objects), number(line.recorded.versions),
            number(line.recorded.files), number(line.recorded.bytes)});
  std::erase(out, '\r');
  return out;
}

void refuse_size(const admin_call_ptr& call) {
  refuse(call, ec::too_large,
         "the report would be too long: ask for one user's or one "
         "collection's");
}

void deliver_report(const admin_call_ptr& call, const month_report& x) {
  if (x.lines.size() > lines_max)
    return refuse_size(call);
  if (call->arguments.flag("csv"))
    deliver(call, {{"month", x.name}, {"csv", csv_text(x)}});
  else
    deliver(call, report_document(x));
}

/// Whether the arguments ask for it and the caller sees it.
bool is_wanted(const admin_call& call, const recorded_use& x) {
  const auto user = call.arguments.text("user");
  const auto collection = call.arguments.text("collection");
  return (user.empty() || user == x.user)
         && (collection.empty() || collection == x.collection)
         && call.by.sees(x.user, x.collection);
}

void add_recorded(admin_pointer self, const admin_call_ptr& call,
                  const report_ptr& report) {
  ask_inventory(
    self, call,
    measure_recorded{{report->from_us, report->until_us,
                      call->arguments.text("user"),
                      call->arguments.text("collection"), lines_max + 1}},
    [=](const recorded_measured& x) {
      if (x.uses.size() > lines_max)
        return refuse_size(call);
      for (const auto& one : x.uses)
        if (is_wanted(*call, one))
          report->lines[{one.collection, one.user}].recorded = one;
      deliver_report(call, *report);
    });
}

/// Takes what is of the month; whether older ones may be, too.
bool take_batches(month_report& to, const std::vector<batch_row>& rows) {
  for (const auto& row : rows) {
    ++to.batches_read;
    if (row.received_us < to.from_us)
      return false;
    if (row.received_us >= to.until_us)
      continue;
    auto& line = to.lines[{row.info.collection, row.user}];
    ++line.batches;
    add(line.jobs, row.jobs);
  }
  return true;
}

void read_batches(admin_pointer self, const admin_call_ptr& call,
                  const report_ptr& report, batch_query query) {
  ask(self, call, self->state.options.projector, query,
      [=](const batches_found& x) {
        const bool more = x.more || x.rows.size() == batches_per_page;
        if (!take_batches(*report, x.rows) || !more || x.rows.empty())
          return add_recorded(self, call, report);
        if (report->batches_read >= batches_read_max
            || report->lines.size() > lines_max)
          return refuse_size(call);
        auto next = query;
        const auto after = rules::pages::read_cursor(
          rules::pages::cursor_after(query.after, x.rows));
        next.after = *after;
        read_batches(self, call, report, std::move(next));
      });
}

void month(admin_pointer self, const admin_call_ptr& call) {
  const auto text = call->arguments.text("month");
  const auto report = read_month(text);
  if (!report)
    return refuse(call, ec::invalid_argument,
                  "month must be a month as 2026-11, not " + shown(text));
  batch_query query;
  if (auto wrong = restrict(*call, query))
    return refuse(call, wrong);
  query.count_max = batches_per_page;
  read_batches(self, call, report, std::move(query));
}

// -- rows ---------------------------------------------------------------------

using kind = value_kind;

/// Not where the answer is a table for spreadsheets.
view_block report_table() {
  auto out = table_view(
    "lines",
    "COLLECTION={collection}; USER={user}; >BATCHES={batches}; "
    ">COMPLETED={jobs.completed}; >FAILED={jobs.failed}; >OPEN={jobs.open}; "
    ">DELETED={jobs.deleted}; >OBJECTS={objects}; >VERSIONS={versions}; "
    ">FILES={files}; >BYTES={bytes}");
  out.when = "total";
  return out;
}

} // namespace
} // namespace about_use

std::vector<command> use_commands() {
  using namespace about_use;
  auto report = of_work(reading(
    "report month",
    "Batches and jobs submitted in a month, and what was stored in it",
    {{"month", "month", kind::text, "YYYY-MM", "Which month, UTC", true},
     of_collection_argument(),
     of_user_argument(),
     {"--csv", "csv", kind::flag, "", "As a table for spreadsheets"}},
    {report_table(),
     line_view("total", "in all {total.batches} batches, "
                        "{total.versions} versions, {total.bytes} "
                        "bytes"),
     {.kind = block_kind::lines, .when = "csv", .text = "csv"}},
    month));
  report.row.patience_s = 600;
  auto space = of_work(
    reading("collection use", "How much is stored of each collection",
            {of_collection_argument(),
             {"--since", "since_us", kind::time, "TIME",
              "Also how many bytes have come since, UTC"}},
            {table_view("collections",
                        "COLLECTION={collection}; >OBJECTS={objects}; "
                        ">VERSIONS={versions}; >FILES={files}; >BYTES={bytes}; "
                        ">SINCE={bytes_since}"),
             line_view("bytes", "{bytes} bytes in all")},
            use));
  space.row.patience_s = 600;
  return {std::move(space), std::move(report)};
}

} // namespace depositd::operators
