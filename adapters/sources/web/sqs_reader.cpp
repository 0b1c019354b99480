#include "adapters/sources/web/sqs_reader.hpp"

#include "adapters/sources/records/interruptible_reader.hpp"
#include "adapters/sources/web/credentials.hpp"
#include "adapters/sources/web/held_messages.hpp"
#include "adapters/sources/web/sqs_wire.hpp"
#include "adapters/sources/web/transport.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace depositd::sources {

namespace {

/// The first question waits so long for messages: one that does not wait asks
/// only some of the servers of SQS.
constexpr std::uint64_t receive_wait_s = 1;
constexpr std::chrono::milliseconds receive_wait_min{5'000};

class sqs_reader final : public interruptible_reader {
public:
  sqs_reader(source_settings settings, std::string endpoint, record_rules rules,
             std::string ca_file)
    : settings_(std::move(settings)), endpoint_(std::move(endpoint)),
      rules_(std::move(rules)), line_(std::move(ca_file), interruption_) {
    // nop
  }

  caf::expected<pulled_batch> next_batch(const batch_request& x) override;

  caf::error applied(const std::vector<std::string>& keys) override;

private:
  using message_list = std::vector<sqs::message>;

  /// What SQS answers to one of its actions.
  caf::expected<std::string> ask(const std::string& action, std::string body,
                                 const aws_signer& signer,
                                 const allowance& time);
  caf::expected<message_list> receive(std::uint64_t count, std::uint64_t wait_s,
                                      const aws_signer& signer,
                                      const allowance& time);
  void take(sqs::message&& x, pulled_batch& to);

  /// Forgets what was deleted. `why` is given the reason if some were not.
  caf::error remove(std::span<const held_messages::one> what,
                    const aws_signer& signer, const allowance& time,
                    std::string& why);

  const source_settings settings_;
  const std::string endpoint_;
  const record_rules rules_;
  web_line line_;
  held_messages held_;
};

caf::expected<std::string> sqs_reader::ask(const std::string& action,
                                           std::string body,
                                           const aws_signer& signer,
                                           const allowance& time) {
  web_question x;
  x.url = endpoint_;
  x.post = std::move(body);
  x.headers = {std::string{"Content-Type: "} + sqs::json_type,
               "X-Amz-Target: AmazonSQS." + action};
  x.signer = signer;
  auto said = line_.ask(x, time);
  if (!said)
    return std::move(said.error());
  if (said->status == 200)
    return std::move(said->body);
  const auto why = sqs::read_refusal(said->body);
  const bool missing =
    why.code == "QueueDoesNotExist" || why.code.ends_with("NonExistentQueue");
  auto text = "SQS answers with " + std::to_string(said->status);
  if (!why.code.empty())
    text += ": " + why.code;
  if (!why.message.empty())
    text += " (" + why.message + ")";
  return caf::make_error(missing ? ec::not_found : ec::store_failed,
                         quoted_reason(text, {signer.secret_key}));
}

caf::expected<sqs_reader::message_list>
sqs_reader::receive(std::uint64_t count, std::uint64_t wait_s,
                    const aws_signer& signer, const allowance& time) {
  const auto said = ask(
    "ReceiveMessage",
    sqs::write_receive(settings_.from.url,
                       {count, wait_s, settings_.from.visibility_timeout_s}),
    signer, time);
  if (!said)
    return said.error();
  return sqs::read_messages(*said);
}

void sqs_reader::take(sqs::message&& x, pulled_batch& to) {
  auto body = body_of_message(x.body);
  if (!body)
    return add_bad(to, x.id, render(body.error()), x.body);
  const auto before = to.records.size();
  add_record(to, rules_, x.id, std::move(*body));
  if (to.records.size() > before)
    held_.hold(to.records.back().key, x.id, std::move(x.receipt));
}

caf::expected<pulled_batch> sqs_reader::next_batch(const batch_request& x) {
  const interruption::call call{interruption_};
  const auto signer = aws_signer_of(settings_.from, "sqs");
  if (!signer)
    return signer.error();
  auto wait_s = x.timeout < receive_wait_min ? 0 : receive_wait_s;
  return gather_messages(
    x, interruption_,
    [&](std::uint64_t room, const allowance& time) {
      return receive(std::min<std::uint64_t>(room, sqs::messages_max),
                     std::exchange(wait_s, 0), *signer, time);
    },
    [&](sqs::message&& one, pulled_batch& to) {
      const auto bytes = one.body.size();
      take(std::move(one), to);
      return bytes;
    });
}

caf::error sqs_reader::remove(std::span<const held_messages::one> what,
                              const aws_signer& signer, const allowance& time,
                              std::string& why) {
  const auto said =
    ask("DeleteMessageBatch", sqs::write_deletion(settings_.from.url, what),
        signer, time);
  if (!said)
    return said.error();
  const auto outcome = sqs::read_deletion(*said, what.size());
  if (!outcome)
    return outcome.error();
  for (const auto at : outcome->done)
    held_.forget(what[at].id);
  for (const auto& failed : outcome->failed) {
    // By this receipt it will never go; with the next delivery comes another.
    if (failed.why.code == "ReceiptHandleIsInvalid")
      held_.forget(what[failed.at].id);
    else
      why = failed.why.code + " (" + failed.why.message + ")";
  }
  return {};
}

caf::error sqs_reader::applied(const std::vector<std::string>& keys) {
  const auto all = held_.of(keys);
  if (all.empty())
    return {};
  const auto not_deleted = [](const std::string& why) {
    return caf::make_error(ec::store_failed,
                           "messages are not deleted: " + why);
  };
  const interruption::call call{interruption_};
  const auto signer = aws_signer_of(settings_.from, "sqs");
  if (!signer)
    return not_deleted(render(signer.error()));
  const allowance time{std::chrono::milliseconds{settings_.timeout_ms}};
  std::string why;
  for (std::size_t at = 0; at < all.size(); at += sqs::messages_max) {
    const auto count = std::min(sqs::messages_max, all.size() - at);
    const auto failed =
      remove(std::span{all}.subspan(at, count), *signer, time, why);
    if (failed)
      return not_deleted(render(failed));
  }
  if (!why.empty())
    return not_deleted(quoted_reason(why, {signer->secret_key}));
  return {};
}

/// Where the queue with this URL is asked for: at the root of its server.
std::string sqs_endpoint(const web_url& queue) {
  return queue.text.substr(0, queue.text.find('/', queue.text.find("://") + 3))
         + "/";
}

} // namespace

caf::expected<std::unique_ptr<source_reader>>
make_sqs_reader(const std::string& name, const source_settings& x,
                const reader_context& in) {
  const auto url = read_address(x.from.url);
  if (!url)
    return url.error();
  if (auto wrong = check_aws_keys(x.from))
    return wrong;
  return std::unique_ptr<source_reader>{std::make_unique<sqs_reader>(
    x, sqs_endpoint(*url), rules_of(name, x, in.body_bytes_max), in.ca_file)};
}

} // namespace depositd::sources
