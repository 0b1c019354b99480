#include "adapters/sources/records/records.hpp"

#include "adapters/doors/kit/json_reader.hpp"
#include "adapters/doors/kit/json_text.hpp"
#include "messages/values/utf8.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace depositd::sources {

namespace {

/// A field of a body that somebody wants.
struct wanted_field {
  enum class shape : std::uint8_t { missing, null, other, text };

  std::string_view name; ///< empty: nobody does
  shape is = shape::missing;
  std::string text; ///< or a number as it is written
};

struct wanted_fields {
  wanted_field key;
  wanted_field user;
  wanted_field cursor;
};

/// Why the text is no JSON, or no JSON object; else empty, and it is in `out`
/// in its shortest form.
std::string compact(std::string_view text, bool only_objects,
                    std::string& out) {
  out.reserve(text.size());
  kit::json_reader from{text};
  if (only_objects && from.look() != '{')
    return find_invalid_utf8(text) == std::string::npos ? "is no JSON object"
                                                        : "is not UTF-8";
  if (!from.copy(out) || !from.at_end()) {
    if (find_invalid_utf8(text) != std::string::npos)
      return "is not UTF-8";
    return std::string{only_objects ? "is no JSON object" : "is no JSON"}
           + (from.why().empty() ? "" : ": " + from.why());
  }
  return from.finish() ? "" : "is not UTF-8";
}

/// Reads one member's value if it is wanted.
bool take_value(kit::json_reader& from, wanted_field& to) {
  using shape = wanted_field::shape;
  to.text.clear();
  const char first = from.look();
  if (first == '"') {
    to.is = shape::text;
    return from.text(to.text);
  }
  if (first == '-' || (first >= '0' && first <= '9')) {
    to.is = shape::text;
    return from.copy(to.text);
  }
  to.is = first == 'n' ? shape::null : shape::other;
  return from.skip();
}

/// Looks the wanted fields up in a JSON text; none has any in what is no
/// object.
void find_fields(std::string_view body, wanted_fields& out) {
  const std::array<wanted_field*, 3> all{&out.key, &out.user, &out.cursor};
  if (std::all_of(all.begin(), all.end(),
                  [](const auto* x) { return x->name.empty(); })
      || !body.starts_with('{'))
    return;
  kit::json_reader from{body};
  std::string name;
  bool first = true;
  for (from.open('{'); from.next('}', first);) {
    if (!from.key(name))
      return;
    wanted_field value;
    bool read = false;
    for (auto* x : all) {
      if (x->name.empty() || x->name != name)
        continue;
      if (!read && !take_value(from, value))
        return;
      read = true;
      x->is = value.is;
      x->text = value.text; // the same field may be wanted twice
    }
    if (!read && !from.skip())
      return;
  }
}

std::string sized(const char* what, std::string_view text,
                  std::size_t bytes_max) {
  if (text.size() > bytes_max)
    return std::string{"the "} + what + " has more than "
           + std::to_string(bytes_max) + " bytes";
  return find_invalid_utf8(text) == std::string::npos
           ? ""
           : std::string{"the "} + what + " is not UTF-8";
}

/// Why a field cannot be the record's `what`; empty if it can.
std::string fault_of_field(const char* what, const wanted_field& x,
                           std::size_t bytes_max) {
  const auto where = ": its field " + std::string{x.name};
  switch (x.is) {
    case wanted_field::shape::missing:
      return std::string{"has no "} + what + where + " is missing";
    case wanted_field::shape::null:
      return std::string{"has no "} + what + where + " is null";
    case wanted_field::shape::other:
      return std::string{"has no "} + what + where
             + " is neither text nor number";
    case wanted_field::shape::text:
      break;
  }
  if (x.text.empty())
    return std::string{"has no "} + what + where + " is empty";
  return sized(what, x.text, bytes_max);
}

/// Why the record is bad; empty if it is not. Fills its key and user in as far
/// as they are known.
std::string judge(pulled_record& x, const record_rules& by,
                  const wanted_fields& found) {
  using shape = wanted_field::shape;
  std::string why;
  if (!by.key.empty()) {
    why = fault_of_field("key", found.key, record_key_bytes_max);
    x.key = found.key.is == shape::text ? found.key.text : "";
  } else if (x.key.empty()) {
    why = "has no key";
  } else {
    why = sized("key", x.key, record_key_bytes_max);
  }
  if (by.user_field.empty()) {
    x.user = by.name;
  } else {
    x.user = found.user.is == shape::text ? found.user.text : "";
    if (why.empty())
      why = fault_of_field("user", found.user, record_user_bytes_max);
  }
  if (why.empty() && x.body.size() > by.body_bytes_max)
    why = "has " + std::to_string(x.body.size()) + " bytes, more than "
          + std::to_string(by.body_bytes_max);
  return why;
}

void refuse(pulled_batch& to, pulled_record&& x, std::string why) {
  bad_record bad;
  bad.key = readable(x.key);
  bad.user = readable(x.user);
  bad.reason = std::move(why);
  bad.body = readable(x.body);
  bad.at = to.records.size();
  to.bad.push_back(std::move(bad));
}

/// Adds the record, or what is wrong with it.
void add(pulled_batch& to, const record_rules& by, pulled_record&& x,
         const wanted_fields& found) {
  if (auto why = judge(x, by, found); !why.empty())
    refuse(to, std::move(x), std::move(why));
  else
    to.records.push_back(std::move(x));
}

wanted_fields wanted_by(const record_rules& by) {
  wanted_fields out;
  out.key.name = by.key;
  out.user.name = by.user_field;
  return out;
}

void take(pulled_batch& to, const record_rules& by, pulled_record&& x,
          bool only_objects) {
  std::string body;
  if (auto why = compact(x.body, only_objects, body); !why.empty())
    return refuse(to, std::move(x), std::move(why));
  auto found = wanted_by(by);
  find_fields(body, found);
  x.body = std::move(body);
  add(to, by, std::move(x), found);
}

} // namespace

