// A file comes in: queued, or processed at once.

#include "adapters/doors/accounts/deposit_desk.hpp"
#include "adapters/doors/crossref/parts.hpp"
#include "messages/values/operations.hpp"

#include <spdlog/spdlog.h>

#include <optional>
#include <string>
#include <utility>

namespace depositd::crossref {

accounts::file_deposit file_in(const deposit_request& x,
                               const std::string& user) {
  return {user,    x.who.login, x.operation,     x.file_name,
          x.trace, x.bytes,     x.answer->keep()};
}

namespace {

void queue_deposit(door_pointer self, const deposit_request& given,
                   const std::string& user) {
  const auto& options = self->state.options;
  accounts::hand_in(
    self,
    {options.shard, options.blobs, *self->state.asked, options.ask_timeout},
    file_in(given, user),
    [answer = given.answer, files = given.files,
     later = options.retry_after_s](const caf::expected<item_id>& said) {
      answer->send(said ? success_page(files)
                        : error_page(said.error(), later));
    });
}

std::optional<http::response> refusal_of(accounts::deposit_fault fault) {
  switch (fault) {
    case accounts::deposit_fault::none:
      break;
    case accounts::deposit_fault::unknown_operation:
      return failure_page(400, "Unknown operation.");
    case accounts::deposit_fault::over_quota:
      return later_page(1, "As many requests as the quota allows. Try again "
                           "later.");
    case accounts::deposit_fault::too_large:
      return failure_page(413, "The file is too large.");
  }
  return std::nullopt;
}

void judge_deposit(door_pointer self, const deposit_request& given,
                   const std::string& user) {
  const auto& state = self->state;
  const auto fault = accounts::judge(
    file_in(given, user), {*state.logins->control(), *state.options.quotas,
                           self->clock().now(), state.options.body_bytes_max});
  if (auto page = refusal_of(fault)) {
    given.answer->send(std::move(*page));
    return;
  }
  if (given.files > 1)
    spdlog::warn("files_not_taken user={} operation={} files={} taken=1", user,
                 given.operation, given.files);
  if (given.synchronous)
    take_at_once(self, given, user);
  else
    queue_deposit(self, given, user);
}

} // namespace

void take_deposit(door_pointer self, const deposit_request& given) {
  with_login(
    self, given.who, given.peer,
    {[=](const std::string& user) { judge_deposit(self, given, user); },
     [=](http::response page) { given.answer->send(std::move(page)); }});
}

namespace {

void look_for_room(door_pointer self,
                   const std::shared_ptr<http::gatekeeper>& gate,
                   const std::string& queue, const std::string& user) {
  const auto& options = self->state.options;
  self->request(options.shard, options.ask_timeout, count_pending{queue, user})
    .then(
      [=](const pending_counted& counted) {
        if (const auto why = accounts::too_much(counted))
          gate->refuse(page_of(self, why));
        else
          gate->pass();
      },
      [=](const caf::error& why) { gate->refuse(page_of(self, why)); });
}

} // namespace

// Before the body: a wrong login or a full queue is said at once.
void look_ahead(door_pointer self, const deposit_begun& given) {
  const auto gate = given.gate;
  const auto operation = given.operation;
  with_login(self, given.who, given.peer,
             {[=](const std::string& user) {
                // The form may still name another operation, and so a queue.
                const auto* wanted = find_operation_or_default(operation);
                if (!wanted)
                  gate->refuse(failure_page(400, "Unknown operation."));
                else if (operation.empty())
                  gate->pass();
                else
                  look_for_room(self, gate, std::string{wanted->queue}, user);
              },
              [=](http::response page) { gate->refuse(std::move(page)); }});
}

} // namespace depositd::crossref
