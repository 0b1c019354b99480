#include "adapters/doors/nsq/consumer.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <utility>

namespace depositd::nsq {

namespace {

using ms = std::chrono::milliseconds;

std::uint32_t whole_ms(flight::time::duration x) {
  const auto count = std::chrono::ceil<ms>(x).count();
  return static_cast<std::uint32_t>(std::max<ms::rep>(count, 1));
}

std::string failed(const command& what) {
  const std::string word{word_of(what.what)};
  return "E_" + word + "_FAILED " + word + ' ' + what.id_text
         + " failed ID not in flight";
}

std::string failed(verb what, item_id id) {
  command x;
  x.what = what;
  x.id_text = message_id_text(id);
  return failed(x);
}

std::string error_frame(const std::string& text) {
  std::string out;
  append_frame(out, frame_type::error, text);
  return out;
}

} // namespace

consumer::consumer(consumer_host& host, consumer_options options)
  : host_(host), options_(std::move(options)),
    chance_(
      static_cast<std::minstd_rand::result_type>(std::random_device{}())) {
  // nop
}

consumer::~consumer() {
  send_endings(0);
  caf::anon_send(options_.queue, detach{options_.number});
}

void consumer::count() {
  auto& numbers = options_.record->numbers;
  numbers.in_flight = static_cast<std::uint32_t>(flights_.size());
  numbers.ready = window_.ready();
}

void consumer::set_ready(std::uint32_t count) {
  window_.set_ready(stopped_ ? 0 : count);
  this->count();
}

void consumer::stop() {
  stopped_ = true;
  set_ready(0);
}

void consumer::refuse(const command& what) {
  host_.answers().add(error_frame(failed(what)));
}

void consumer::settle(item_id id, const flight& x, verdict says,
                      std::uint32_t delay_ms) {
  outcome out;
  out.id = id;
  out.token = x.token;
  out.member = x.member;
  out.says = says;
  out.delay_ms = delay_ms;
  outcomes_.push_back(std::move(out));
}

void consumer::execute(const command& what, time now) {
  // A message whose time is over is another's, whoever looks first.
  flights_.expire(now);
  const auto id = read_message_id(what.id_text);
  if (what.what == verb::touch) {
    if (id && flights_.find(*id) != nullptr)
      touch(*id, now);
    else
      refuse(what);
    return;
  }
  const auto x = id ? flights_.take(*id) : std::nullopt;
  count();
  if (!x) {
    refuse(what);
    return;
  }
  auto& numbers = options_.record->numbers;
  ++(what.what == verb::fin ? numbers.finished : numbers.requeued);
  settle(*id, *x, what.what == verb::fin ? verdict::done : verdict::retry,
         static_cast<std::uint32_t>(what.count));
  if (settling_.empty())
    settle_until_ = now + options_.settle_limit;
  settling_.emplace(*id, settling{host_.answers().expect(), what.what});
}

void consumer::touch(item_id id, time now) {
  const auto until = flights_.extend(id, now + options_.msg_timeout);
  if (!until)
    return;
  const auto* x = flights_.find(id);
  const renew_claims::claim claim{id, x->token, x->member};
  if (*until == now + options_.msg_timeout) {
    renewed_.claims.push_back(claim);
    return;
  }
  renew_claims last;
  last.processor = options_.number;
  last.claims = {claim};
  last.lease_ms = whole_ms(*until - now);
  renewed_less_.push_back(std::move(last));
}

void consumer::settled(const settlement& x) {
  // Of two of one message the earlier one is answered first.
  const auto [first, last] = settling_.equal_range(x.id);
  if (first == last) {
    // Nobody has asked: the claim was taken away, or was given back here.
    if (!x.accepted)
      flights_.take(x.id);
    return;
  }
  const auto at = std::min_element(first, last, [](auto& a, auto& b) {
    return a.second.answer < b.second.answer;
  });
  const auto what = at->second;
  settling_.erase(at);
  host_.answers().complete(what.answer,
                           x.accepted ? std::string{}
                                      : error_frame(failed(what.what, x.id)));
}

void consumer::give_back(const claimed_item& x, verdict says) {
  settle(x.id, flight{x.token, x.member, {}, {}}, says, 0);
}

bool consumer::sampled_out() {
  return options_.sample_rate > 0
         && std::uniform_int_distribution<std::uint32_t>{0, 99}(chance_)
              >= options_.sample_rate;
}

void consumer::arrived(claimed_item& x, time now) {
  average_bytes_ = (average_bytes_ * 7 + x.body.size()) / 8 + 1;
  if (!window_.open(flights_.size())
      || host_.backlog() > options_.backlog_bytes_max) {
    give_back(x, verdict::release); // costs no attempt
    return;
  }
  if (sampled_out()) {
    give_back(x, verdict::done);
    return;
  }
  // Not by the claim's deadline: that is of the shard's clock, which may be
  // another engine's. What is late here is refused there.
  flights_.add(x.id, {x.token, x.member, now + options_.msg_timeout,
                      now + options_.msg_timeout_max});
  ++options_.record->numbers.messages;
  host_.send_message({x.received_us * 1'000, x.attempt, x.id, x.body});
}

void consumer::take(deliver&& what, time now) {
  for (const auto& x : what.settled)
    settled(x);
  for (const auto id : what.purged)
    flights_.take(id);
  if (!what.settled.empty())
    settle_until_ =
      settling_.empty() ? time::max() : now + options_.settle_limit;
  window_.arrived(what.items.size());
  flights_.expire(now);
  for (auto& x : what.items)
    arrived(x, now);
  count();
}

std::uint32_t consumer::most_at_once() const {
  const auto max = options_.backlog_bytes_max;
  if (host_.backlog() > max)
    return 0;
  return static_cast<std::uint32_t>(
    std::clamp<std::uint64_t>(max / average_bytes_, 1, credit_max));
}

void consumer::send_endings(std::uint32_t credit) {
  if (credit == 0 && outcomes_.empty())
    return;
  settle_and_request what;
  what.processor = options_.number;
  what.credit = credit;
  what.outcomes = std::exchange(outcomes_, {});
  caf::anon_send(options_.queue, std::move(what));
}

void consumer::flush() {
  if (!renewed_.claims.empty()) {
    renew_claims what;
    what.processor = options_.number;
    what.claims.swap(renewed_.claims);
    caf::anon_send(options_.queue, std::move(what));
  }
  for (auto& x : std::exchange(renewed_less_, {}))
    caf::anon_send(options_.queue, std::move(x));
  const auto next = window_.next(flights_.size(), most_at_once());
  if (next.cancel)
    caf::anon_send(options_.queue, cancel_credit{options_.number});
  send_endings(next.ask);
}

bool consumer::look_at_time(time now) {
  if (flights_.expire(now) > 0)
    count();
  return now < settle_until_;
}

std::optional<consumer::time> consumer::next_time() const {
  const auto next = flights_.next();
  if (settle_until_ == time::max())
    return next;
  return next ? std::min(*next, settle_until_) : settle_until_;
}

} // namespace depositd::nsq