record_rules rules_of(const std::string& name, const source_settings& x,
                      std::uint64_t body_bytes_max) {
  return {name, x.key, x.user_field, body_bytes_max};
}

void add_record(pulled_batch& to, const record_rules& by, std::string key,
                std::string body, std::string cursor) {
  take(to, by, {std::move(key), {}, std::move(body), std::move(cursor)}, false);
}

void add_object(pulled_batch& to, const record_rules& by, std::string body,
                std::string cursor) {
  take(to, by, {{}, {}, std::move(body), std::move(cursor)}, true);
}

std::optional<std::string> add_marked_object(pulled_batch& to,
                                             const record_rules& by,
                                             std::string body,
                                             std::string_view cursor_field) {
  pulled_record x;
  if (auto why = compact(body, true, x.body); !why.empty()) {
    x.body = std::move(body);
    refuse(to, std::move(x), std::move(why));
    return std::nullopt;
  }
  auto found = wanted_by(by);
  found.cursor.name = cursor_field;
  find_fields(x.body, found);
  std::optional<std::string> cursor;
  if (found.cursor.is == wanted_field::shape::text)
    cursor = found.cursor.text;
  x.cursor = cursor.value_or("");
  add(to, by, std::move(x), found);
  return cursor;
}

void add_bad(pulled_batch& to, std::string_view key, std::string reason,
             std::string_view body) {
  pulled_record x;
  x.key = key;
  x.body = body;
  refuse(to, std::move(x), std::move(reason));
}

caf::expected<std::string> body_of_message(std::string_view text) {
  if (find_invalid_utf8(text) != std::string::npos)
    return caf::make_error(ec::malformed, "is not UTF-8");
  std::string out;
  if (compact(text, false, out).empty())
    return out;
  out.clear();
  kit::append_json_string(out, text);
  return out;
}

std::string readable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto bad = std::min(find_invalid_utf8(text), text.size());
    out += text.substr(0, bad);
    text.remove_prefix(bad);
    if (text.empty())
      break;
    append_utf8(out, 0xFFFD);
    text.remove_prefix(1);
  }
  return out;
}

} // namespace depositd::sources
