#include "adapters/doors/kit/wire.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace depositd::kit {

namespace {

constexpr std::size_t read_bytes = 64 * 1024;
/// So much is unpacked at once, however much is packed into little.
constexpr std::size_t unpacked_enough = 64 * 1024;

} // namespace

wire::~wire() {
  close(socket_);
}

// A buffer that has been larger is given back.
void wire::forget(std::string& buffer) const {
  if (buffer.capacity() > kept_bytes_max_)
    buffer = {};
  else
    buffer.clear();
}

bool wire::receive() {
  thread_local std::array<char, read_bytes> bytes;
  const auto count = recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count == 0)
    return false;
  if (count < 0) {
    lost_ = errno != EAGAIN && errno != EINTR;
    return !lost_;
  }
  auto& to = stages_.empty() ? plain_ : stages_.front().input;
  to.append(bytes.data(), static_cast<std::size_t>(count));
  return true;
}

std::string_view wire::input() {
  if (plain_used_ == plain_.size()) {
    forget(plain_);
    plain_used_ = 0;
    unpack();
  }
  return std::string_view{plain_}.substr(plain_used_);
}

void wire::consumed(std::size_t bytes) {
  plain_used_ += bytes;
}

void wire::unpack() {
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    // What came through a layer before it failed is unpacked by those behind
    // it all the same.
    if (stages_[i].failed)
      continue;
    auto& from = stages_[i].input;
    auto& to = i + 1 < stages_.size() ? stages_[i + 1].input : plain_;
    std::string_view left{from};
    // Also without new bytes: it may hold some of those before.
    auto wrong = stages_[i].what->unpack(left, to, unpacked_enough);
    from.erase(0, from.size() - left.size());
    if (!wrong)
      continue;
    // Nothing can come through it any more, whatever those before it have.
    for (std::size_t before = 0; before <= i; ++before) {
      stages_[before].failed = true;
      stages_[before].input = {};
    }
    if (!failure_)
      failure_ = std::move(wrong);
  }
  if (tls_ != nullptr)
    tls_->drain(packed_);
}

bool wire::pack() {
  if (frames_.empty())
    return true;
  std::string bytes = std::exchange(frames_, {});
  for (auto at = stages_.rbegin(); at != stages_.rend(); ++at) {
    std::string packed;
    if (at->what->pack(bytes, packed))
      return false;
    bytes.swap(packed);
  }
  if (packed_.empty())
    packed_.swap(bytes);
  else
    packed_ += bytes;
  // Its memory serves the next frames.
  frames_.swap(bytes);
  forget(frames_);
  return true;
}

bool wire::flush() {
  return pack() && write();
}

std::optional<std::size_t> wire::flush_with(std::string_view more) {
  if (!stages_.empty()) {
    const auto piece = more.substr(0, unpacked_enough);
    frames_ += piece;
    return flush() ? std::optional{piece.size()} : std::nullopt;
  }
  std::array<iovec, 2> parts{
    iovec{frames_.data(), frames_.size()},
    iovec{const_cast<char*>(more.data()), more.size()}}; // is only read
  msghdr all{};
  all.msg_iov = parts.data();
  all.msg_iovlen = parts.size();
  const auto count = sendmsg(socket_, &all, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (count < 0 && errno != EAGAIN && errno != EINTR)
    return std::nullopt;
  const auto sent = static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  if (sent < frames_.size())
    packed_.append(frames_, sent);
  const auto of_frames = std::min(sent, frames_.size());
  forget(frames_);
  return sent - of_frames;
}

bool wire::write() {
  while (sent_ < packed_.size()) {
    const auto count =
      send(socket_, packed_.data() + sent_, packed_.size() - sent_,
           MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0) {
      if (errno == EINTR)
        continue;
      if (errno != EAGAIN)
        return false;
      if (sent_ > packed_.size() / 2) {
        packed_.erase(0, sent_);
        sent_ = 0;
      }
      return true;
    }
    sent_ += static_cast<std::size_t>(count);
  }
  forget(packed_);
  sent_ = 0;
  return true;
}

void wire::add(std::unique_ptr<layer> what) {
  stages_.push_back({std::move(what), plain_.substr(plain_used_), false});
  plain_.clear();
  plain_used_ = 0;
}

void wire::add_tls(std::shared_ptr<tls_context> with) {
  auto layer = std::make_unique<tls_layer>(std::move(with));
  tls_ = layer.get();
  add(std::move(layer));
}

void wire::end_tls() {
  if (tls_ != nullptr)
    tls_->end(packed_);
}

} // namespace depositd::kit
