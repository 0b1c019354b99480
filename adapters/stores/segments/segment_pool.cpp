#include "adapters/stores/segments/segment_pool.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>

#include <fcntl.h>
#include <sys/stat.h>

namespace depositd::segments {

namespace fs = std::filesystem;
using std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {

// Groups that are written over zeros are flushed without a change of the file's
// map, which costs half of the flush: so zeros are worth it also while groups
// are appended. Each piece is flushed at once, so there are never enough dirty
// bytes for an append's own flush to wait behind, and the disk is left to
// appends for four fifths of the time.
constexpr std::uint64_t fill_piece_bytes = 256 * 1024;
constexpr std::chrono::milliseconds fill_pause_min{5};
constexpr int fill_pause_factor = 4;

constexpr std::chrono::seconds retry_pause{1};

constexpr const char* fresh_name = "fresh.tmp";

/// Less where the disk has less, but then at most half of what it has: what is
/// behind the log needs some to end and drop segments. All if too little would
/// be left of it, which is refused.
std::uint64_t fitting(std::uint64_t wanted, std::uint64_t least,
                      std::uint64_t room) {
  if (wanted <= room)
    return wanted;
  auto out = wanted / 2;
  while (out >= least && 2 * out > room)
    out /= 2;
  return out < least ? wanted : whole_pages(out);
}

} // namespace

std::uint64_t pool_options::bytes_of(std::uint64_t number) const {
  auto out = first_bytes == 0 ? segment_bytes : first_bytes;
  for (std::uint64_t i = 1; i < number && out < segment_bytes; ++i)
    out *= 2;
  return std::min(out, segment_bytes);
}

std::uint64_t pool_options::least_bytes() const {
  return first_bytes == 0 ? segment_bytes : first_bytes;
}

segment_pool::segment_pool(disk& io, manifest_file& names, pool_options options,
                           std::deque<segment_ptr> ready,
                           std::vector<spare_file> spares)
  : io_(io), names_(names), options_(std::move(options)),
    ready_(std::move(ready)), spares_(std::move(spares)),
    fill_pause_(fill_pause_min), thread_([this] { run(); }) {
  // nop
}

segment_pool::~segment_pool() {
  {
    const std::lock_guard guard{mutex_};
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void segment_pool::prepare() {
  {
    const std::lock_guard guard{mutex_};
    asked_ = true;
  }
  changed_.notify_all();
}

caf::expected<segment_ptr> segment_pool::take(std::uint64_t capacity_min) {
  lock held{mutex_};
  failed_ = caf::error{};
  wanted_ = capacity_min;
  changed_.notify_all();
  changed_.wait(held, [&] {
    return failed_
           || (!busy_ && !ready_.empty()
               && ready_.front()->header.capacity >= capacity_min);
  });
  wanted_ = 0;
  if (failed_)
    return failed_;
  auto out = std::move(ready_.front());
  ready_.pop_front();
  // Whatever is not filled by now is filled by the groups themselves.
  fill_at_ = 0;
  return out;
}

void segment_pool::put_back(segment_ptr segment) {
  lock held{mutex_};
  changed_.wait(held, [this] { return !busy_; });
  fill_at_ = 0; // it is for the first of the ready ones
  ready_.push_front(std::move(segment));
}

caf::error segment_pool::give_back(segment_ptr segment) {
  auto keep = segment->header.capacity == options_.segment_bytes;
  const auto spare = options_.folder / spare_name(segment->header.number);
  if (keep) {
    const std::lock_guard guard{mutex_};
    keep = spares_.size() < options_.spares_max;
  }
  std::error_code code;
  const auto& path = segment->path;
  if (!keep) {
    fs::remove(path, code);
    return code ? file_failed("remove", path, code.value()) : caf::error{};
  }
  fs::rename(path, spare, code);
  if (code)
    return file_failed("rename", path, code.value());
  {
    const std::lock_guard guard{mutex_};
    spares_.push_back({spare, std::move(segment)});
    again_at_ = {}; // it will do
  }
  changed_.notify_all();
  return {};
}

std::uint64_t segment_pool::disk_bytes() {
  const std::lock_guard guard{mutex_};
  auto out = spares_.size() * options_.segment_bytes;
  for (const auto& segment : ready_)
    out += segment->header.capacity;
  return out;
}

bool segment_pool::has_work() const {
  if (wanted_ > 0)
    return !failed_
           && (ready_.empty() || ready_.front()->header.capacity < wanted_);
  return asked_ && ready_.empty() && again_at_ <= steady_clock::now();
}

bool segment_pool::has_fill() const {
  return fill_at_ != 0 && wanted_ == 0;
}

void segment_pool::run() {
  lock held{mutex_};
  while (!stopping_) {
    if (has_work()) {
      busy_ = true;
      auto failed = ready_.empty() ? make_ready(held) : grow_ready(held);
      busy_ = false;
      asked_ = static_cast<bool>(failed); // again
      again_at_ = steady_clock::now() + (failed ? retry_pause : 0s);
      lacks_space_ = ready_.empty();
      failed_ = std::move(failed);
      changed_.notify_all();
    } else if (has_fill()) {
      changed_.wait_for(held, fill_pause_,
                        [this] { return stopping_ || wanted_ > 0; });
      // The segment may have been taken meanwhile.
      if (!stopping_ && has_fill())
        fill(held);
    } else {
      wait_for_work(held);
    }
  }
}

void segment_pool::wait_for_work(lock& held) {
  const auto is_due = [this] { return stopping_ || has_work() || has_fill(); };
  if (asked_ && ready_.empty())
    changed_.wait_until(held, again_at_, is_due);
  else
    changed_.wait(held, is_due);
}

void segment_pool::fill(lock& held) {
  static constexpr char zeros[fill_piece_bytes] = {};
  const auto segment = ready_.front();
  const auto at = fill_at_;
  const auto size = std::min(fill_piece_bytes, segment->header.capacity - at);
  busy_ = true;
  held.unlock();
  iovec part{const_cast<char*>(zeros), size};
  const auto begun = steady_clock::now();
  auto code = io_.write(segment->file.value(), {&part, 1}, at);
  if (code == 0)
    code = io_.sync(segment->file.value());
  const auto took = steady_clock::now() - begun;
  held.lock();
  fill_pause_ = std::max<steady_clock::duration>(fill_pause_min,
                                                 took * fill_pause_factor);
  busy_ = false;
  fill_at_ += size;
  // Unfilled is only slower, so an error is left to the append that meets it.
  if (code != 0 || fill_at_ == segment->header.capacity)
    fill_at_ = 0;
  changed_.notify_all();
}

caf::expected<fs::path> segment_pool::find_file(std::uint64_t number,
                                                bool& fresh, lock& held) {
  const auto usual = options_.bytes_of(number);
  const auto wanted = std::max(wanted_, usual);
  const auto least = std::max(wanted_, options_.least_bytes());
  if (named_ && wanted == usual)
    return options_.folder / segment_name(number);
  const auto at =
    std::find_if(spares_.begin(), spares_.end(), [](const spare_file& x) {
      return x.former == nullptr || x.former.use_count() == 1;
    });
  fresh = at == spares_.end() || wanted > options_.segment_bytes;
  if (!fresh) {
    // Pairs with the release of the last reader's reference.
    std::atomic_thread_fence(std::memory_order_acquire);
    auto out = std::move(at->path);
    spares_.erase(at);
    return out;
  }
  held.unlock();
  auto path = options_.folder / fresh_name;
  auto result = [&]() -> caf::error {
    auto file = open_file(path, O_RDWR | O_CREAT | O_TRUNC);
    if (!file)
      return std::move(file.error());
    const auto bytes = fitting(wanted, least, io_.room(file->value()));
    if (const auto code = io_.allocate(file->value(), bytes))
      return file_failed("allocate", path, code);
    return {};
  }();
  held.lock();
  if (result) {
    // What was allocated is needed elsewhere now.
    std::error_code ignored;
    fs::remove(path, ignored);
    return result;
  }
  return path;
}

caf::error segment_pool::make_ready(lock& held) {
  held.unlock();
  const auto number = names_.now().newest + 1;
  const auto name = options_.folder / segment_name(number);
  held.lock();
  auto fresh = false;
  auto path = find_file(number, fresh, held);
  if (!path)
    return std::move(path.error());
  held.unlock();
  auto segment = create(number, *path);
  std::error_code ignored;
  const auto named = !segment && fs::exists(name, ignored);
  held.lock();
  named_ = named;
  if (!segment) {
    if (!fresh && !named)
      spares_.push_back({std::move(*path), nullptr});
    return std::move(segment.error());
  }
  const auto bytes = (*segment)->header.capacity;
  small_bytes_ = bytes < options_.bytes_of(number) ? bytes : 0;
  ready_.push_back(std::move(*segment));
  fill_at_ = fresh ? page_bytes : 0;
  return {};
}

caf::expected<segment_ptr> segment_pool::create(std::uint64_t number,
                                                const fs::path& path) {
  auto file = open_file(path, O_RDWR);
  if (!file)
    return std::move(file.error());
  struct stat facts {};
  if (::fstat(file->value(), &facts) != 0)
    return file_failed("read", path, errno);
  const segment_header header{.shard = options_.shard,
                              .number = number,
                              .capacity =
                                static_cast<std::uint64_t>(facts.st_size),
                              .nonce = random_nonce()};
  if (auto failed = begin_segment(io_, *file, path, header))
    return failed;
  auto name = options_.folder / segment_name(number);
  std::error_code code;
  fs::rename(path, name, code);
  if (code)
    return file_failed("rename to", name, code.value());
  if (auto failed = sync_folder(io_, options_.folder))
    return failed;
  if (auto failed = names_.change([&](manifest& x) { x.newest = number; }))
    return failed;
  return std::make_shared<const segment_file>(
    segment_file{std::move(*file), std::move(name), header});
}

caf::error segment_pool::grow_ready(lock& held) {
  const auto old = ready_.front();
  auto header = old->header;
  header.capacity = wanted_;
  fill_at_ = 0;
  held.unlock();
  auto result = [&]() -> caf::error {
    if (const auto code = io_.allocate(old->file.value(), header.capacity))
      return file_failed("allocate", old->path, code);
    return begin_segment(io_, old->file, old->path, header);
  }();
  auto file =
    result ? caf::expected<unique_fd>{result} : open_file(old->path, O_RDWR);
  held.lock();
  if (!file)
    return std::move(file.error());
  ready_.front() = std::make_shared<const segment_file>(
    segment_file{std::move(*file), old->path, header});
  return {};
}

} // namespace depositd::segments
