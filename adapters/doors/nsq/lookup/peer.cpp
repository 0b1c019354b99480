#include "adapters/doors/nsq/lookup/peer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include <spdlog/spdlog.h>
#include <unistd.h>

namespace depositd::nsq_lookup {

namespace {

bool would_wait() {
  return errno == EAGAIN || errno == EWOULDBLOCK;
}

} // namespace

peer::peer(kit::loop& where, resolver& names, endpoint to, announced self,
           const peer_times& times)
  : loop_(where), names_(names), to_(std::move(to)), self_(std::move(self)),
    times_(times), delay_(times.retry),
    wanted_(std::make_shared<const registrations>()) {
  // nop
}

peer::~peer() {
  shut();
}

void peer::want(std::shared_ptr<const registrations> all) {
  wanted_ = std::move(all);
  if (known_there_) {
    plan();
    go_on();
  }
}

void peer::look() {
  const auto now = loop_.now();
  if (doing_ == state::waiting && now >= due_) {
    doing_ = state::resolving;
    return names_.find(to_, [self = weak_from_this()](addresses_found found) {
      const auto x = self.lock();
      if (!x)
        return;
      if (found.all.empty())
        return x->drop(found.why);
      x->untried_.assign(found.all.begin(), found.all.end());
      x->try_next();
    });
  }
  if (doing_ == state::connecting && now >= due_)
    return try_next();
  if (doing_ != state::talking)
    return;
  if (unanswered_ > 0 && now >= due_)
    return drop("no answer in time");
  if (known_there_ && now >= next_ping_) {
    next_ping_ = now + times_.ping;
    say(ping_command);
    send_out();
  }
}

void peer::try_next() {
  shut();
  std::string why = "no connection in time";
  while (!untried_.empty()) {
    const auto at = untried_.front();
    untried_.pop_front();
    socket_ = ::socket(at.bytes.ss_family,
                       SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const auto* where = reinterpret_cast<const sockaddr*>(&at.bytes);
    if (socket_ >= 0
        && (::connect(socket_, where, at.size) == 0 || errno == EINPROGRESS)) {
      doing_ = state::connecting;
      due_ = loop_.now() + times_.connect;
      return loop_.watch(socket_, kit::interest::writing,
                         [this] { connected(); });
    }
    why = std::strerror(errno);
    if (socket_ >= 0)
      ::close(std::exchange(socket_, -1));
  }
  drop(why);
}

void peer::connected() {
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) {
    if (!untried_.empty())
      return try_next();
    return drop(std::strerror(error));
  }
  doing_ = state::talking;
  say(greeting(self_));
  send_out();
}

void peer::ready() {
  if (receive())
    go_on();
}

// False: the connection is gone.
bool peer::receive() {
  std::array<char, 16 * 1024> bytes;
  for (;;) {
    const auto count = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (count > 0) {
      in_.add({bytes.data(), static_cast<std::size_t>(count)});
      if (!take_answers())
        return false;
    } else if (count == 0) {
      drop("it has closed the connection");
      return false;
    } else if (would_wait()) {
      return true;
    } else if (errno != EINTR) {
      drop(std::strerror(errno));
      return false;
    }
  }
}

bool peer::take_answers() {
  while (const auto answer = in_.next()) {
    if (unanswered_ == 0 || answer->starts_with("E_")) {
      drop(unanswered_ == 0 ? "an answer to nothing" : answer->substr(0, 200));
      return false;
    }
    --unanswered_;
    due_ = loop_.now() + times_.answer;
    if (known_there_)
      continue;
    known_there_ = true;
    delay_ = times_.retry;
    next_ping_ = loop_.now() + times_.ping;
    spdlog::info("lookupd_connected address={}", to_string(to_));
    plan();
  }
  if (!in_.absurd())
    return true;
  drop("an answer that is too long");
  return false;
}

void peer::say(std::string_view bytes) {
  if (unanswered_ == 0)
    due_ = loop_.now() + times_.answer;
  ++unanswered_;
  out_.append(bytes);
}

// What was told and is no longer so, channels before their topics; then what is
// new.
void peer::plan() {
  todo_.clear();
  std::vector<registration> gone;
  std::set_difference(told_.begin(), told_.end(), wanted_->begin(),
                      wanted_->end(), std::back_inserter(gone));
  for (auto i = gone.rbegin(); i != gone.rend(); ++i)
    todo_.emplace_back(false, std::move(*i));
  std::vector<registration> fresh;
  std::set_difference(wanted_->begin(), wanted_->end(), told_.begin(),
                      told_.end(), std::back_inserter(fresh));
  for (auto& x : fresh)
    todo_.emplace_back(true, std::move(x));
}

void peer::go_on() {
  while (!todo_.empty() && unanswered_ < unanswered_max) {
    const auto [is_new, what] = std::move(todo_.front());
    todo_.pop_front();
    say(is_new ? register_command(what) : unregister_command(what));
    if (is_new)
      told_.insert(what);
    else
      told_.erase(what);
  }
  send_out();
}

void peer::send_out() {
  while (!out_.empty()) {
    const auto count = ::send(socket_, out_.data(), out_.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 && would_wait())
      break;
    if (count < 0)
      return drop(std::strerror(errno));
    out_.erase(0, static_cast<std::size_t>(count));
  }
  loop_.watch(socket_,
              out_.empty() ? kit::interest::reading : kit::interest::both,
              [this] { ready(); });
}

void peer::shut() {
  if (socket_ < 0)
    return;
  loop_.unwatch(socket_);
  ::close(std::exchange(socket_, -1));
}

void peer::drop(const std::string& why) {
  shut();
  spdlog::warn("lookupd_lost address={} retry_ms={} reason=\"{}\"",
               to_string(to_), delay_.count(), why);
  doing_ = state::waiting;
  due_ = loop_.now() + delay_;
  delay_ = std::min(2 * delay_, times_.retry_max);
  untried_.clear();
  out_.clear();
  in_.clear();
  unanswered_ = 0;
  known_there_ = false;
  told_.clear();
  todo_.clear();
}

} // namespace depositd::nsq_lookup
