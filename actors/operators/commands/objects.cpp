// Objects: what is stored, in which versions, and how it came to be so.

#include "actors/operators/work.hpp"

#include "actors/operators/object_names.hpp"
#include "messages/catalogue.hpp"
#include "messages/values/work_documents.hpp"

#include <algorithm>
#include <map>

namespace depositd::operators {

namespace about_objects {
namespace {

constexpr std::size_t identifier_bytes_max = 1'024;

bool is_seen(const admin_call& call, const inventory_object& x) {
  return call.by.sees(x.owner, x.collection);
}

// -- documents ----------------------------------------------------------------

document version_document(const inventory_version& x) {
  return {{"version", x.number}, {"job", x.job},
          {"batch", x.batch},    {"user", x.user},
          {"title", x.title},    {"creator", x.creator},
          {"date", x.date},      {"bytes", x.bytes},
          {"files", x.files},    {"recorded_at", time_or_null(x.recorded_us)}};
}

/// In lists: the last version, and how many there are.
document object_document(const inventory_object& x) {
  document out{{"identifier", x.identifier}, {"collection", x.collection},
               {"owner", x.owner},           {"local_ids", x.local_ids},
               {"storage", x.storage},       {"versions", x.versions.size()}};
  std::uint64_t bytes = 0;
  for (const auto& version : x.versions)
    bytes += version.bytes;
  out["bytes"] = bytes;
  const auto none = inventory_version{};
  const auto& last = x.versions.empty() ? none : x.versions.back();
  out["title"] = last.title;
  out["recorded_at"] = time_or_null(last.recorded_us);
  return out;
}

document with_versions(const inventory_object& x) {
  auto out = object_document(x);
  auto& versions = out["versions"] = document::array();
  for (const auto& one : x.versions)
    versions.push_back(version_document(one));
  return out;
}

// -- asking -------------------------------------------------------------------

/// Goes on with the object that `identifier` names, if the caller sees it; if
/// it is not there with `gone`, where that is given.
void with_object(admin_pointer self, const admin_call_ptr& call,
                 std::function<void(const inventory_object&)> use,
                 std::function<void(const std::string&)> gone = nullptr) {
  const auto name = call->arguments.text("identifier");
  if (name.empty() || name.size() > identifier_bytes_max)
    return refuse(call, ec::invalid_argument,
                  "identifier must have 1 to 1024 bytes");
  ask_inventory(self, call, search_objects{as_kept(name), 1},
                [=](const objects_found& x) {
                  if (x.objects.empty() && gone)
                    return gone(as_kept(name).back().identifier);
                  if (x.objects.empty() || !is_seen(*call, x.objects.front()))
                    return refuse(call, ec::not_found,
                                  "there is no object " + shown(name));
                  use(x.objects.front());
                });
}

// -- lists --------------------------------------------------------------------

/// Of what the caller sees: so a page has no gaps, and never ends at the name
/// of an object that is not seen.
inventory_search seen_by(const admin_call& call) {
  inventory_search out;
  out.owners = call.by.users;
  out.collections = call.by.collections;
  return out;
}

inventory_search search_of(const admin_call& call) {
  const auto& in = call.arguments;
  auto out = seen_by(call);
  out.identifier = in.text("identifier");
  out.local_id = in.text("local_id");
  out.owner = in.text("user");
  out.collection = in.text("collection");
  out.title = in.text("title");
  out.file_name = in.text("file_name");
  out.after = in.text("after");
  return out;
}

/// As many as the arguments ask for; whether there are more.
bool add_found(const admin_call& call, const objects_found& x, document& to) {
  const auto limit = static_cast<std::size_t>(call.arguments.number("limit"));
  auto& list = to["objects"] = document::array();
  const auto count = std::min(x.objects.size(), limit);
  for (std::size_t i = 0; i < count; ++i)
    list.push_back(object_document(x.objects[i]));
  return x.objects.size() > limit;
}

void list(admin_pointer self, const admin_call_ptr& call) {
  if (auto wrong = check_sight(*call))
    return refuse(call, wrong);
  const auto limit =
    static_cast<std::uint32_t>(call->arguments.number("limit"));
  ask_inventory(self, call, search_objects{{search_of(*call)}, limit + 1},
                [=](const objects_found& x) {
                  document out;
                  if (add_found(*call, x, out))
                    out["next"] = x.objects[limit - 1].identifier;
                  deliver(call, out);
                });
}

/// The text may be any of these.
std::vector<inventory_search> searches_for(const admin_call& call,
                                           const std::string& text) {
  std::vector<inventory_search> out;
  for (const auto field :
       {&inventory_search::identifier, &inventory_search::local_id,
        &inventory_search::title, &inventory_search::file_name}) {
    out.push_back(seen_by(call));
    out.back().*field = text;
  }
  return out;
}

void find(admin_pointer self, const admin_call_ptr& call) {
  const auto text = call->arguments.text("text");
  if (text.empty() || text.size() > identifier_bytes_max)
    return refuse(call, ec::invalid_argument, "text must have 1 to 1024 bytes");
  const auto limit =
    static_cast<std::uint32_t>(call->arguments.number("limit"));
  ask_inventory(self, call,
                search_objects{searches_for(*call, text), limit + 1},
                [=](const objects_found& x) {
                  document out;
                  if (add_found(*call, x, out))
                    out["more"] = true;
                  deliver(call, out);
                });
}

// -- one of them --------------------------------------------------------------

void show(admin_pointer self, const admin_call_ptr& call) {
  with_object(self, call, [=](const inventory_object& x) {
    deliver(call, with_versions(x));
  });
}

void files(admin_pointer self, const admin_call_ptr& call) {
  with_object(self, call, [=](const inventory_object& x) {
    const auto version =
      static_cast<std::uint32_t>(call->arguments.number("version"));
    const auto last = x.versions.empty() ? 0 : x.versions.back().number;
    ask_inventory(self, call, find_object_files{x.identifier, version},
                  [=, id = x.identifier](const object_files_found& found) {
                    std::map<std::string, const stored_file*> by_path;
                    for (const auto& file : found.files)
                      by_path[file.path] = &file;
                    document out{{"identifier", id},
                                 {"version", version == 0 ? last : version}};
                    add_page(out, "files", by_path, call->arguments,
                             [](const auto& file) {
                               return document{{"path", file.second->path},
                                               {"bytes", file.second->bytes},
                                               {"sha512", file.second->sha512}};
                             });
                    deliver(call, out);
                  });
  });
}

document event_document(const premis_event& x) {
  return {{"id", x.id},
          {"type", x.type},
          {"at", time_or_null(x.at_us)},
          {"file", text_or_null(x.file)},
          {"detail", x.detail},
          {"outcome", x.outcome},
          {"outcome_detail", x.outcome_detail},
          {"agent", x.agent},
          {"job", text_or_null(x.job)}};
}

/// What is deleted has no entry that says whose it was; its events do, but not
/// of which collection.
bool are_seen(const admin_call& call, const std::vector<premis_event>& x) {
  return !x.empty() && call.by.collections.empty()
         && std::all_of(x.begin(), x.end(), [&](const premis_event& one) {
              return call.by.sees(one.owner);
            });
}

void tell_events(admin_pointer self, const admin_call_ptr& call,
                 const std::string& object, bool is_there) {
  const auto& in = call->arguments;
  const auto limit = static_cast<std::uint32_t>(in.number("limit"));
  premis_query query{.object = object, .file = in.text("file_name")};
  query.type = in.text("type");
  query.after = in.text("after");
  query.count_max = limit + 1;
  ask_inventory(self, call, find_premis{std::move(query)},
                [=](const premis_found& found) {
                  if (!is_there && !are_seen(*call, found.events))
                    return refuse(call, ec::not_found,
                                  "there is no object " + shown(object));
                  document out{{"identifier", object}};
                  auto& list = out["events"] = document::array();
                  for (const auto& one : found.events)
                    if (list.size() < limit)
                      list.push_back(event_document(one));
                  if (found.events.size() > limit)
                    out["next"] = found.events[limit - 1].id;
                  deliver(call, out);
                });
}

void events(admin_pointer self, const admin_call_ptr& call) {
  with_object(
    self, call,
    [=](const inventory_object& x) {
      tell_events(self, call, x.identifier, true);
    },
    [=](const std::string& name) { tell_events(self, call, name, false); });
}

/// Jobs with this identifier, of all batches that are not forgotten.
void add_jobs(admin_pointer self, const admin_call_ptr& call, document out) {
  job_query query;
  query.identifier = out["identifier"].get<std::string>();
  auto wrong = restrict(*call, query);
  if (!wrong)
    wrong = begin_page(*call, query);
  if (wrong)
    return refuse(call, wrong);
  ask(self, call, self->state.options.projector, std::move(query),
      [=](const jobs_found& x) {
        auto all = out;
        all.update(
          page_document(*call, "jobs", x,
                        [](const job_row& row) { return document_of(row); }));
        deliver(call, all);
      });
}

/// An object that is not stored yet may have jobs all the same.
void history(admin_pointer self, const admin_call_ptr& call) {
  const auto name = call->arguments.text("identifier");
  if (name.empty() || name.size() > identifier_bytes_max)
    return refuse(call, ec::invalid_argument,
                  "identifier must have 1 to 1024 bytes");
  ask_inventory(
    self, call, search_objects{as_kept(name), 1},
    [=](const objects_found& x) {
      document out{{"identifier", as_kept(name).back().identifier},
                   {"versions", document::array()}};
      if (!x.objects.empty() && is_seen(*call, x.objects.front()))
        out = with_versions(x.objects.front());
      add_jobs(self, call, std::move(out));
    });
}

// -- rows ---------------------------------------------------------------------

using kind = value_kind;

argument_spec identifier_argument() {
  return {"identifier",
          "identifier",
          kind::text,
          "IDENTIFIER",
          "As it is stored, e.g. ark:/99999/fk4...",
          true};
}

argument_spec text_option(const char* spelling, const char* key,
                          const char* help) {
  return {spelling, key, kind::text, "TEXT", help};
}

view_block object_table() {
  return table_view(
    "objects", "IDENTIFIER={identifier}; COLLECTION={collection}; "
               "OWNER={owner}; LOCAL IDS={local_ids}; >VERSIONS={versions}; "
               ">BYTES={bytes}; RECORDED={recorded_at:time}; TITLE={title}");
}

view_block version_table() {
  return table_view("versions",
                    ">VERSION={version}; >FILES={files}; >BYTES={bytes}; "
                    "RECORDED={recorded_at:time}; USER={user}; "
                    "BATCH={batch}; JOB={job}; TITLE={title}");
}

command listing() {
  return of_work(reading(
    "object list", "Objects that are stored, by identifier",
    {of_collection_argument(),
     {"--owner", "user", kind::text, "USER", "Only of this owner", false,
      "user list"},
     text_option("--identifier", "identifier", "With this identifier"),
     text_option("--local-id", "local_id", "With this local id"),
     text_option("--title", "title", "With this in the title of a version"),
     text_option("--file-name", "file_name", "With this in the path of a file"),
     limit_argument(100, 1'000),
     after_argument("IDENTIFIER", "Go on after this one")},
    {object_table(), next_page_line("objects")}, list));
}

command history_row() {
  return of_work(reading(
    "object history", "All versions of an object, and all jobs about it",
    {identifier_argument(), limit_argument(100),
     after_argument("CURSOR", "Go on after a page's next")},
    {version_table(),
     apart(table_view("jobs", ">JOB={id}; >BATCH={batch}; USER={user}; "
                              "STATE={state}; CHANGED={changed_at:time}; "
                              "NOTE={note}")),
     next_page_line("jobs")},
    history));
}

command events_row() {
  return of_work(reading(
    "object events",
    "What was done with an object and its files, oldest first, deleted or not",
    {identifier_argument(),
     text_option("--file-name", "file_name", "Of this file, by its path"),
     text_option("--type", "type", "Of this type, e.g. ingestion"),
     limit_argument(100, 1'000),
     after_argument("ID", "Go on after this event")},
    {table_view("events", "AT={at:time}; TYPE={type}; OUTCOME={outcome}; "
                          "FILE={file}; DETAIL={detail}; "
                          "RESULT={outcome_detail}"),
     next_page_line("events")},
    events));
}

} // namespace
} // namespace about_objects

std::vector<command> object_commands() {
  using namespace about_objects;
  return {
    listing(),
    of_work(
      reading("object find",
              "Objects with this identifier, local id, title or file name",
              {{"text", "text", kind::text, "TEXT", "What to look for", true},
               limit_argument(100, 1'000)},
              {object_table(), line_view("more", "there are more")}, find)),
    of_work(reading(
      "object show", "One object with its versions", {identifier_argument()},
      {line_view("", "{identifier} of {collection}, {owner}"), version_table()},
      show)),
    of_work(reading("object files", "Files of a version of an object",
                    {identifier_argument(),
                     {"--version",
                      "version",
                      kind::number,
                      "N",
                      "Of this version, not of the last",
                      false,
                      "",
                      {},
                      1,
                      1'000'000},
                     limit_argument(10'000),
                     after_argument("PATH", "Go on after this file")},
                    {table_view("files", "PATH={path}; >BYTES={bytes}; "
                                         "SHA-512={sha512}"),
                     next_page_line("files")},
                    files)),
    history_row(),
    events_row(),
  };
}

} // namespace depositd::operators
