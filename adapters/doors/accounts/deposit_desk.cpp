#include "adapters/doors/accounts/deposit_desk.hpp"

namespace depositd::accounts {

const http::form_part* file_of(const http::form& form) {
  for (const auto& part : form.parts)
    if (http::is_file(part))
      return &part;
  if (!form.multipart)
    return nullptr;
  for (const auto* name : {"fname", "mdFile", "file"})
    if (const auto* part = form.field(name);
        part && part->closed && !part->data.empty())
      return part;
  return nullptr;
}

std::size_t files_in(const http::form& form) {
  return static_cast<std::size_t>(
    std::count_if(form.parts.begin(), form.parts.end(), &http::is_file));
}

deposit_fault judge(const file_deposit& x, const deposit_rules& rules) {
  const auto* wanted = find_operation_or_default(x.operation);
  if (!wanted)
    return deposit_fault::unknown_operation;
  if (!rules.quotas.take(rules.control, std::string{wanted->queue}, x.user,
                         rules.now))
    return deposit_fault::over_quota;
  if (x.bytes->size() > rules.bytes_max)
    return deposit_fault::too_large;
  return deposit_fault::none;
}

caf::error too_much(const pending_counted& x) {
  if (x.pending >= x.limit)
    return caf::make_error(ec::pending_limit_reached);
  if (x.bytes >= x.bytes_max)
    return caf::make_error(ec::quota_reached,
                           "The user has as many bytes of pending submissions "
                           "as may be");
  return {};
}

submission submission_of(const file_deposit& x, const submission_source& source,
                         const std::string& sha256) {
  submission out;
  out.file_name = x.file_name;
  out.operation = find_operation_or_default(x.operation)->word;
  out.login = x.login;
  out.source = source.name;
  out.blob = sha256;
  out.size = x.bytes->size();
  out.trace = x.trace;
  return out;
}

void queue_file(const deposit_desk& at, const file_deposit& x,
                const std::string& sha256, handed_in then) {
  submit what;
  what.queue = find_operation_or_default(x.operation)->queue;
  what.user = x.user;
  what.submission = submission_of(x, source_http, sha256);
  const bool goes_along = sha256.empty();
  if (goes_along)
    what.body = *x.bytes;
  at.asked.ask(
    at.shard, std::move(what),
    [then = std::move(then)](kit::core_answer said) {
      const auto* queued = said.as<enqueued>();
      if (queued == nullptr)
        then(said.why());
      else if (queued->ids.empty() || queued->ids.front() == 0)
        then(caf::make_error(ec::pending_limit_reached));
      else
        then(queued->ids.front());
    },
    goes_along ? x.held : nullptr);
}

} // namespace depositd::accounts
