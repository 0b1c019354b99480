#include "adapters/node/gate/wire_guard.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/message_id.hpp>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

namespace depositd::gate {

namespace {

using caf::io::basp::message_type;

constexpr std::uint32_t hello_bytes_max = 1'024;
constexpr std::uint32_t server_hello_bytes_max = 65'536;

/// Of the name of a protocol.
constexpr std::size_t name_bytes_max = 40;

/// CAF's own types start with an at sign; among them are those that end
/// actors, make streams or speak for others. Our messages are all our own.
constexpr char foreign_type = '@';
constexpr std::string_view content_prefix = "@<>+";
constexpr std::string_view answers[]{"@error", "@unit", "@message"};

bool is_answer(std::string_view types) {
  for (const auto known : answers)
    if (types == known)
      return true;
  return false;
}

/// Whether a list of types, joined by "+", may come in as a message.
bool harmless(std::string_view types, bool response) {
  if (response && is_answer(types))
    return true;
  while (!types.empty()) {
    if (types.front() == foreign_type)
      return false;
    const auto next = types.find('+');
    if (next == std::string_view::npos)
      break;
    types.remove_prefix(next + 1);
  }
  return true;
}

/// What follows the nodes: actors that an answer has to pass, and the content.
bool content_harmless(caf::binary_deserializer& in, bool response) {
  std::size_t stages = 0;
  if (in.begin_sequence(stages) || stages != 0)
    return false;
  std::uint16_t number = 0;
  std::string types;
  if (in.begin_object(number, types) || number != 0)
    return false;
  if (types.compare(0, content_prefix.size(), content_prefix) != 0)
    return response && types == "@<>"; // an answer without a value
  return harmless(std::string_view{types}.substr(content_prefix.size()),
                  response);
}

/// Names of protocols, as far as they are fit to be shown.
std::string shown(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names) {
    out += out.empty() ? "" : ", ";
    for (const unsigned char c : name.substr(0, name_bytes_max))
      out += std::isalnum(c) || c == '.' || c == '-' ? static_cast<char>(c)
                                                     : '?';
    if (out.size() > 2 * name_bytes_max)
      break;
  }
  return out.empty() ? "no protocol" : out;
}

} // namespace

wire_guard::wire_guard(wire_options options) : options_(std::move(options)) {
  // nop
}

wire_verdict wire_guard::judge(wire_verdict verdict, const char* reason) {
  reason_ = reason;
  return verdict;
}

wire_verdict wire_guard::see_header(const char* bytes, std::size_t size) {
  caf::binary_deserializer in{*options_.system, bytes, size};
  if (in(header_))
    return judge(wire_verdict::close, "no message of CAF");
  if (header_.payload_len > payload_bytes_max)
    return judge(wire_verdict::close, "a message of too many bytes");
  if (!caf::io::basp::valid(header_))
    return judge(wire_verdict::close, "no message of CAF");
  switch (header_.operation) {
    case message_type::server_handshake:
    case message_type::client_handshake:
      return judge_hello_header();
    case message_type::heartbeat:
      return open_ ? wire_verdict::pass
                   : judge(wire_verdict::close, "no handshake");
    default:
      return open_ ? judge_message_header(who_)
                   : judge(wire_verdict::close, "no handshake");
  }
}

wire_verdict wire_guard::judge_hello_header() {
  const bool from_server = header_.operation == message_type::server_handshake;
  if (from_server != (options_.side == wire_side::connecting)
      || (from_server && open_))
    return judge(wire_verdict::close, "not the handshake that is due");
  const auto max = from_server ? server_hello_bytes_max : hello_bytes_max;
  if (header_.payload_len == 0 || header_.payload_len > max)
    return judge(wire_verdict::close, "a handshake of too many bytes");
  return wire_verdict::pass;
}

bool wire_guard::may_address(const peer& from) const {
  return header_.dest_actor == options_.published()
         || options_.peers->admit().may_address(from, header_.dest_actor);
}

bool wire_guard::is_trusted() {
  // Whoever was let in over this connection is from then on, until a look at
  // all connections finds otherwise and ends it.
  trusted_ = trusted_ || options_.peers->admit().may_forward(who_);
  return trusted_;
}

bool wire_guard::is_dismissed() const {
  return trusted_ && !options_.peers->admit().may_forward(who_);
}

