#include "adapters/processing/crossref/notify_handler.hpp"

#include "adapters/processing/crossref/broken_head.hpp"
#include "adapters/processing/crossref/citation_xml.hpp"
#include "adapters/processing/crossref/deposit_xml.hpp"
#include "adapters/processing/crossref/diagnostic.hpp"
#include "adapters/processing/crossref/query_xml.hpp"
#include "adapters/processing/crossref/text.hpp"
#include "adapters/processing/crossref/transfer_text.hpp"
#include "adapters/processing/crossref/xml_text.hpp"
#include "adapters/processing/stages/unless_away.hpp"
#include "adapters/processing/stages/until_wanted.hpp"
#include "messages/values/names.hpp"
#include "messages/values/operations.hpp"
#include "messages/values/time_text.hpp"

#include <spdlog/spdlog.h>

#include <atomic>
#include <utility>

namespace depositd::crossref {

namespace {

outcome ended(verdict says, std::string reason = {}) {
  outcome out;
  out.says = says;
  out.reason = std::move(reason);
  return out;
}

outcome ended(const caf::error& problem) {
  return !problem ? ended(verdict::done)
                  : ended(problem == ec::invalid_argument ? verdict::failed
                                                          : verdict::retry,
                          render(problem));
}

/// What may stand in the query of a URL as it is; all else as %XX.
std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
                       || is_digit(c) || c == '-' || c == '.' || c == '_';
    if (plain) {
      out += c;
      continue;
    }
    out += '%';
    out += digits[byte >> 4];
    out += digits[byte & 0xf];
  }
  return out;
}

std::string retrieve_url(const std::string& at, const submission_row& row) {
  const bool by_batch = !row.batch_id.empty();
  return at + "/servlet/submissionDownload?type=result&"
         + (by_batch ? "doi_batch_id=" : "file_name=")
         + percent_encoded(by_batch ? row.batch_id : row.submission.file_name)
         // Others may have the same name.
         + "&submission_id=" + std::to_string(row.id);
}

callback callback_of(const submission_row& row, const std::string& url,
                     const std::string& doors_at, std::int64_t retention_s) {
  callback out;
  out.url = url;
  out.id = "submission-" + std::to_string(row.id);
  out.headers = {
    {"CROSSREF-NOTIFY-ENDPOINT", row.user},
    {"CROSSREF-EXTERNAL-ID", row.batch_id},
    {"CROSSREF-INTERNAL-ID", std::to_string(row.id)},
    {"CROSSREF-RETRIEVE-URL", retrieve_url(doors_at, row)},
    {"CROSSREF-SERVICE-DATE", format_http_date(row.finished_us)},
    {"CROSSREF-RETRIEVE-URL-EXPIRATION-DATE",
     format_http_date(row.finished_us + retention_s * 1'000'000)}};
  return out;
}

mail mail_of(const submission_row& row, std::string to) {
  mail out;
  out.id = "submission-" + std::to_string(row.id);
  out.to = {std::move(to)};
  out.subject = "CrossRef submission ID: " + std::to_string(row.id);
  out.text = diagnostic_of(row);
  return out;
}

/// Of those that work on the outbox, for receivers that are slow.
constexpr std::size_t slow_most = 4;

outcome wait_for_turn() {
  return ended(verdict::not_yet, "whoever is to be told is slow");
}

class notifying {
public:
  notifying(const notify_options& options, std::atomic_flag& unmailed,
            const handle_item& item)
    : with_(options), unmailed_(unmailed), item_(item) {
    // nop
  }

  outcome run() {
    auto body = decode_submission_body(item_.item.body);
    if (!body)
      return ended(verdict::failed, render(body.error()));
    deposit_ = std::move(*body);
    if (!find_source(deposit_.submission.source).told)
      return ended(verdict::skip, "nobody is told of such deposits");
    const auto& contacts = item_.control->contacts;
    if (const auto at = contacts.find(item_.item.user); at != contacts.end())
      contact_ = at->second;
    if (!contact_.callback.empty())
      return call_back();
    if (!with_.tools->mailer)
      return end_without_mail();
    auto to = address();
    if (!to)
      return stages::unless_away(
        to.error(), ended(verdict::retry, render(to.error())));
    if (to->empty())
      return ended(verdict::skip, "the deposit names nobody to tell");
    return send(std::move(*to));
  }

private:
  caf::expected<std::string> address() {
    auto& bytes = deposit_.body;
    if (bytes.empty()) {
      auto kept = with_.tools->blobs->get(deposit_.submission.blob);
      if (!kept && kept.error() != ec::store_damaged)
        return std::move(kept.error());
      if (kept)
        bytes = std::move(*kept);
    }
    auto out = address_in(deposit_.submission, bytes, with_.limits);
    return out.empty() ? contact_.mail : std::move(out);
  }

