#include "adapters/sources/web/sqs_wire.hpp"

#include "adapters/doors/kit/json_text.hpp"
#include "adapters/fetching/curl_kit.hpp"
#include "adapters/sources/web/json_members.hpp"

namespace depositd::sources::sqs {

namespace {

/// A text; none for null.
bool read_text(kit::json_reader& from, std::string& out) {
  out.clear();
  return from.look() == 'n' ? from.skip() : from.text(out);
}

caf::error no_answer_of_sqs(const kit::json_reader& from) {
  return caf::make_error(ec::malformed,
                         "the answer is none of SQS"
                           + (from.why().empty() ? "" : ": " + from.why()));
}

bool read_message(kit::json_reader& from, message& to) {
  return each_member(from,
                     [&](std::string_view name) {
                       if (name == "MessageId")
                         return from.text(to.id);
                       if (name == "ReceiptHandle")
                         return from.text(to.receipt);
                       if (name == "Body")
                         return from.text(to.body);
                       return from.skip();
                     })
         && ((!to.id.empty() && !to.receipt.empty())
             || from.refuse("a message without id or receipt"));
}

/// One entry of an answer about several; `at` is given its position.
bool read_entry(kit::json_reader& from, std::size_t count, std::size_t& at,
                refusal& why) {
  std::string id;
  const bool read = each_member(from, [&](std::string_view name) {
    if (name == "Id")
      return from.text(id);
    if (name == "Code")
      return read_text(from, why.code);
    if (name == "Message")
      return read_text(from, why.message);
    return from.skip();
  });
  const auto number = header_number(id);
  if (!read || !number || *number >= count)
    return from.refuse("an entry that nobody asked for");
  at = static_cast<std::size_t>(*number);
  return true;
}

} // namespace

refusal read_refusal(std::string_view text) {
  refusal out;
  kit::json_reader from{text};
  const bool read = each_member(from, [&](std::string_view name) {
    if (name == "__type")
      return read_text(from, out.code);
    if (name == "message" || name == "Message")
      return read_text(from, out.message);
    return from.skip();
  });
  if (!read || !from.at_end())
    return {};
  out.code.erase(0, out.code.rfind('#') + 1);
  return out;
}

std::string write_receive(std::string_view queue, const receive& x) {
  std::string out = "{\"QueueUrl\":";
  kit::append_json_string(out, queue);
  out += ",\"MaxNumberOfMessages\":" + std::to_string(x.count)
         + ",\"WaitTimeSeconds\":" + std::to_string(x.wait_s)
         + ",\"VisibilityTimeout\":" + std::to_string(x.visibility_s) + "}";
  return out;
}

caf::expected<std::vector<message>> read_messages(std::string_view text) {
  std::vector<message> out;
  kit::json_reader from{text};
  const bool read = each_member(from, [&](std::string_view name) {
    if (name != "Messages")
      return from.skip();
    return each_element(from,
                        [&] { return read_message(from, out.emplace_back()); });
  });
  if (!read || !from.at_end())
    return no_answer_of_sqs(from);
  return out;
}

std::string write_deletion(std::string_view queue,
                           std::span<const held_messages::one> what) {
  std::string out = "{\"QueueUrl\":";
  kit::append_json_string(out, queue);
  out += ",\"Entries\":[";
  for (std::size_t i = 0; i < what.size(); ++i) {
    out += i == 0 ? "{\"Id\":\"" : ",{\"Id\":\"";
    out += std::to_string(i) + "\",\"ReceiptHandle\":";
    kit::append_json_string(out, what[i].receipt);
    out += '}';
  }
  return out + "]}";
}

caf::expected<deletion> read_deletion(std::string_view text,
                                      std::size_t count) {
  deletion out;
  kit::json_reader from{text};
  const bool read = each_member(from, [&](std::string_view name) {
    if (name == "Successful")
      return each_element(from, [&] {
        refusal none;
        return read_entry(from, count, out.done.emplace_back(), none);
      });
    if (name == "Failed")
      return each_element(from, [&] {
        auto& one = out.failed.emplace_back();
        return read_entry(from, count, one.at, one.why);
      });
    return from.skip();
  });
  if (!read || !from.at_end())
    return no_answer_of_sqs(from);
  if (out.done.size() + out.failed.size() != count)
    return caf::make_error(ec::malformed,
                           "the answer does not speak of every message");
  return out;
}

} // namespace depositd::sources::sqs
