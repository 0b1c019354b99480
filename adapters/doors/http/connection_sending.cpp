// How a connection sends an answer.

#include "adapters/doors/http/connection.hpp"
#include "adapters/doors/http/exchange.hpp"
#include "adapters/doors/http/io_loop.hpp"
#include "adapters/doors/http/response_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace depositd::http {

namespace {

constexpr std::size_t stream_piece_bytes = 16 * 1024;

/// So much of one answer goes out before others have their turn.
constexpr std::size_t turn_bytes = 256 * 1024;

void append_hex(std::string& to, std::size_t number) {
  std::array<char, 16> text{};
  const auto* end =
    std::to_chars(text.data(), text.data() + text.size(), number, 16).ptr;
  to.append(text.data(), static_cast<std::size_t>(end - text.data()));
}

} // namespace

void connection::begin_sending() {
  activity_ = activity::sending;
  began_sending_ = loop.now();
  const auto& what = current->answered_with();
  const bool has_body = !has_no_body(what.status);
  framing how;
  streams_ = has_body && what.stream != nullptr;
  if (streams_)
    chunked_ = how.chunked = is_1_1_;
  else if (has_body)
    how.length = what.body.size();
  how.closes = closes_ =
    current->closes() || !parser_.stays() || (streams_ && !is_1_1_);
  how.says_that_it_stays = !is_1_1_ && !closes_;
  write_head(wire_.frames(), what, how, loop.date);
  if (current->wants_head_only())
    streams_ = false;
  taken_ = 0;
  body_ = {};
  if (how.length && !current->wants_head_only())
    body_ = what.body;
}

bool connection::send_on() {
  if (to_write_ || wire_.unsent() > 0)
    return false;
  while (wire_.waiting() > 0 || !body_.empty() || (streams_ && pull())) {
    const auto taken = wire_.flush_with(body_.substr(0, turn_bytes));
    if (!taken) {
      end();
      return false;
    }
    body_.remove_prefix(*taken);
    taken_ += *taken;
    extend_sending();
    // The socket is full, or others have their turn.
    to_write_ = !body_.empty();
    if (to_write_ || wire_.unsent() > 0)
      return false;
  }
  if (doing == phase::doomed || streams_)
    return false;
  return finish();
}

bool connection::pull() {
  std::array<char, stream_piece_bytes> bytes;
  const auto count = current->take_part(bytes.data(), bytes.size());
  if (count && *count == 0)
    return false;
  auto& to = wire_.frames();
  if (chunked_) {
    append_hex(to, count.value_or(0));
    to += "\r\n";
  }
  to.append(bytes.data(), count.value_or(0));
  if (chunked_)
    to += "\r\n";
  streams_ = count.has_value();
  return !to.empty();
}

bool connection::sends_much() const {
  return taken_ + body_.size() > long_answer_bytes;
}

// A long answer is kept for as long as its bytes go over, not for as long as
// they might.
void connection::extend_sending() {
  if (!sends_much())
    return;
  const auto& options = context->options;
  const auto sent = taken_ - std::min<std::uint64_t>(wire_.unsent(), taken_);
  const auto earned = after(began_sending_, options.send_limit, sent,
                            options.receive_rate_min);
  enter(phase::sending, std::min(earned, loop.now() + options.send_limit));
}

bool connection::finish() {
  std::exchange(current, nullptr)->detach();
  if (closes_) {
    end();
    return false;
  }
  activity_ = activity::reading;
  return enter(phase::idle, loop.now() + context->options.idle_limit);
}

} // namespace depositd::http
