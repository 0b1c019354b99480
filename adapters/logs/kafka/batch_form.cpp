#include "adapters/logs/kafka/batch_form.hpp"

#include "adapters/doors/poster/submission.hpp"
#include "messages/values/lower_case.hpp"
#include "messages/values/names.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/orders.hpp"
#include "messages/values/payload_paths.hpp"

#include <algorithm>
#include <utility>

namespace depositd::kafka {

namespace {

caf::error wrong(std::string why) {
  return caf::make_error(ec::invalid_argument, std::move(why));
}

/// Fields that the record itself says.
constexpr std::string_view elsewhere[] = {"url", "login_id", "login_passwd",
                                          "usr", "pwd"};

/// A field of the form; its bytes are in the form's storage.
void add_field(http::form& to, std::string name, std::string text) {
  http::form_part part;
  part.name = std::move(name);
  part.data = to.storage.emplace_back(std::move(text));
  to.parts.push_back(std::move(part));
}

bool has(const http::form& x, std::string_view name) {
  return std::any_of(x.parts.begin(), x.parts.end(),
                     [&](const auto& part) { return part.name == name; });
}

/// A text, or a number by its digits; false if it is neither.
bool read_text(kit::json_reader& from, std::string& to) {
  const auto first = from.look();
  if (first == '"')
    return from.text(to);
  return (first == '-' || (first >= '0' && first <= '9')) && from.copy(to);
}

/// The text is well-formed JSON already.
caf::expected<http::form> read_fields(std::string_view text) {
  kit::json_reader from{text, strict};
  http::form out;
  out.multipart = true;
  if (!from.open('{'))
    return wrong("form is not an object");
  for (bool first = true; from.next('}', first);) {
    std::string name;
    std::string value;
    if (!from.key(name))
      return wrong("form is not an object");
    if (out.parts.size() == http::form_parts_max)
      return caf::make_error(
        ec::too_large, "form has more than "
                         + std::to_string(http::form_parts_max) + " fields");
    if (std::find(std::begin(elsewhere), std::end(elsewhere), name)
        != std::end(elsewhere))
      return wrong("form has a field that the record itself says: " + name);
    if (has(out, name))
      return wrong("a field of the form stands there twice");
    if (!read_text(from, value))
      return wrong("a field of the form is neither text nor number");
    add_field(out, std::move(name), std::move(value));
  }
  return out;
}

/// The field's text; empty if it is not there.
std::string field_of(const http::form& x, std::string_view name) {
  for (const auto& part : x.parts)
    if (part.name == name)
      return std::string{part.data};
  return {};
}

caf::expected<preservation_order> order_of(const http::form& fields,
                                           const std::string& user) {
  preservation_order out;
  const auto* kind = find_word<order_kind>(field_of(fields, "order"));
  if (kind == nullptr)
    return wrong("order must be " + any_of(all_words<order_kind>()));
  out.kind = *kind;
  out.object = field_of(fields, "object");
  out.file = field_of(fields, "file");
  out.asked_by = "user " + user;
  if (out.kind == order_kind::delete_item)
    return caf::make_error(ec::not_allowed,
                           std::string{"a deletion has to be asked for and "
                                       "approved"});
  if (out.object.empty() || out.object.size() > order_name_bytes_max
      || out.file.size() > payload_path_bytes_max)
    return wrong("object is a name of at most 1024 bytes, file one of at most "
                 "2048");
  if (out.file.empty() == (out.kind == order_kind::restore_file)
      && out.kind != order_kind::restore_glacier
      && out.kind != order_kind::fixity_check)
    return wrong("file is for restore_file, restore_glacier and fixity_check");
  return out;
}

/// Texts of the form are quoted, lines and tabs too.
std::string one_line(std::string text) {
  std::replace_if(
    text.begin(), text.end(),
    [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text;
}

} // namespace

caf::expected<read_batch> read_form_of_batch(std::string_view form,
                                             batch_given&& given) {
  auto fields = read_fields(form);
  if (!fields)
    return fields.error();
  if (!given.payload_url.empty()) {
    add_field(*fields, "url", std::move(given.payload_url));
  } else {
    if (!has(*fields, "filename"))
      return wrong("form has no filename for the payload");
    http::form_part file;
    file.name = "file";
    file.has_file_name = true;
    file.data = given.payload;
    fields->parts.push_back(std::move(file));
  }
  auto read = poster::read_submission(*fields, {});
  if (!read)
    return caf::make_error(ec::malformed, one_line(render(read.error())));
  if (!legal_user_name(read->document.collection))
    return wrong("the profile in the form is not the name of a collection");
  read_batch out;
  read->document.uuid = "bid-" + lower_case(given.id);
  read->document.user = given.user;
  out.what.user = std::move(given.user);
  out.what.priority = given.priority;
  out.what.info =
    poster::info_of(read->document, read->submitter, source_kafka.name);
  out.payload = std::move(given.payload);
  out.document = std::make_shared<batch_document>(std::move(read->document));
  return out;
}

caf::expected<read_batch> read_form_of_order(std::string_view form,
                                             batch_given&& given) {
  const auto fields = read_fields(form);
  if (!fields)
    return fields.error();
  const auto collection = field_of(*fields, "profile");
  if (!legal_user_name(collection))
    return wrong("the profile in the form is not the name of a collection");
  const auto order = order_of(*fields, given.user);
  if (!order)
    return order.error();
  auto made = make_order(*order, {.uuid = "bid-" + lower_case(given.id),
                                  .user = given.user,
                                  .collection = collection,
                                  .source = source_kafka.name});
  read_batch out;
  out.what.user = std::move(given.user);
  out.what.priority = given.priority;
  out.what.info = std::move(made.info);
  out.document = std::make_shared<batch_document>(std::move(made.document));
  return out;
}

} // namespace depositd::kafka
