#include "adapters/logs/kafka/ingress_record.hpp"

#include "adapters/logs/kafka/dead_letters.hpp"

#include "adapters/doors/kit/json_reader.hpp"
#include "adapters/logs/kafka/batch_form.hpp"
#include "messages/values/base64.hpp"
#include "messages/values/names.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/trace_context.hpp"
#include "messages/values/uuid.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

namespace depositd::kafka {

namespace {

constexpr std::size_t members_max = 1'000;
constexpr std::int64_t priority_max = 99;

caf::error refuse(ec code, std::string why) {
  return caf::make_error(code, std::move(why));
}

caf::error wrong(std::string why) {
  return refuse(ec::invalid_argument, std::move(why));
}

/// What the members of a record say, as far as we know them.
struct fields {
  std::optional<std::string> id;
  std::optional<std::string> user;
  std::optional<std::string> type;
  std::optional<std::string> payload;
  std::optional<std::string> payload_base64;
  std::optional<std::string> payload_url;
  std::optional<std::string> form; ///< its JSON text
  std::int64_t priority = 0;
  std::size_t bytes = 0;          ///< of the record
  std::vector<std::string> names; ///< of all members
  caf::error wrong;               ///< what is, of the first that is
};

constexpr std::pair<std::string_view, std::optional<std::string> fields::*>
  texts[] = {{"id", &fields::id},
             {"user", &fields::user},
             {"type", &fields::type},
             {"payload", &fields::payload},
             {"payload_base64", &fields::payload_base64},
             {"payload_url", &fields::payload_url}};

void note(fields& to, std::string why) {
  if (!to.wrong)
    to.wrong = wrong(std::move(why));
}

bool read_priority(kit::json_reader& from, fields& to) {
  std::string number;
  if (!from.copy(number))
    return false;
  const auto* end = number.data() + number.size();
  const auto read = std::from_chars(number.data(), end, to.priority);
  if (read.ec != std::errc{} || read.ptr != end || to.priority < 0
      || to.priority > priority_max)
    note(to, "priority is not a whole number from 0 to 99");
  return true;
}

/// False if the text is no JSON; what else is wrong is noted.
bool read_member(kit::json_reader& from, fields& to) {
  std::string name;
  if (!from.key(name))
    return false;
  if (to.names.size() <= members_max)
    to.names.push_back(name);
  if (name == "priority")
    return read_priority(from, to);
  for (const auto& [known, text] : texts) {
    if (name != known)
      continue;
    if (from.look() == '"') {
      auto& out = (to.*text).emplace();
      // Most of a record is its payload.
      if (known.starts_with("payload"))
        out.reserve(to.bytes);
      return from.text(out);
    }
    note(to, name + " is not a string");
  }
  if (name == "form")
    return from.copy(to.form.emplace());
  return from.skip(); // others may say more than we know
}

/// A name that comes twice means something else to every reader.
caf::error check_names(fields& x) {
  if (x.names.size() > members_max)
    return refuse(ec::too_large, "the object has more than "
                                   + std::to_string(members_max) + " members");
  std::sort(x.names.begin(), x.names.end());
  if (std::adjacent_find(x.names.begin(), x.names.end()) != x.names.end())
    return refuse(ec::malformed, "a member stands there twice");
  return std::move(x.wrong);
}

caf::error fault_of(const kit::json_reader& x) {
  if (x.why() == kit::json_too_deep)
    return refuse(ec::malformed, "the JSON text is nested too deeply");
  switch (x.fault()) {
    case kit::json_fault::shape:
      return refuse(ec::malformed, "the JSON text is not an object");
    case kit::json_fault::not_finite:
      return refuse(ec::malformed, "no JSON text: a number is too large");
    case kit::json_fault::syntax:
      return refuse(ec::malformed, "no JSON text: " + x.why());
    case kit::json_fault::none:
      break;
  }
  return refuse(ec::malformed, "no JSON text: more than one value");
}

/// Why a text does not begin as an object: it is another value, or none.
caf::error no_object(std::string_view text, const kit::json_reader& from) {
  kit::json_reader whole{text, strict};
  const bool is_value = whole.skip() && whole.at_end() && whole.finish();
  return fault_of(is_value ? from : whole);
}

caf::expected<fields> read_fields(std::string_view text) {
  kit::json_reader from{text, strict};
  fields out;
  out.bytes = text.size();
  out.names.reserve(8);
  bool read = from.open('{');
  if (!read)
    return no_object(text, from);
  for (bool first = true; read && from.next('}', first);)
    read = read_member(from, out);
  if (!from.at_end() || !from.finish())
    return fault_of(from);
  if (auto error = check_names(out))
    return error;
  return out;
}

caf::error check_key(const source_record& x) {
  if (x.key.size() > key_bytes_max)
    return refuse(ec::too_large, "the key has more than "
                                   + std::to_string(key_bytes_max) + " bytes");
  return {};
}

/// Only the first version is known; a record that does not say is of that.
caf::error check_version(const source_record& x) {
  for (const auto& header : x.headers)
    if (header.name == "schema-version" && header.value != "1")
      return wrong(other_version_reason);
  return {};
}

/// What is no trace is nobody's deposit lost: it is as if it were not there. So
/// are two that differ.
std::string trace_of(const source_record& x) {
  std::string out;
  for (const auto& header : x.headers) {
    if (header.name != traceparent_header || header.value == out)
      continue;
    if (!out.empty() || !legal_traceparent(header.value))
      return {};
    out = header.value;
  }
  return out;
}

bool is_control(char x) {
  const auto byte = static_cast<unsigned char>(x);
  return byte < 0x20 || byte == 0x7f;
}

caf::error check_user(const fields& from) {
  if (!from.user)
    return wrong("user is missing");
  if (!legal_user_name(*from.user))
    return wrong("user is not a user name");
  return {};
}

caf::error take_names(const fields& from, ingest_deposit& to) {
  if (!from.id)
    return wrong("id is missing");
  if (from.id->empty() || from.id->size() > plain_name_bytes_max)
    return wrong("id must have 1 to 255 bytes");
  if (std::any_of(from.id->begin(), from.id->end(), is_control))
    return wrong("id has control characters");
  if (auto error = check_user(from))
    return error;
  to.user = *from.user;
  to.submission.file_name = *from.id;
  to.submission.login = to.user;
  return {};
}

/// A queue's name, or Crossref's name of an operation.
caf::error take_type(const record_format_options& options, const fields& from,
                     ingest_deposit& to) {
  if (!from.type)
    return wrong("type is missing");
  const std::string type{*from.type};
  const auto* wanted = find_operation(type);
  to.queue = type;
  if (options.deposit_queues.count(type) != 0)
    wanted = &operation_of_queue(type);
  else if (wanted != nullptr)
    to.queue = wanted->queue;
  else
    return wrong("type is no deposit queue or operation");
  to.submission.operation = wanted->word;
  return {};
}

caf::error take_payload(std::size_t bytes_max, fields& from, std::string& to) {
  if (from.payload && from.payload_base64)
    return wrong("payload and payload_base64 are both given");
  if (from.payload) {
    to = std::move(*from.payload);
  } else if (from.payload_base64) {
    auto bytes = decode_base64(*from.payload_base64);
    if (!bytes)
      return refuse(ec::malformed, "payload_base64 is not base64");
    to = std::move(*bytes);
  } else {
    return wrong("payload is missing");
  }
  if (to.find_first_not_of(" \t\r\n") == std::string::npos)
    return wrong("payload is empty");
  if (to.size() > bytes_max)
    return refuse(ec::too_large, "payload has more than "
                                   + std::to_string(bytes_max) + " bytes");
  return {};
}

/// No deposit: a queue of deposits may have any name.
bool is_batch(const record_format_options& options, const fields& x) {
  return x.type == "batch" && options.deposit_queues.count(*x.type) == 0;
}

caf::expected<record_content>
read_batch_of(const record_format_options& options, fields& from) {
  batch_given given;
  if (!from.id)
    return wrong("id is missing");
  if (!legal_uuid(*from.id))
    return wrong("id of a batch is not a UUID");
  if (auto error = check_user(from))
    return error;
  given.id = *from.id;
  given.user = *from.user;
  given.priority = static_cast<std::uint8_t>(from.priority);
  if (!from.form)
    return wrong("form is missing");
  if (from.payload_url && (from.payload || from.payload_base64))
    return wrong("payload_url and a payload are both given");
  if (from.payload_url && from.payload_url->empty())
    return wrong("payload_url is empty");
  if (from.payload_url)
    given.payload_url = std::move(*from.payload_url);
  else if (auto error =
             take_payload(options.batch_payload_bytes_max, from, given.payload))
    return error;
  auto out = read_form_of_batch(*from.form, std::move(given));
  if (!out)
    return out.error();
  return record_content{std::move(*out)};
}

bool is_order(const record_format_options& options, const fields& x) {
  return x.type == "order" && options.deposit_queues.count(*x.type) == 0;
}

caf::expected<record_content> read_order_of(fields& from) {
  batch_given given;
  if (!from.id)
    return wrong("id is missing");
  if (!legal_uuid(*from.id))
    return wrong("id of an order is not a UUID");
  if (auto error = check_user(from))
    return error;
  if (!from.form)
    return wrong("form is missing");
  if (from.payload_url || from.payload || from.payload_base64)
    return wrong("an order has no payload");
  given.id = *from.id;
  given.user = *from.user;
  given.priority = static_cast<std::uint8_t>(from.priority);
  auto out = read_form_of_order(*from.form, std::move(given));
  if (!out)
    return out.error();
  return record_content{std::move(*out)};
}

} // namespace

caf::expected<record_content> read_ingress(const record_format_options& options,
                                           const source_record& x) {
  if (auto error = check_key(x))
    return error;
  if (auto error = check_version(x))
    return error;
  if (!x.has_value)
    return refuse(ec::malformed, "the record has no value");
  auto read = read_fields(x.value);
  if (!read)
    return read.error();
  auto& found = *read;
  if (is_batch(options, found))
    return read_batch_of(options, found);
  if (is_order(options, found))
    return read_order_of(found);
  if (found.payload_url)
    return wrong("payload_url is not supported");
  ingest_deposit out;
  out.offset = x.offset;
  out.priority = static_cast<std::uint8_t>(found.priority);
  out.submission.source = source_kafka.name;
  out.submission.trace = trace_of(x);
  if (auto error = take_names(found, out))
    return error;
  if (auto error = take_type(options, found, out))
    return error;
  if (auto error = take_payload(options.payload_bytes_max, found, out.body))
    return error;
  out.submission.size = out.body.size();
  return record_content{std::move(out)};
}

} // namespace depositd::kafka
