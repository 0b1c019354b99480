#include "adapters/doors/emodb/deposit_reader.hpp"

#include "adapters/doors/emodb/answers.hpp"
#include "adapters/doors/emodb/wire_id.hpp"
#include "adapters/doors/kit/digest.hpp"
#include "adapters/doors/kit/json_text.hpp"
#include "messages/values/base64.hpp"
#include "messages/values/submission_body.hpp"
#include "messages/values/time_text.hpp"
#include "messages/values/trace_context.hpp"

namespace depositd::emodb {

namespace {

void append_member(std::string& out, std::string_view name,
                   std::string_view text) {
  out += out.back() == '{' ? "" : ",";
  kit::append_json_string(out, name);
  out += ':';
  kit::append_json_string(out, kit::is_utf8(text) ? std::string{text}
                                                  : encode_base64(text));
}

void append_bytes(std::string& out, const std::string& bytes) {
  append_member(out, kit::is_utf8(bytes) ? "document" : "document_base64",
                bytes);
}

/// What is not large lies with its item.
void append_document(std::string& out, const submission_body& x,
                     blob_store& blobs) {
  if (!x.body.empty())
    return append_bytes(out, x.body);
  const auto bytes = blobs.get(x.submission.blob);
  if (!bytes)
    append_member(out, "document_error", render(bytes.error()));
  else
    append_bytes(out, *bytes);
}

void answer(const answer_deposits& x, blob_store& blobs) {
  std::string out = "[";
  for (const auto& item : x.items) {
    if (!item.body)
      continue;
    begin_message(out, item.name, x.queue);
    append_deposit(out, {*item.body, item.user, item.received_us}, &blobs);
    out += '}';
  }
  out += ']';
  auto found = json_answer(std::move(out));
  found.repeatable = true; // once they have been given back
  if (!x.answer->send(std::move(found)))
    x.give_back(x.items);
}

} // namespace

void append_deposit(std::string& out, const deposit_view& x,
                    blob_store* blobs) {
  const auto found = decode_submission_body(x.submission_body);
  out += '{';
  append_member(out, "user", x.user);
  append_member(out, "received", format_utc(x.received_us));
  if (found) {
    const auto* submission = &found->submission;
    append_member(out, "file_name", submission->file_name);
    append_member(out, "operation", submission->operation);
    append_member(out, "login", submission->login);
    append_member(out, "source", submission->source);
    append_member(out, "sha256", found->body.empty()
                                   ? submission->blob
                                   : kit::name_of_file(found->body));
    if (!submission->trace.empty())
      append_member(out, traceparent_header, submission->trace);
    out += ",\"size\":" + std::to_string(submission->size);
    if (blobs)
      append_document(out, *found, *blobs);
  }
  out += '}';
}

deposit_reader_actor::behavior_type
deposit_reader(deposit_reader_actor::pointer,
               std::shared_ptr<blob_store> blobs) {
  return {
    [=](const answer_deposits& x) {
      answer(x, *blobs);
      return done{};
    },
  };
}

} // namespace depositd::emodb
