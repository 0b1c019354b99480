#include "adapters/sources/web/queue_reader.hpp"

#include "adapters/doors/kit/json_text.hpp"
#include "adapters/sources/records/interruptible_reader.hpp"
#include "adapters/sources/web/credentials.hpp"
#include "adapters/sources/web/held_messages.hpp"
#include "adapters/sources/web/json_members.hpp"
#include "adapters/sources/web/transport.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace depositd::sources {

namespace {

/// A poll gives no more.
constexpr std::uint64_t claims_per_poll_max = 1'000;

/// Ids of one acknowledgement.
constexpr std::size_t acks_max = 1'000;

struct claimed_message {
  std::string id;
  std::string payload;
};

using claim_list = std::vector<claimed_message>;

bool read_claim(kit::json_reader& from, claimed_message& to) {
  return each_member(from,
                     [&](std::string_view name) {
                       if (name == "id")
                         return from.text(to.id);
                       if (name != "payload")
                         return from.skip();
                       to.payload.clear(); // the last one counts
                       return from.copy(to.payload);
                     })
         && ((!to.id.empty() && !to.payload.empty())
             || from.refuse("a message without id or payload"));
}

/// [{"id":..,"payload":..},..]; `ec::malformed`.
caf::expected<claim_list> read_claims(std::string_view text) {
  claim_list out;
  kit::json_reader from{text};
  const bool read = from.look() == '[' && each_element(from, [&] {
                      return read_claim(from, out.emplace_back());
                    });
  if (!read || !from.at_end())
    return caf::make_error(ec::malformed,
                           "the answer is no list of messages"
                             + (from.why().empty() ? "" : ": " + from.why()));
  return out;
}

std::string write_ids(std::span<const held_messages::one> what) {
  std::string out = "[";
  for (const auto& x : what) {
    if (out.size() > 1)
      out += ',';
    kit::append_json_string(out, x.id);
  }
  return out + "]";
}

class queue_reader final : public interruptible_reader {
public:
  queue_reader(source_settings settings, std::string url, record_rules rules,
               std::string ca_file)
    : settings_(std::move(settings)), url_(std::move(url)),
      rules_(std::move(rules)), line_(std::move(ca_file), interruption_) {
    // nop
  }

  caf::expected<pulled_batch> next_batch(const batch_request& x) override;

  caf::error applied(const std::vector<std::string>& keys) override;

private:
  /// As it is now; empty: none.
  caf::expected<std::string> api_key() const;

  /// The answer to a question about the queue. No body: it is a GET.
  caf::expected<std::string> ask(const std::string& what,
                                 std::optional<std::string> body,
                                 const std::string& key, const allowance& time);
  caf::expected<claim_list> poll(std::uint64_t room, const std::string& key,
                                 const allowance& time);

  const source_settings settings_;
  const std::string url_;
  const record_rules rules_;
  web_line line_;
  held_messages held_;
  /// Less where messages are so large that many of them are no answer.
  std::uint64_t claims_per_poll_ = claims_per_poll_max;
};

caf::expected<std::string> queue_reader::api_key() const {
  if (settings_.from.key_file.empty())
    return std::string{};
  return read_secret("key_file", settings_.from.key_file);
}

caf::expected<std::string> queue_reader::ask(const std::string& what,
                                             std::optional<std::string> body,
                                             const std::string& key,
                                             const allowance& time) {
  web_question x;
  x.url = url_ + what;
  x.headers = {"Accept: application/json"};
  if (body)
    x.headers.emplace_back("Content-Type: application/json");
  if (!key.empty())
    x.headers.push_back("X-BV-API-Key: " + key);
  x.post = std::move(body);
  auto said = line_.ask(x, time);
  if (!said)
    return std::move(said.error());
  if (said->status == 200)
    return std::move(said->body);
  return caf::make_error(
    said->status == 404 ? ec::not_found : ec::store_failed,
    quoted_reason("the queue answers with " + std::to_string(said->status)
                    + (said->body.empty() ? "" : ": ") + said->body,
                  {key}));
}

caf::expected<claim_list> queue_reader::poll(std::uint64_t room,
                                             const std::string& key,
                                             const allowance& time) {
  const auto limit = std::min(room, claims_per_poll_);
  const auto said =
    ask("/poll?ttl=" + std::to_string(settings_.from.claim_ttl_s)
          + "&limit=" + std::to_string(limit),
        std::nullopt, key, time);
  if (!said) {
    // They come again when their claims end, and then not all at once.
    if (said.error() == ec::too_large)
      claims_per_poll_ = std::max<std::uint64_t>(limit / 2, 1);
    return said.error();
  }
  claims_per_poll_ = std::min(claims_per_poll_ * 2, claims_per_poll_max);
  return read_claims(*said);
}

caf::expected<pulled_batch> queue_reader::next_batch(const batch_request& x) {
  const interruption::call call{interruption_};
  const auto key = api_key();
  if (!key)
    return key.error();
  return gather_messages(
    x, interruption_,
    [&](std::uint64_t room, const allowance& time) {
      return poll(room, *key, time);
    },
    [&](auto&& one, pulled_batch& to) {
      const auto bytes = one.payload.size();
      const auto before = to.records.size();
      add_record(to, rules_, one.id, std::move(one.payload));
      if (to.records.size() > before)
        held_.hold(to.records.back().key, one.id, {});
      return bytes;
    });
}

caf::error queue_reader::applied(const std::vector<std::string>& keys) {
  const auto all = held_.of(keys);
  if (all.empty())
    return {};
  const auto not_acknowledged = [](const caf::error& why) {
    return caf::make_error(ec::store_failed,
                           "messages are not acknowledged: " + render(why));
  };
  const interruption::call call{interruption_};
  const auto key = api_key();
  if (!key)
    return not_acknowledged(key.error());
  const allowance time{std::chrono::milliseconds{settings_.timeout_ms}};
  for (std::size_t at = 0; at < all.size(); at += acks_max) {
    const auto some =
      std::span{all}.subspan(at, std::min(acks_max, all.size() - at));
    const auto said = ask("/ack", write_ids(some), *key, time);
    if (!said)
      return not_acknowledged(said.error());
    for (const auto& x : some)
      held_.forget(x.id);
  }
  return {};
}

} // namespace

caf::expected<std::unique_ptr<source_reader>>
make_queue_reader(const std::string& name, const source_settings& x,
                  const reader_context& in) {
  auto url = x.from.url;
  while (url.ends_with('/'))
    url.pop_back();
  if (const auto read = read_address(url); !read)
    return read.error();
  return std::unique_ptr<source_reader>{std::make_unique<queue_reader>(
    x, std::move(url), rules_of(name, x, in.body_bytes_max), in.ca_file)};
}

} // namespace depositd::sources
