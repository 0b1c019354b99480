#include "actors/operators/submitter.hpp"

#include "messages/operators.hpp"
#include "messages/shard.hpp"
#include "messages/values/base64.hpp"
#include "messages/values/names.hpp"
#include "messages/values/operations.hpp"

#include <utility>

namespace depositd::operators {

namespace {

caf::expected<submit> store(const submitter_options& options,
                            const submit_file& x) {
  const auto refuse = [](ec code, std::string text) {
    return caf::make_error(code, std::move(text));
  };
  const auto* wanted = find_operation(x.operation);
  if (wanted == nullptr)
    return refuse(ec::invalid_argument,
                  "operation must be one of " + operation_words());
  if (!legal_user_name(x.user))
    return refuse(ec::invalid_argument, "user must be a user name");
  if (x.file_name.empty() || x.file_name.size() > plain_name_bytes_max)
    return refuse(ec::invalid_argument, "file_name must have 1 to 255 bytes");
  if (x.content_base64.size() / 4 * 3 > options.file_bytes_max + 2)
    return refuse(ec::too_large, "the file is larger than this engine takes");
  const auto bytes = decode_base64(x.content_base64);
  if (!bytes)
    return bytes.error();
  if (bytes->empty())
    return refuse(ec::malformed, "the file is empty");
  auto blob = options.blobs->put(*bytes);
  if (!blob)
    return std::move(blob.error());
  submit out;
  out.queue = wanted->queue;
  out.user = x.user;
  out.submission.file_name = x.file_name;
  out.submission.operation = x.operation;
  out.submission.login = x.user;
  out.submission.source = source_shell.name;
  out.submission.blob = std::move(*blob);
  out.submission.size = bytes->size();
  return out;
}

/// The same as before, if its payload is still there.
caf::expected<submit> find_kept(const submitter_options& options,
                                const submit_again& x) {
  const auto gone = [&](const std::string& why) {
    return caf::make_error(ec::not_found, "its payload is not kept" + why
                                            + ": it has to be sent again");
  };
  submit out;
  out.queue = x.queue;
  out.user = x.user;
  out.submission = x.submission;
  out.body = x.contents;
  if (!out.body.empty())
    return out;
  if (x.submission.blob.empty())
    return gone("");
  const auto bytes = options.blobs->get(x.submission.blob);
  if (!bytes && bytes.error() == ec::not_found)
    return gone(" any more");
  if (!bytes)
    return bytes.error();
  return out;
}

} // namespace

submitter_actor::behavior_type submitter(actor_with<submitter_state>* self,
                                         submitter_options options) {
  self->state.options = std::move(options);
  return {
    [=](const submit_file& x) -> caf::result<enqueued> {
      auto ready = store(self->state.options, x);
      if (!ready)
        return std::move(ready.error());
      return self->delegate(self->state.options.shard, std::move(*ready));
    },
    [=](const submit_again& x) -> caf::result<enqueued> {
      auto ready = find_kept(self->state.options, x);
      if (!ready)
        return std::move(ready.error());
      return self->delegate(self->state.options.shard, std::move(*ready));
    },
  };
}

} // namespace depositd::operators
