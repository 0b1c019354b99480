// Records of sources: one of them, those that failed, and by hand.

#include "actors/operators/feeding.hpp"

#include "actors/rules/sources/failed_records.hpp"
#include "messages/projection.hpp"
#include "messages/values/base64.hpp"
#include "messages/values/json_text.hpp"

#include <algorithm>
#include <memory>

namespace depositd::operators {

namespace about_source_records {
namespace {

using rules::failed_record;

/// Rows of a table that is fed, and of one that is written to be fed.
constexpr std::size_t rows_max = 10'000;
/// Fed in one message, answered when all of it is durable.
constexpr std::size_t group_records_max = 1'000;
/// Read at a time.
constexpr std::uint32_t rows_per_read = 1'000;
constexpr std::int64_t test_records_max = 1'000;

// -- one ----------------------------------------------------------------------

void record(admin_pointer self, const admin_call_ptr& call) {
  with_source(
    self, call, [=](const control_snapshot&, const source_changed& source) {
      const auto name = source.name;
      const auto key = call->arguments.text("key");
      ask(self, call, self->state.options.shard,
          find_record{source.settings.scheduler, name, key},
          [=](const record_found& x) {
            deliver(call, {{"source", name},
                           {"key", key},
                           {"state", to_string(x.state)},
                           {"user", text_or_null(x.user)},
                           {"item", x.id == 0 ? document() : document(x.id)},
                           {"attempt", x.attempt}});
          });
    });
}

// -- those that failed --------------------------------------------------------

/// A page of them while it is read.
struct failed_page {
  std::string source;
  failed_query query;
  std::size_t count_max = 0;
  std::vector<failed_record> rows;
  std::size_t bytes = 0;
  bool more = false;
};
using failed_page_ptr = std::shared_ptr<failed_page>;

/// Rows end as the shell's lines do; cells stay as they are.
std::string with_plain_line_ends(const std::string& csv) {
  std::string out;
  out.reserve(csv.size());
  bool quoted = false;
  for (const char c : csv) {
    quoted = quoted != (c == '"');
    if (c != '\r' || quoted)
      out += c;
  }
  return out;
}

void deliver_page(const admin_call_ptr& call, const failed_page& x) {
  document out{{"name", x.source}};
  if (call->arguments.flag("csv")) {
    out["csv"] = with_plain_line_ends(rules::write_failed(x.rows));
  } else {
    auto& rows = out["failed"] = document::array();
    for (const auto& row : x.rows)
      rows.push_back({{"key", row.key},
                      {"user", row.user},
                      {"error", row.error},
                      {"body", row.body}});
  }
  if (x.more)
    out["next"] = x.query.after;
  deliver(call, out);
}

/// Takes what has room, and one row at least. Whether there is room for more.
bool take_rows(failed_page& to, const std::vector<record_row>& rows) {
  for (const auto& row : rows) {
    const auto bytes =
      row.key.size() + row.user.size() + row.reason.size() + row.body.size();
    const bool fits =
      to.rows.size() < to.count_max && to.bytes + bytes <= page_bytes_max;
    if (!fits && !to.rows.empty()) {
      to.more = true;
      return false;
    }
    to.rows.push_back({row.key, row.user, row.reason, row.body});
    to.bytes += bytes;
    to.query.after = row.place;
  }
  return true;
}

void read_failed_rows(admin_pointer self, const admin_call_ptr& call,
                      const failed_page_ptr& page) {
  ask(self, call, self->state.options.projector, page->query,
      [=](const failed_found& x) {
        if (x.rows.empty() || !take_rows(*page, x.rows))
          deliver_page(call, *page);
        else
          read_failed_rows(self, call, page);
      });
}

void failed(admin_pointer self, const admin_call_ptr& call) {
  with_source(
    self, call, [=](const control_snapshot& now, const source_changed& source) {
      const auto of = now->schedulers.find(source.settings.scheduler);
      if (of == now->schedulers.end())
        return refuse(call, unknown_scheduler(source.settings.scheduler));
      const auto& in = call->arguments;
      const auto page = std::make_shared<failed_page>();
      page->source = source.name;
      page->count_max = static_cast<std::size_t>(in.number("limit"));
      auto& query = page->query;
      query.queue = of->second.settings.queue;
      query.source = source.name;
      query.made_us = source.made_us;
      query.after = static_cast<std::uint64_t>(in.number("after"));
      query.count_max = rows_per_read;
      query.bytes_max = page_bytes_max;
      read_failed_rows(self, call, page);
    });
}

// -- by hand ------------------------------------------------------------------

/// A table on its way, group after group.
struct hand_feeding {
  feed_by_hand next; ///< names scheduler and source; records come in groups
  std::vector<pulled_record> records;
  std::size_t sent = 0;
  std::uint64_t fed = 0;
  document bad = document::array();
};
using hand_feeding_ptr = std::shared_ptr<hand_feeding>;

document fed_document(const hand_feeding& x) {
  return {{"name", x.next.source}, {"fed", x.fed}, {"bad", x.bad}};
}

/// What is fed stays fed: whoever feeds the table again has to know.
void refuse_rest(const admin_call_ptr& call, const hand_feeding& x,
                 const caf::error& why) {
  audit(call, nullptr, {{"fed", x.fed}}, render(why));
  if (x.sent == 0)
    return refuse(call, why);
  refuse(call, ec::store_failed,
         "of the first " + std::to_string(x.sent) + " records "
           + std::to_string(x.fed) + " were fed, and of those behind perhaps "
           + "some: " + render(why));
}

void feed_next(admin_pointer self, const admin_call_ptr& call,
               const hand_feeding_ptr& all) {
  const auto count =
    std::min(group_records_max, all->records.size() - all->sent);
  if (count == 0) {
    audit(call, nullptr, {{"fed", all->fed}}, "done");
    return deliver(call, fed_document(*all));
  }
  auto group = all->next;
  const auto from =
    all->records.begin() + static_cast<std::ptrdiff_t>(all->sent);
  group.records.assign(from, from + static_cast<std::ptrdiff_t>(count));
  const auto& options = self->state.options;
  self->request(options.shard, options.timeout_long, std::move(group))
    .then(
      [=](const fed_by_hand& x) {
        all->sent += count;
        all->fed += x.fed;
        for (const auto& one : x.bad)
          all->bad.push_back({{"key", one.key}, {"error", one.reason}});
        feed_next(self, call, all);
      },
      [=](const caf::error& why) { refuse_rest(call, *all, why); });
}

void feed(admin_pointer self, const admin_call_ptr& call) {
  const auto csv = decode_base64(call->arguments.text("content_base64"));
  if (!csv)
    return refuse(call, csv.error());
  auto rows = rules::read_failed(*csv, rows_max);
  if (!rows)
    return refuse(call, rows.error());
  const auto all = std::make_shared<hand_feeding>();
  for (auto& row : *rows)
    // Readers see to that of all others: doors give bodies out as they are.
    if (is_json(row.body))
      all->records.push_back(
        {std::move(row.key), std::move(row.user), std::move(row.body), ""});
    else
      all->bad.push_back({{"key", row.key}, {"error", "the body is no JSON"}});
  with_source(self, call,
              [=](const control_snapshot&, const source_changed& source) {
                all->next.scheduler = source.settings.scheduler;
                all->next.source = source.name;
                feed_next(self, call, all);
              });
}

// -- trying -------------------------------------------------------------------

document tested_document(const std::string& name, const source_tested& x) {
  document out{{"name", name},
               {"records", document::array()},
               {"bad", document::array()},
               {"error", text_or_null(x.error)}};
  std::size_t bytes = 0;
  std::size_t left_out = 0;
  const auto add = [&](const char* list, const auto& one, document entry) {
    bytes += one.key.size() + one.user.size() + one.body.size();
    if (bytes > page_bytes_max)
      ++left_out;
    else
      out[list].push_back(std::move(entry));
  };
  for (const auto& one : x.records)
    add("records", one,
        {{"key", one.key}, {"user", one.user}, {"body", one.body}});
  for (const auto& one : x.bad)
    add("bad", one,
        {{"key", text_or_null(one.key)},
         {"user", text_or_null(one.user)},
         {"error", one.reason},
         {"body", one.body}});
  if (left_out > 0)
    out["left_out"] = left_out;
  return out;
}

void test(admin_pointer self, const admin_call_ptr& call) {
  with_source(
    self, call, [=](const control_snapshot&, const source_changed& source) {
      const auto name = source.name;
      const auto limit =
        static_cast<std::uint32_t>(call->arguments.number("limit"));
      act(self, call, self->state.options.shard,
                         test_source{source.settings.scheduler, name, limit},
                         [=](const source_tested& x) {
                           deliver(call, tested_document(name, x));
                         });
    });
}

// -- rows ---------------------------------------------------------------------

using kind = value_kind;

view_block failed_table() {
  auto out =
    table_view("failed", "KEY={key}; USER={user}; ERROR={error}; BODY={body}");
  out.when = "failed";
  return out;
}

argument_spec after_place_argument() {
  argument_spec out{"--after", "after", kind::number, "PLACE",
                    "Go on after a page's next"};
  out.initial = 0;
  return out;
}

} // namespace
} // namespace about_source_records

std::vector<command> source_record_commands() {
  using namespace about_source_records;
  const auto name = name_argument("Name of the source", "NAME", "source list");
  auto looking =
    reading("source failed", "Records that failed or were bad",
            {name,
             {"--csv", "csv", kind::flag, "",
              "As a table, to be edited and given to source feed"},
             limit_argument(rows_max, rows_max),
             after_place_argument()},
            {failed_table(),
             line_view("next", "there are more; go on with --after {next}"),
             {.kind = block_kind::file, .when = "csv", .text = "csv"}},
            failed);
  looking.row.patience_s = 120;
  return {
    reading("source record", "What became of one record",
            {name, {"key", "key", kind::text, "KEY", "Its key", true}}, {},
            record),
    std::move(looking),
    operating(slow(doing(
      "source feed",
      "Feed such a table as new records, whatever was known of their keys",
      {name,
       {"file", "content_base64", kind::file, "FILE",
        "A table with the columns key, user and body", true}},
      feed,
      {line_view("", "{fed} fed"),
       apart(table_view("bad", "KEY={key}; ERROR={error}"), "bad")}))),
    operating(slow(
      doing("source test", "Read one batch and change nothing",
            {name, limit_argument(10, test_records_max)}, test,
            {table_view("records", "KEY={key}; USER={user}; BODY={body}"),
             apart(table_view("bad", "BAD={key}; ERROR={error}"), "bad"),
             line_view("left_out", "{left_out} more are too large to show"),
             line_view("error", "{error}")}))),
  };
}

} // namespace depositd::operators
