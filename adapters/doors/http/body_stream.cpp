#include "adapters/doors/http/body_stream.hpp"

#include <algorithm>
#include <utility>

namespace depositd::http {

void body_stream::call_ready() {
  std::function<void()> ready;
  {
    const std::lock_guard lock{guard_};
    ready = ready_;
  }
  if (ready)
    ready();
}

body_stream::written
body_stream::write(std::shared_ptr<const std::string> text) {
  {
    const std::lock_guard lock{guard_};
    if (ended_ || gone_)
      return written::gone;
    if (text->size() > bytes_max_ - pending_bytes_)
      return written::full;
    if (text->empty())
      return written::taken;
    pending_bytes_ += text->size();
    pending_.push_back(std::move(text));
  }
  call_ready();
  return written::taken;
}

body_stream::written body_stream::write(std::string text) {
  return write(std::make_shared<const std::string>(std::move(text)));
}

void body_stream::end() {
  {
    const std::lock_guard lock{guard_};
    if (std::exchange(ended_, true))
      return;
  }
  call_ready();
}

bool body_stream::gone() const {
  const std::lock_guard lock{guard_};
  return gone_;
}

void body_stream::when_gone(std::function<void()> what) {
  {
    const std::lock_guard lock{guard_};
    if (!gone_) {
      when_gone_ = std::move(what);
      return;
    }
  }
  what();
}

void body_stream::attach(std::function<void()> ready) {
  const std::lock_guard lock{guard_};
  ready_ = std::move(ready);
}

std::optional<std::size_t> body_stream::take(char* to, std::size_t bytes_max) {
  const std::lock_guard lock{guard_};
  if (pending_.empty() && ended_)
    return std::nullopt;
  std::size_t out = 0;
  while (out < bytes_max && !pending_.empty()) {
    const auto& first = *pending_.front();
    const auto size = first.copy(to + out, bytes_max - out, first_taken_);
    out += size;
    first_taken_ += size;
    pending_bytes_ -= size;
    if (first_taken_ == first.size()) {
      pending_.pop_front();
      first_taken_ = 0;
    }
  }
  return out;
}

void body_stream::leave() {
  std::function<void()> what;
  {
    const std::lock_guard lock{guard_};
    gone_ = true;
    pending_.clear();
    pending_bytes_ = 0;
    ready_ = nullptr;
    what = std::exchange(when_gone_, nullptr);
  }
  if (what)
    what();
}

} // namespace depositd::http
