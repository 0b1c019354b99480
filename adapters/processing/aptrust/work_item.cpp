#include "adapters/processing/aptrust/work_item.hpp"

#include "messages/values/time_text.hpp"

#include <exception>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace depositd::aptrust {

namespace {

using json = nlohmann::json;

struct writer {
  json& to;

  void operator()(const char* name, const std::string& x) {
    if (!x.empty())
      to[name] = x;
  }
  void operator()(const char* name, bool x) {
    to[name] = x;
  }
  template <class Number>
  requires(std::is_integral_v<Number> && !std::is_same_v<Number, bool>) void
  operator()(const char* name, Number x) {
    if (x != 0)
      to[name] = x;
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void operator()(const char* name, Enum x) {
    to[name] = word(x);
  }
  void time(const char* name, micros x) {
    if (x != never)
      to[name] = format_utc(x);
  }
};

struct reader {
  const json& from;

  template <class T>
  void operator()(const char* name, T& x) {
    const auto at = from.find(name);
    if (at == from.end())
      return;
    if constexpr (std::is_enum_v<T>) {
      const auto* known = find_word<T>(at->template get<std::string>());
      if (known == nullptr)
        throw std::invalid_argument{std::string{name} + " is no such word"};
      x = *known;
    } else {
      at->get_to(x);
    }
  }
  void time(const char* name, micros& x) {
    const auto at = from.find(name);
    if (at == from.end())
      return;
    const auto read = parse_utc(at->get<std::string>());
    if (!read)
      throw std::invalid_argument{std::string{name} + " is no time"};
    x = *read;
  }
};

/// All fields, for whoever reads or writes them.
template <class Item, class Visitor>
void visit(Item& x, Visitor see) {
  see("name", x.name);
  see("etag", x.etag);
  see("bucket", x.bucket);
  see("size", x.size);
  see.time("bag_date", x.bag_date);
  see("institution", x.institution);
  see("object_identifier", x.object);
  see("generic_file_identifier", x.file);
  see("user", x.user);
  see("inst_approver", x.inst_approver);
  see("aptrust_approver", x.aptrust_approver);
  see("deletion_request_id", x.deletion_request);
  see("action", x.action);
  see("stage", x.stage);
  see("status", x.status);
  see("outcome", x.outcome);
  see("note", x.note);
  see("retry", x.retry);
  see("needs_admin_review", x.needs_admin_review);
  see("node", x.node);
  see("pid", x.pid);
  see.time("queued_at", x.queued_at);
  see.time("date_processed", x.date_processed);
  see.time("stage_started_at", x.stage_started_at);
  see.time("created_at", x.created_at);
  see.time("updated_at", x.updated_at);
}

} // namespace

json to_json(const work_item& x) {
  json out = json::object();
  visit(x, writer{out});
  return out;
}

caf::expected<work_item> work_item_of(const json& x) {
  if (!x.is_object())
    return caf::make_error(ec::malformed,
                           std::string{"the work item is no object"});
  try {
    work_item out;
    visit(out, reader{x});
    return out;
  } catch (const std::exception& why) {
    return caf::make_error(ec::malformed,
                           std::string{"the work item: "} + why.what());
  }
}

caf::expected<std::optional<work_item>> work_item_in(const json& more) {
  const auto at = more.find(work_item_member);
  if (at == more.end())
    return std::optional<work_item>{};
  auto out = work_item_of(*at);
  if (!out)
    return std::move(out.error());
  return std::optional{std::move(*out)};
}

void put_work_item(json& more, const work_item& x) {
  more[work_item_member] = to_json(x);
}

} // namespace depositd::aptrust