  /// Whoever runs an engine without the relay that it had is to hear of it.
  outcome end_without_mail() {
    if (!unmailed_.test()) {
      const auto to = address();
      if (to && !to->empty() && !unmailed_.test_and_set())
        spdlog::warn("notifications_not_mailed first={} user={} "
                     "reason=\"mail.smtp is not set\"",
                     item_.item.id, item_.item.user);
    }
    return ended(verdict::skip, "no mail is sent here");
  }

  caf::expected<submission_row> row() {
    auto found = with_.tools->work->submissions(
      {.id = item_.item.id, .user = item_.item.user, .count_max = 1});
    if (!found)
      return std::move(found.error());
    if (found->empty())
      return caf::make_error(ec::invalid_argument,
                             "the submission is not kept any more");
    return std::move(found->front());
  }

  outcome call_back() {
    const auto doors_at = with_.public_url();
    if (doors_at.empty())
      return ended(verdict::retry, "the doors are not open yet");
    auto what = row();
    if (!what)
      return stages::unless_away(what.error(), ended(what.error()));
    if (auto later =
          stages::until_wanted(with_.tools->callbacks, contact_.callback))
      return std::move(*later);
    const auto receiver = stages::receiver_of(contact_.callback);
    auto turn = with_.turns->enter(receiver);
    if (!turn)
      return wait_for_turn();
    const auto failure = with_.tools->callbacks->send(
      callback_of(*what, contact_.callback, doors_at, with_.retention_s));
    if (failure == ec::overloaded)
      turn->has_failed();
    return ended(failure);
  }

  outcome send(std::string to) {
    auto what = row();
    if (!what)
      return stages::unless_away(what.error(), ended(what.error()));
    const auto turn = with_.turns->enter(stages::mail_relay);
    if (!turn)
      return wait_for_turn();
    return ended(with_.tools->mailer->send(mail_of(*what, std::move(to))));
  }

  const notify_options& with_;
  std::atomic_flag& unmailed_; ///< the log was told of one
  const handle_item& item_;
  submission_body deposit_;
  contact_changed contact_;
};

} // namespace

stages::stage_handler make_notify_handler(notify_options options) {
  if (!options.turns)
    options.turns = std::make_shared<stages::receiver_turns>(
      stages::receiver_turns_options{.slow_most = slow_most});
  return [options = std::move(options),
          unmailed = std::make_shared<std::atomic_flag>()](
           const stages::stage_task& x) {
    return notifying{options, *unmailed, x.item}.run();
  };
}

std::string address_in(const submission& what, std::string_view bytes,
                       const xml_limits& limits) {
  const auto* wanted = find_operation_or_default(what.operation);
  std::string out;
  // Of a file that cannot be read, what could be: its head comes first.
  if (wanted == nullptr)
    return {};
  if (wanted->kind == submission_kind::query) {
    query_batch batch;
    static_cast<void>(parse_queries(bytes, false, limits, batch));
    out = std::move(batch.email);
  } else if (wanted->kind == submission_kind::transfer) {
    transfer what_goes;
    static_cast<void>(parse_transfer(bytes, limits, what_goes));
    out = std::move(what_goes.email);
  } else if (const auto text = decode_xml_text(bytes, limits);
             text && wanted->kind == submission_kind::citations) {
    citation_deposit content;
    static_cast<void>(parse_citations(*text, limits, content));
    out = std::move(content.email);
  } else if (text) {
    deposit content;
    static_cast<void>(parse_deposit(*text, limits, content));
    out = std::move(content.email);
  }
  if (std::string nobody_asks; out.empty())
    find_head(bytes, nobody_asks, out);
  return legal_mail_address(out) ? out : std::string{};
}

} // namespace depositd::crossref
