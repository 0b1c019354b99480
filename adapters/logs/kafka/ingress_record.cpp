#include "adapters/logs/kafka/ingress_record.hpp"

#include "messages/values/base64.hpp"
#include "messages/values/names.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/trace_context.hpp"

#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace depositd::kafka {

namespace {

constexpr std::size_t depth_max = 64;
constexpr std::size_t members_max = 1'000;
constexpr std::size_t id_bytes_max = 255;
constexpr std::uint64_t priority_max = 99;

caf::error refuse(ec code, std::string why) {
  return caf::make_error(code, std::move(why));
}

caf::error wrong(std::string why) {
  return refuse(ec::invalid_argument, std::move(why));
}

/// What the members of a record say, as far as we know them.
struct fields {
  std::optional<std::string_view> id;
  std::optional<std::string_view> user;
  std::optional<std::string_view> type;
  std::optional<std::string_view> payload;
  std::optional<std::string_view> payload_base64;
  std::uint64_t priority = 0;
};

caf::error read_text(std::string_view name, simdjson::dom::element value,
                     std::optional<std::string_view>& out) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS)
    return wrong(std::string{name} + " is not a string");
  out = text;
  return {};
}

caf::error read_priority(simdjson::dom::element value, fields& out) {
  std::uint64_t number = 0;
  if (!value.is<std::uint64_t>() || value.get(number) != simdjson::SUCCESS
      || number > priority_max)
    return wrong("priority is not a whole number from 0 to 99");
  out.priority = number;
  return {};
}

caf::error read_member(std::string_view name, simdjson::dom::element value,
                       fields& out) {
  if (name == "id")
    return read_text(name, value, out.id);
  if (name == "user")
    return read_text(name, value, out.user);
  if (name == "type")
    return read_text(name, value, out.type);
  if (name == "payload")
    return read_text(name, value, out.payload);
  if (name == "payload_base64")
    return read_text(name, value, out.payload_base64);
  if (name == "priority")
    return read_priority(value, out);
  if (name == "payload_url")
    return wrong("payload_url is not supported");
  return {}; // others may say more than we know
}

/// A name that comes twice means something else to every reader.
caf::error check_names(const simdjson::dom::object& object) {
  std::vector<std::string_view> names;
  for (const auto member : object) {
    names.push_back(member.key);
    if (names.size() > members_max)
      return refuse(ec::too_large, "the object has more than "
                                     + std::to_string(members_max)
                                     + " members");
  }
  std::sort(names.begin(), names.end());
  if (std::adjacent_find(names.begin(), names.end()) != names.end())
    return refuse(ec::malformed, "a member stands there twice");
  return {};
}

/// Only the first version is known; a record that does not say is of that.
caf::error check_version(const source_record& x) {
  for (const auto& header : x.headers)
    if (header.name == "schema-version" && header.value != "1")
      return wrong("schema-version is not 1");
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

caf::error take_names(const fields& from, ingest_deposit& to) {
  if (!from.id)
    return wrong("id is missing");
  if (from.id->empty() || from.id->size() > id_bytes_max)
    return wrong("id must have 1 to 255 bytes");
  if (std::any_of(from.id->begin(), from.id->end(), is_control))
    return wrong("id has control characters");
  if (!from.user)
    return wrong("user is missing");
  if (!legal_user_name(*from.user))
    return wrong("user is not a user name");
  to.user = std::string{*from.user};
  to.submission.file_name = std::string{*from.id};
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

caf::error take_payload(const record_format_options& options,
                        const fields& from, ingest_deposit& to) {
  if (from.payload && from.payload_base64)
    return wrong("payload and payload_base64 are both given");
  if (from.payload) {
    to.body = std::string{*from.payload};
  } else if (from.payload_base64) {
    auto bytes = decode_base64(*from.payload_base64);
    if (!bytes)
      return refuse(ec::malformed, "payload_base64 is not base64");
    to.body = std::move(*bytes);
  } else {
    return wrong("payload is missing");
  }
  if (to.body.find_first_not_of(" \t\r\n") == std::string::npos)
    return wrong("payload is empty");
  if (to.body.size() > options.payload_bytes_max)
    return refuse(ec::too_large,
                  "payload has more than "
                    + std::to_string(options.payload_bytes_max) + " bytes");
  to.submission.size = to.body.size();
  return {};
}

caf::expected<simdjson::dom::object> parse(simdjson::dom::parser& parser,
                                           std::string_view text) {
  // A document of one byte needs more than one.
  auto code = parser.allocate(std::max<std::size_t>(text.size(), 64),
                              depth_max);
  simdjson::dom::element root;
  if (code == simdjson::SUCCESS)
    code = parser.parse(text.data(), text.size()).get(root);
  if (code == simdjson::DEPTH_ERROR)
    return refuse(ec::malformed, "the JSON text is nested too deeply");
  if (code != simdjson::SUCCESS)
    return refuse(ec::malformed, std::string{"no JSON text: "}
                                   + simdjson::error_message(code));
  simdjson::dom::object out;
  if (root.get(out) != simdjson::SUCCESS)
    return refuse(ec::malformed, "the JSON text is not an object");
  return out;
}

} // namespace

caf::expected<ingest_deposit>
read_ingress(const record_format_options& options, const source_record& x) {
  if (auto error = check_version(x))
    return error;
  if (!x.has_value)
    return refuse(ec::malformed, "the record has no value");
  simdjson::dom::parser parser;
  const auto object = parse(parser, x.value);
  if (!object)
    return object.error();
  if (auto error = check_names(*object))
    return error;
  fields found;
  for (const auto member : *object)
    if (auto error = read_member(member.key, member.value, found))
      return error;
  ingest_deposit out;
  out.offset = x.offset;
  out.priority = static_cast<std::uint8_t>(found.priority);
  out.submission.source = source_kafka.name;
  out.submission.trace = trace_of(x);
  if (auto error = take_names(found, out))
    return error;
  if (auto error = take_type(options, found, out))
    return error;
  if (auto error = take_payload(options, found, out))
    return error;
  return out;
}

} // namespace depositd::kafka
