#include "adapters/stores/objects/copy_gate.hpp"

#include <algorithm>

namespace depositd::ocfl {

copy_gate::removal::removal(copy_gate& gate) : gate_(gate) {
  std::unique_lock lock{gate_.mutex_};
  gate_.changed_.wait(lock, [&] { return !gate_.copying_ || gate_.stopped_; });
  ++gate_.removals_;
}

copy_gate::removal::~removal() {
  const std::lock_guard lock{gate_.mutex_};
  --gate_.removals_;
  gate_.changed_.notify_all();
}

caf::error copy_gate::begin_version(const std::string& object,
                                    const head_of& head) {
  {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return !held_ || stopped_; });
    if (!copying_ || before_.contains(object))
      return {};
  }
  const auto last = head();
  if (!last)
    return last.error();
  const std::lock_guard lock{mutex_};
  if (copying_)
    before_.try_emplace(object, *last);
  return {};
}

caf::error copy_gate::hold() {
  std::unique_lock lock{mutex_};
  if (copying_)
    return caf::make_error(ec::already_exists,
                           std::string{"a copy is being made already"});
  copying_ = true;
  held_ = true;
  changed_.wait(lock, [this] { return removals_ == 0 || stopped_; });
  if (!stopped_)
    return {};
  copying_ = false;
  held_ = false;
  return caf::make_error(ec::draining, std::string{"the engine ends"});
}

void copy_gate::let_go() {
  const std::lock_guard lock{mutex_};
  held_ = false;
  changed_.notify_all();
}

std::uint32_t copy_gate::copied_of(const std::string& object,
                                   std::uint32_t head) {
  const std::lock_guard lock{mutex_};
  const auto at = before_.find(object);
  return at == before_.end() ? head : std::min(head, at->second);
}

void copy_gate::end() {
  const std::lock_guard lock{mutex_};
  copying_ = false;
  held_ = false;
  before_.clear();
  changed_.notify_all();
}

void copy_gate::stop() {
  const std::lock_guard lock{mutex_};
  stopped_ = true;
  changed_.notify_all();
}

bool copy_gate::stopped() const {
  const std::lock_guard lock{mutex_};
  return stopped_;
}

} // namespace depositd::ocfl
