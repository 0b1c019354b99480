#include "adapters/doors/emodb/named_items.hpp"

#include "adapters/doors/emodb/wire_id.hpp"
#include "messages/values/batch_ids.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace depositd::emodb {

namespace {

/// Of one request to the core.
constexpr std::size_t ids_max = 100'000;

constexpr double delay_s_max = 7 * 24 * 3600;

/// As it is polled and told by.
bool read_batch_id(kit::json_reader& from, std::string& out) {
  std::string text;
  if (!from.text(text))
    return false;
  out = batch_id_of(text);
  return true;
}

/// The seconds of a delay as milliseconds.
bool read_delay(kit::json_reader& from, std::uint32_t& out) {
  std::string text;
  if (!from.copy(text))
    return false;
  double seconds = -1;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, seconds);
  if (parsed.ec != std::errc{} || parsed.ptr != end || seconds < 0
      || seconds > delay_s_max)
    return from.refuse("delay is a number of seconds, 0 to 604800");
  // Zero would be the queue's own delay.
  out = std::max(static_cast<std::uint32_t>(seconds * 1000), 1u);
  return true;
}

bool read_flag(kit::json_reader& from, bool& out) {
  std::string text;
  if (!from.copy(text))
    return false;
  out = text == "true";
  return out || text == "false" || from.refuse("skip and not_yet are booleans");
}

/// What is said of the item beside that it did not succeed.
struct failing {
  bool delayed = false;
  bool skips = false;
  bool waits = false;

  verdict says() const {
    if (waits)
      return verdict::not_yet;
    if (skips)
      return verdict::skip;
    return delayed ? verdict::retry : verdict::failed;
  }
};

bool read_object(kit::json_reader& from, id_objects kind, std::string& id,
                 settle_items::one& to) {
  const bool fails = kind == id_objects::failures;
  bool has_id = false;
  failing how;
  std::string name;
  if (!from.open('{'))
    return false;
  for (bool first = true; from.next('}', first);) {
    if (!from.key(name))
      return false;
    bool read = false;
    if (name == "id")
      read = has_id = from.text(id);
    else if (name == "document")
      read = from.text(to.document);
    else if (!fails && name == "batch_id")
      read = read_batch_id(from, to.batch_id);
    else if (fails && name == "reason")
      read = from.text(to.reason);
    else if (fails && name == "delay")
      read = how.delayed = read_delay(from, to.delay_ms);
    else if (fails && name == "skip")
      read = read_flag(from, how.skips);
    else if (fails && name == "not_yet")
      read = read_flag(from, how.waits);
    else
      read = from.skip();
    if (!read)
      return false;
  }
  to.says = fails ? how.says() : verdict::done;
  if (to.says == verdict::failed || to.says == verdict::retry)
    to.document.clear(); // nothing came of it
  if (from.fault() != kit::json_fault::none)
    return false;
  return has_id || from.refuse("An object without an id");
}

/// One element: an id, or an object that holds one.
bool read_item(kit::json_reader& from, const std::string& queue,
               id_objects kind, named_items& to) {
  std::string id;
  settle_items::one one;
  const auto c = from.look();
  if (c == '{' && kind != id_objects::refused) {
    if (!read_object(from, kind, id, one))
      return false;
  } else if (c == '"' && kind != id_objects::failures) {
    if (!from.text(id))
      return false;
  } else if (c == '{' || c == '[' || kind == id_objects::failures) {
    return from.skip() && from.refuse("A message id is expected");
  } else if (!from.skip()) {
    return false;
  }
  const auto fault = read_wire_id(id, queue, one.name);
  if (!to.wrong && fault != id_fault::none)
    to.wrong = illegal_argument(fault == id_fault::malformed
                                  ? "Invalid event ID."
                                  : "Invalid event ID checksum.");
  if (!to.wrong && to.items.size() == ids_max)
    to.wrong =
      illegal_argument("More than " + std::to_string(ids_max) + " message ids");
  if (to.wrong)
    return true;
  to.items.push_back(std::move(one));
  if (kind == id_objects::failures)
    to.texts.push_back(std::move(id));
  return true;
}

} // namespace

std::optional<named_items>
read_items(call& x, query_reader& query, id_objects kind,
           std::optional<http::response> otherwise, bool asks_more) {
  query.flag("partitioned");
  if (x.refused(query.wrong()))
    return std::nullopt;
  named_items out;
  const auto read = [&](kit::json_reader& from) {
    const auto queue = x.core_name(x.queue());
    out.items.reserve(
      std::min(x.from.body.size() / (wire_id_size + 3) + 1, ids_max));
    bool going_on = from.open('[');
    for (bool first = true; going_on && from.next(']', first);)
      going_on = read_item(from, queue, kind, out);
    return going_on;
  };
  if (!read_body(x, read) || x.refused(check_queue_name(x.queue()))
      || x.refused(std::move(otherwise)) || x.refused(std::move(out.wrong)))
    return std::nullopt;
  if (asks_more || !out.items.empty())
    return out;
  x.answer.send(success());
  return std::nullopt;
}

} // namespace depositd::emodb
