#include "adapters/processing/merritt/room_watch.hpp"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

namespace depositd::merritt {

namespace {

/// Others write on the disk, too, and tell nobody.
constexpr std::chrono::seconds pause{1};

} // namespace

room_watch::room_watch(std::shared_ptr<const stages::stage_tools> tools,
                       std::shared_ptr<promised_room> room)
  : tools_(std::move(tools)), room_(std::move(room)),
    thread_([this](const std::stop_token& stop) { watch(stop); }) {
  // nop
}

bool room_watch::add(const handle_item& x, std::uint64_t bytes) {
  const std::lock_guard guard{mutex_};
  const auto& item = x.item;
  if (!waiting_.add({item.id, item.priority, item.user, x.queue, bytes}))
    return false;
  changed_.notify_one();
  return true;
}

void room_watch::remove(item_id id) {
  const std::lock_guard guard{mutex_};
  waiting_.remove(id);
}

void room_watch::watch(const std::stop_token& stop) {
  std::unique_lock lock{mutex_};
  while (changed_.wait(lock, stop, [this] { return !waiting_.empty(); })) {
    lock.unlock();
    for (auto& items : look())
      tools_->wake(std::move(items));
    lock.lock();
    changed_.wait_for(lock, stop, pause, [] { return false; });
  }
}

std::vector<wake_items> room_watch::look() {
  std::error_code code;
  const auto space = std::filesystem::space(tools_->work_folder, code);
  if (code)
    return {};
  const disk_space disk{space.capacity, space.available};
  const auto promised = room_->promised();
  const std::lock_guard guard{mutex_};
  if (!waiting_.may_fit(tools_->provision, disk, promised))
    return {};
  return waiting_.next(tools_->provision, disk, promised,
                       std::chrono::steady_clock::now());
}

} // namespace depositd::merritt
