// Orders about what is stored: restorations and fixity checks.

#include "actors/operators/work.hpp"

#include "actors/rules/orders/deletions.hpp"
#include "actors/rules/pages/pages.hpp"
#include "messages/catalogue.hpp"
#include "messages/orders.hpp"
#include "messages/values/clock.hpp"
#include "messages/values/operations.hpp"

#include <utility>

namespace depositd::operators {

namespace about_orders {
namespace {

using kind = value_kind;

document order_document(const order_placed& x) {
  return {{"id", x.batch},
          {"batch", x.info.uuid},
          {"order", x.info.type},
          {"user", x.user},
          {"collection", x.info.collection},
          {"object", x.info.title},
          {"file", text_or_null(x.info.file_name)}};
}

order_limits limits_of(const admin_call& call) {
  return {call.by.users, call.by.collections};
}

preservation_order order_of(const admin_call& call, order_kind what) {
  preservation_order out;
  out.kind = what;
  out.object = call.arguments.text("identifier");
  out.file = call.arguments.text("path");
  out.anyway = call.arguments.flag("force");
  out.asked_by = rules::deletions::person_of(call.by);
  return out;
}

void place(admin_pointer self, const admin_call_ptr& call, order_kind what) {
  const auto& desk = self->state.options.orders;
  if (!desk)
    return refuse(call, ec::not_found, "this engine keeps no inventory");
  act(
    self, call, desk,
    place_order{order_of(*call, what), source_shell.name, limits_of(*call)},
    [=](const order_placed& x) { deliver(call, order_document(x)); });
}

template <order_kind What>
void placing(admin_pointer self, const admin_call_ptr& call) {
  place(self, call, What);
}

/// All that is due is not for whoever sees only some of it.
void run_due(admin_pointer self, const admin_call_ptr& call) {
  const auto& whom = self->state.options.due;
  if (!whom)
    return refuse(call, ec::not_found, "this engine keeps no inventory");
  if (call->by.is_limited())
    return refuse(call,
                  rules::access::refusal("fixity run of all",
                                         operator_role::operate, call->by));
  act(self, call, whom, queue_due{due_query::fixity_due},
                  [=](const due_queued& x) {
                    deliver(call, document{{"batches", x.batches},
                                           {"files", x.files},
                                           {"waiting", x.waiting}});
                  });
}

void run_fixity(admin_pointer self, const admin_call_ptr& call) {
  const auto& in = call->arguments;
  if (!in.text("identifier").empty())
    return place(self, call, order_kind::fixity_check);
  if (!in.text("path").empty() || in.flag("force"))
    return refuse(call, ec::invalid_argument,
                  "--file and --force are about one object: name it; without "
                  "one all files that are due are compared");
  run_due(self, call);
}

/// In the order in which they are due, of what the caller sees.
void list_fixity(admin_pointer self, const admin_call_ptr& call) {
  const auto limit = static_cast<std::size_t>(call->arguments.number("limit"));
  const auto after =
    rules::pages::read_file_cursor(call->arguments.text("after"));
  if (!after)
    return refuse(call, ec::invalid_argument,
                  "after must be what a page before gave as next");
  const auto now = self->state.options.clock.at(self->clock().now());
  find_checks wanted;
  wanted.what.checked_before_us =
    now - micros{call->arguments.number("age_days")} * 86'400 * 1'000'000;
  wanted.what.owners = call->by.users;
  wanted.what.collections = call->by.collections;
  wanted.what.after = *after;
  // One more tells whether there is another page.
  wanted.what.count_max = static_cast<std::uint32_t>(limit) + 1;
  ask_inventory(self, call, std::move(wanted), [=](const checks_found& found) {
    document out{{"files", document::array()}};
    const auto count = std::min(found.files.size(), limit);
    for (std::size_t i = 0; i < count; ++i) {
      const auto& x = found.files[i];
      out["files"].push_back({{"object", x.object},
                              {"path", x.path},
                              {"owner", x.owner},
                              {"collection", x.collection},
                              {"checked_at", time_or_null(x.checked_us)}});
    }
    if (found.files.size() > limit)
      out["next"] = rules::pages::cursor_after(found.files[count - 1]);
    deliver(call, out);
  });
}

// -- rows ---------------------------------------------------------------------

argument_spec identifier_argument(bool required = true) {
  return {"identifier",
          "identifier",
          kind::text,
          "IDENTIFIER",
          "Of an object, as it is stored",
          required};
}

argument_spec path_argument(const char* spelling, bool required) {
  return {spelling, "path", kind::text, "PATH", "Of a file inside the object",
          required};
}

std::vector<view_block> placed_view() {
  return {line_view("", "{order} of {object} is batch {id} of {user}")};
}

command ordering(std::string words, std::string help,
                 std::vector<argument_spec> arguments, run_function run,
                 std::vector<view_block> view = placed_view()) {
  return operating(
    of_work(doing(std::move(words), std::move(help), std::move(arguments),
                  std::move(run), std::move(view))));
}

argument_spec age_argument() {
  argument_spec out{"--age-days", "age_days", kind::number, "N",
                    "Not compared for so many days (90)"};
  out.max = 36'500;
  out.initial = 90;
  return out;
}

} // namespace
} // namespace about_orders

std::vector<command> order_commands() {
  using namespace about_orders;
  return {
    ordering("object restore", "Give an object back to its depositor, as a bag",
             {identifier_argument()}, placing<order_kind::restore_object>),
    ordering("file restore", "Give one file of an object back",
             {identifier_argument(), path_argument("path", true)},
             placing<order_kind::restore_file>),
    ordering("glacier restore",
             "Bring an object, or one file of it, back from cold storage, "
             "then give it back",
             {identifier_argument(), path_argument("--file", false)},
             placing<order_kind::restore_glacier>),
    ordering("fixity run",
             "Compare the files of an object with their digests; without an "
             "object all that are due",
             {identifier_argument(false),
              path_argument("--file", false),
              {"--force", "force", kind::flag, "",
               "Of an object: also what was compared not long ago"}},
             run_fixity,
             {line_view("order", "{order} of {object} is batch {id} of {user}"),
              line_view("batches", "{files} files in {batches} batches; "
                                   "{waiting} wait for a run before")}),
    of_work(reading(
      "fixity list", "Files that were not compared for the longest time",
      {age_argument(), limit_argument(100, 10'000),
       after_argument("CURSOR", "Go on after a page's next")},
      {table_view("files", "CHECKED={checked_at:time}||never; "
                           "OBJECT={object}; PATH={path}; OWNER={owner}; "
                           "COLLECTION={collection}"),
       next_page_line("files")},
      list_fixity)),
  };
}

} // namespace depositd::operators