wire_verdict wire_guard::judge_message_header(const peer& from) {
  // By name CAF offers its own servers, which start actors and tell secrets.
  if (header_.has(header::named_receiver_flag))
    return judge(wire_verdict::skip, "a message for one of CAF's servers");
  if (header_.operation == message_type::routed_message && !is_trusted())
    return judge(wire_verdict::close, "a message for or from another node");
  if (header_.operation == message_type::down_message)
    return wire_verdict::pass;
  const bool message = header_.operation != message_type::monitor_message;
  if (message && !is_trusted()
      && caf::make_message_id(header_.operation_data).is_response()
      && options_.side == wire_side::accepted)
    return judge(wire_verdict::skip, "an answer to no question");
  // Where a routed message goes is in its payload.
  if (header_.operation != message_type::routed_message && !may_address(from))
    return judge(wire_verdict::skip, "a message for an actor of others");
  return wire_verdict::pass;
}

wire_verdict wire_guard::see_payload(const char* bytes, std::size_t size) {
  switch (header_.operation) {
    case message_type::server_handshake:
    case message_type::client_handshake:
      return see_hello(bytes, size);
    case message_type::direct_message:
      return see_direct(bytes, size);
    case message_type::routed_message:
      return see_routed(bytes, size);
    default:
      return see_about_actor(bytes, size);
  }
}

wire_verdict wire_guard::see_hello(const char* bytes, std::size_t size) {
  caf::binary_deserializer in{*options_.system, bytes, size};
  caf::node_id node;
  if (in(node) || !node)
    return judge(wire_verdict::close, "a handshake without a node");
  if (open_)
    return node == node_ ? wire_verdict::pass
                         : judge(wire_verdict::close, "a change of node");
  // Who connects to itself hears of it at its own end.
  if (node == options_.system->node())
    return options_.side == wire_side::connecting ? wire_verdict::pass
                                                  : wire_verdict::mute;
  if (options_.side == wire_side::connecting && !speaks_ours(in))
    return judge(wire_verdict::close, foreign_.c_str());
  who_ = options_.identify();
  if (!options_.peers->claim(node, options_.connection, who_,
                             std::chrono::steady_clock::now()))
    return judge(wire_verdict::close, "the id of another one's node");
  if (!options_.finished())
    return judge(wire_verdict::close, "too many connections");
  node_ = std::move(node);
  open_ = true;
  return wire_verdict::pass;
}

/// CAF would close without a word for whoever has to find out why.
bool wire_guard::speaks_ours(caf::binary_deserializer& in) {
  const auto ours = caf::get_if<std::vector<std::string>>(
    &options_.system->config(), "middleman.app-identifiers");
  std::vector<std::string> theirs;
  if (!ours || in(theirs))
    return true; // CAF's own affair
  for (const auto& x : theirs)
    if (std::find(ours->begin(), ours->end(), x) != ours->end())
      return true;
  foreign_ = "it speaks " + shown(theirs) + ", this program " + shown(*ours);
  return false;
}

wire_verdict wire_guard::see_direct(const char* bytes, std::size_t size) {
  caf::binary_deserializer in{*options_.system, bytes, size};
  const auto id = caf::make_message_id(header_.operation_data);
  return content_harmless(in, id.is_response())
           ? wire_verdict::pass
           : judge(wire_verdict::skip, "a message that is none of ours");
}

wire_verdict wire_guard::see_routed(const char* bytes, std::size_t size) {
  caf::binary_deserializer in{*options_.system, bytes, size};
  caf::node_id from, to;
  if (in(from, to))
    return judge(wire_verdict::close, "no message of CAF");
  const auto& own = options_.system->node();
  auto sender = who_;
  if (from && from != node_) {
    if (from == own || !options_.peers->forward(from, options_.connection))
      return judge(wire_verdict::skip, "words of a node that speaks itself");
    sender.forwarded = true;
  }
  if (to != own)
    return wire_verdict::pass;
  if (!may_address(sender))
    return judge(wire_verdict::skip, "a message for an actor of others");
  const auto id = caf::make_message_id(header_.operation_data);
  return content_harmless(in, id.is_response())
           ? wire_verdict::pass
           : judge(wire_verdict::skip, "a message that is none of ours");
}

wire_verdict wire_guard::see_about_actor(const char* bytes, std::size_t size) {
  caf::binary_deserializer in{*options_.system, bytes, size};
  caf::node_id from, to;
  if (in(from, to))
    return judge(wire_verdict::close, "no message of CAF");
  const bool direct = from == node_ && to == options_.system->node();
  if (!direct && !is_trusted())
    return judge(wire_verdict::close, "a message for or from another node");
  if (from == options_.system->node())
    return judge(wire_verdict::skip, "words of this node");
  return wire_verdict::pass;
}

} // namespace depositd::gate
