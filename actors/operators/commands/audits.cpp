// Who changed what.

#include "actors/operators/command.hpp"

#include "messages/audit.hpp"
#include "messages/values/json_text.hpp"

#include <sstream>
#include <string_view>

namespace depositd::operators {

namespace about_audits {
namespace {

constexpr std::string_view mark = "audit who=";

/// What the log was told and when, of a line as either format writes it.
struct told {
  std::string time;
  std::string text;
};

told read_line(const std::string& line) {
  if (line.starts_with('{')) {
    const auto x = ordered_json_of(line);
    if (x.is_object())
      return {x.value("ts", ""), x.value("message", "")};
  }
  const auto blank = line.find(' ');
  const auto at = line.find(mark);
  return {blank == std::string::npos ? std::string{} : line.substr(0, blank),
          at == std::string::npos ? line : line.substr(at)};
}

/// The values of a line are JSON, one behind the other, each after its name.
document entry_of(const std::string& line) {
  const auto x = read_line(line);
  document out{{"time", x.time}};
  std::istringstream from{x.text};
  std::string word;
  from >> word; // "audit"
  for (const std::string name :
       {"who", "command", "arguments", "before", "after", "result"}) {
    from >> std::ws;
    std::string read(name.size() + 1, '\0');
    from.read(read.data(), static_cast<std::streamsize>(read.size()));
    if (!from || read != name + "=")
      return {{"time", x.time}, {"text", x.text}};
    try {
      from >> out[name];
    } catch (const document::exception&) {
      return {{"time", x.time}, {"text", x.text}};
    }
  }
  return out;
}

void list(admin_pointer self, const admin_call_ptr& call) {
  if (!self->state.options.auditor)
    return refuse(call, ec::not_found,
                  "this engine keeps no audit log in files: see audit.file");
  audit_query what;
  what.where.text = call->arguments.text("text");
  what.where.after = call->arguments.text("after");
  what.where.count_max =
    static_cast<std::uint32_t>(call->arguments.number("limit"));
  ask(self, call, self->state.options.auditor, std::move(what),
      [=](const audit_found& x) {
        document out{{"audit", document::array()}};
        for (const auto& line : x.page.lines)
          out["audit"].push_back(entry_of(line));
        if (!x.page.next.empty())
          out["next"] = x.page.next;
        deliver(call, out);
      });
}

} // namespace
} // namespace about_audits

std::vector<command> audit_commands() {
  using namespace about_audits;
  return {reading(
    "audit list", "Who changed what, the newest first; of this engine",
    {{"--text", "text", value_kind::text, "TEXT",
      "Only lines that contain this, e.g. a name or a command"},
     limit_argument(100),
     after_argument("PLACE", "Go on with the line before this place")},
    {table_view("audit", "TIME={time}; WHO={who}; COMMAND={command}||{text}; "
                         "ARGUMENTS={arguments}; RESULT={result}"),
     next_page_line("audit")},
    list)};
}

} // namespace depositd::operators
