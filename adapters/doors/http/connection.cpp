#include "adapters/doors/http/connection.hpp"

#include "adapters/doors/http/exchange.hpp"
#include "adapters/doors/http/io_loop.hpp"

#include <new>
#include <utility>

namespace depositd::http {

namespace {

/// Of memory that a request or an answer needed, for the next.
constexpr std::size_t kept_bytes_max = 16 * 1024;

constexpr std::string_view go_ahead = "HTTP/1.1 100 Continue\r\n\r\n";

} // namespace

connection::connection(std::shared_ptr<exchange_context> x, io_loop& y,
                       int socket, std::string from)
  : context(std::move(x)), loop(y), peer(std::move(from)),
    wire_(socket, kept_bytes_max),
    parser_({context->options.header_bytes_max, context->options.headers_max},
            *this) {
  // nop
}

connection::~connection() = default;

void connection::start(std::shared_ptr<kit::tls_context> tls) {
  secure = tls != nullptr;
  if (secure)
    wire_.add_tls(std::move(tls));
  follow();
}

bool connection::enter(phase what, kit::loop::time until) {
  if (doing == phase::doomed)
    return false;
  // What follows a request line is the rest of a request's head.
  if (doing != phase::idle)
    loop.arriving.forget(*this);
  doing = what;
  deadline = until;
  return true;
}

// Where there is no memory even for what a connection waits for, it ends.
template <class F>
void connection::or_end(F what) noexcept {
  try {
    what();
  } catch (const std::bad_alloc&) {
    end();
  }
}

void connection::expire() {
  ++context->expired;
  if (!current || (doing != phase::answering && doing != phase::receiving))
    return end();
  or_end([this] {
    if (doing == phase::answering) {
      current->expire();
    } else {
      current->refuse({408, "The request did not arrive within its time."});
      activity_ = activity::deciding;
    }
  });
  go_on();
}

// That bytes come or go earns time as long as they are in nobody's way.
void connection::make_room() {
  const auto now = loop.now();
  const bool is_short = now < context->memory_short_until.load();
  if (doing == phase::receiving && current && is_short
      && current->holds_up(now))
    expire();
  else if (doing == phase::sending && sends_much()
           && (is_short || now < context->long_short_until.load())
           && now >= began_sending_ + context->options.send_limit)
    expire();
}

void connection::end() {
  if (std::exchange(doing, phase::doomed) != phase::doomed)
    loop.end(*this);
}

void connection::close() {
  watch(std::nullopt);
  if (current)
    std::exchange(current, nullptr)->detach();
  wire_.end_tls();
  wire_.write();
}

// -- turns --------------------------------------------------------------------

void connection::ready() {
  if (doing == phase::doomed)
    return;
  if (std::exchange(to_write_, false) || wire_.unsent() > 0) {
    if (!wire_.write())
      return end();
    extend_sending();
  } else if (activity_ != activity::reading) {
    // Whoever asks for more before the answer waits for it.
    return watch(std::nullopt);
  }
  if (activity_ == activity::reading && !wire_.receive())
    return end();
  go_on();
}

void connection::go_on() {
  bool again = doing != phase::doomed;
  while (again) {
    try {
      again = step() && doing != phase::doomed;
    } catch (const std::bad_alloc&) {
      again = give_up();
    }
  }
  or_end([this] { follow(); });
}

bool connection::step() {
  switch (activity_) {
    case activity::reading:
      return read_on();
    case activity::deciding:
      return decide();
    case activity::sending:
      return send_on();
  }
  return false;
}

bool connection::give_up() noexcept {
  if (current && activity_ != activity::sending && current->give_up()) {
    activity_ = activity::deciding;
    return true;
  }
  end();
  return false;
}

void connection::follow() {
  if (doing == phase::doomed)
    return;
  if (to_write_ || wire_.unsent() > 0)
    watch(activity_ == activity::reading ? kit::interest::both
                                         : kit::interest::writing);
  else if (activity_ == activity::reading)
    watch(kit::interest::reading);
  else if (watched_ && *watched_ != kit::interest::reading)
    watch(std::nullopt);
}

// What is watched stays so while a request is answered: mostly nothing comes.
void connection::watch(std::optional<kit::interest> wanted) {
  if (watched_ == wanted)
    return;
  watched_ = wanted;
  if (wanted)
    loop.watch(socket(), *wanted, [this] { or_end([this] { ready(); }); });
  else
    loop.unwatch(socket());
}

// -- a request ----------------------------------------------------------------

bool connection::read_on() {
  auto bytes = wire_.input();
  const auto count = bytes.size();
  const auto what = parser_.next(bytes);
  wire_.consumed(count - bytes.size());
  switch (what) {
    case request_parser::found::nothing:
      if (!wire_.input().empty())
        return true;
      if (wire_.over())
        end();
      return false;
    case request_parser::found::target:
      begin_request();
      return true;
    case request_parser::found::head:
      found_head();
      return true;
    case request_parser::found::end:
      current->body_is_complete();
      break;
    case request_parser::found::refused:
      break;
    case request_parser::found::fault:
      if (!current)
        begin_request();
      if (!head_read_)
        current->begin(parser_.head());
      current->refuse({parser_.why().status, parser_.why().text});
      break;
  }
  activity_ = activity::deciding;
  return true;
}

void connection::begin_request() {
  current = std::make_shared<exchange>(context, *this);
  head_read_ = false;
}

void connection::found_head() {
  auto& head = parser_.head();
  is_1_1_ = head.is_1_1;
  const auto* expect = find_header(head.headers, "expect");
  expects_continue_ =
    is_1_1_ && expect != nullptr && same_token(*expect, "100-continue");
  activity_ = activity::deciding;
  head_read_ = true;
  current->begin(head);
  current->read_head(is_1_1_);
}

bool connection::take(std::string_view piece) {
  return current->receive(piece);
}

bool connection::decide() {
  switch (current->decide()) {
    case exchange::verdict::wait:
      return false;
    case exchange::verdict::read:
      let_body_come();
      activity_ = activity::reading;
      return true;
    case exchange::verdict::send:
      begin_sending();
      return true;
    case exchange::verdict::end:
      break;
  }
  end();
  return false;
}

void connection::let_body_come() {
  if (std::exchange(expects_continue_, false) && wire_.input().empty()) {
    wire_.frames() += go_ahead;
    wire_.flush();
  }
}

} // namespace depositd::http
