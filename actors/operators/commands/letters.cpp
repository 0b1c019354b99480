// Records that were no deposits, and what becomes of them.

#include "actors/operators/command.hpp"
#include "actors/operators/documents.hpp"

#include "messages/letters.hpp"
#include "messages/values/time_text.hpp"

#include <algorithm>
#include <charconv>

namespace depositd::operators {

namespace about_letters {
namespace {

/// What `show` tells of a value, and how many may go back at once.
constexpr std::size_t shown_bytes_max = 64 * 1024;
constexpr std::size_t replayed_max = 1'000;

/// Brokers may take their time; shells wait a little longer.
constexpr std::chrono::seconds patience{25};

bool lacks_log(admin_pointer self, const admin_call_ptr& call) {
  if (self->state.options.letters)
    return false;
  refuse(call, ec::not_found, no_log);
  return true;
}

/// Headers are texts, also where they tell a number; strangers may have put
/// anything there.
document number_in(const std::string& header) {
  std::uint64_t out = 0;
  const auto* end = header.data() + header.size();
  const auto [stop, failure] = std::from_chars(header.data(), end, out);
  const bool number = !header.empty() && stop == end && failure == std::errc{};
  return number ? document(out) : text_or_null(header);
}

document document_of(const letter_facts& x) {
  return {{"id", x.id},
          {"written_at", x.written_us == never
                           ? document(nullptr)
                           : document(format_utc(x.written_us))},
          {"reason", x.reason},
          {"key", x.key},
          {"topic", x.topic},
          {"partition", number_in(x.partition)},
          {"offset", number_in(x.offset)},
          {"event_id", x.event_id},
          {"value_bytes", x.value_bytes},
          {"value_omitted", x.value_omitted}};
}

void list(admin_pointer self, const admin_call_ptr& call) {
  if (lacks_log(self, call))
    return;
  letter_query what;
  what.key = call->arguments.text("key");
  what.text = call->arguments.text("text");
  what.count_max = static_cast<std::uint32_t>(call->arguments.number("limit"));
  what.after = call->arguments.text("after");
  ask(
    self, call, self->state.options.letters, find_letters{std::move(what)},
    [=](const letters_found& x) {
      document out{{"dead_letters", document::array()}};
      for (const auto& one : x.page.letters)
        out["dead_letters"].push_back(document_of(one));
      if (!x.page.next.empty())
        out["next"] = x.page.next;
      deliver(call, out);
    },
    patience);
}

void show(admin_pointer self, const admin_call_ptr& call) {
  if (lacks_log(self, call))
    return;
  ask(
    self, call, self->state.options.letters,
    read_letter{call->arguments.text("id")},
    [=](const letter_read& x) {
      const auto& what = x.what;
      auto out = document_of(what.facts);
      out["headers"] = document::array();
      for (const auto& one : what.headers)
        out["headers"].push_back({{"name", one.name}, {"value", one.value}});
      out["value"] =
        without_secrets_in(what.value).substr(0, shown_bytes_max);
      out["value_cut"] = what.value.size() > shown_bytes_max;
      deliver(call, out);
    },
    patience);
}

void replay(admin_pointer self, const admin_call_ptr& call) {
  if (lacks_log(self, call))
    return;
  replay_letters what{call->arguments.texts("ids")};
  if (what.ids.empty() || what.ids.size() > replayed_max)
    return refuse(call, ec::invalid_argument,
                  "name 1 to " + std::to_string(replayed_max)
                    + " dead letters");
  auto sorted = what.ids;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    return refuse(call, ec::invalid_argument,
                  shown(*twice) + " is named twice");
  act(
    self, call, self->state.options.letters, what,
    [=, ids = what.ids](const letters_replayed& x) {
      deliver(call, {{"replayed", ids}, {"topic", x.topic}});
    });
}

command listing() {
  return reading(
    "deadletter list",
    "Records of Kafka that were no deposits or were refused, the newest first",
    {{"--key", "key", value_kind::text, "KEY",
      "Only records with this key, which is their user"},
     {"--text", "text", value_kind::text, "TEXT",
      "Only those whose reason contains this"},
     limit_argument(100, 1'000),
     after_argument("PLACE", "Go on where this page ended")},
    {table_view("dead_letters",
                "ID={id}; WRITTEN={written_at:time}; KEY={key}; "
                ">BYTES={value_bytes}; FROM={topic}/{partition}; "
                "REASON={reason}"),
     next_page_line("dead_letters")},
    list);
}

command showing() {
  const auto text = "value";
  return reading(
    "deadletter show", "One of them, with its headers and value",
    {{"id", "id", value_kind::text, "ID", "As the list says it", true}},
    {{.kind = block_kind::fields, .text = text},
     line_view(text, "value:"),
     {.kind = block_kind::lines, .when = text, .text = text}},
    show);
}

command replaying() {
  return asking(
    "Write these records to the ingress topic again?",
    operating(doing(
      "deadletter replay",
      "Write records again to the topic that they came from, once the reason "
      "is gone",
      {{"ids", "ids", value_kind::names, "ID[,ID...]",
        "As the list says them, separated by commas or blanks", true}},
      replay, {line_view("topic", "{replayed:count} written to {topic}")})));
}

} // namespace
} // namespace about_letters

std::vector<command> letter_commands() {
  using namespace about_letters;
  return {listing(), showing(), replaying()};
}

} // namespace depositd::operators
