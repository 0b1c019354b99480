// Backups that are made while all goes on, and engines that go on from one when
// everything since then is lost; but those outside still have what they were
// given.

#include "messages/projection.hpp"
#include "tests/simulation/world.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace depositd::simulation {

void world::step_of_backups() {
  if (backup_ && backup_chance_.one_in(3))
    go_back_to_backup();
  else
    make_backup();
}

void world::make_backup() {
  if (!engine_)
    return;
  const auto folder = backup_folder_->path() / std::to_string(++backups_);
  caf::anon_send(
    outside_, act{[=, this, reads = engine_->core.projector](
                    caf::event_based_actor* self) {
      self
        ->request(reads, std::chrono::minutes{10},
                  back_up{folder.string(), nullptr})
        .then([=, this](const done&) { backup_ = disks_[0]->copy_in(folder); },
              [](const caf::error&) { /* no backup */ });
    }});
}

/// What a node has said since: it says it again to who comes back, because
/// nobody has answered.
std::vector<reported> world::said_since(std::size_t entries) const {
  std::vector<reported> out;
  const auto repeats = [&](std::uint32_t number) {
    return number != 0
           && std::none_of(
             workers_.begin(), workers_.end(),
             [&](const auto& x) { return x->number == number; });
  };
  for (auto i = entries; i < told_.entries.size(); ++i)
    if (const auto* word = std::get_if<reported>(&told_.entries[i].what);
        word != nullptr && repeats(word->processor))
      out.push_back(*word);
  return out;
}

brought_back world::lost_since(std::size_t entries) const {
  brought_back out;
  for (auto i = entries; i < told_.entries.size(); ++i)
    if (const auto* record = std::get_if<journalled>(&told_.entries[i].what)) {
      out.epoch_max = std::max(out.epoch_max, record->epoch);
      if (const auto* item = std::get_if<item_enqueued>(&record->what))
        out.id_max = std::max(out.id_max, item->id);
    }
  return out;
}

void world::go_back_to_backup() {
  // Nobody is held up while the old stores are left.
  const auto was_calm = std::exchange(calm_, true);
  end(*engine_);
  former_.push_back(std::move(engine_));
  for (auto& engine : former_)
    end(*engine);
  settle();
  if (backup_chance_.one_in(2))
    let_time_pass(some_ms(30'000));
  auto copy = std::move(*std::exchange(backup_, std::nullopt));
  const auto lost = lost_since(copy.entries);
  auto said = said_since(copy.entries);
  told_.entries.resize(copy.entries);
  if (blobs_)
    blobs_->go_back(copy.folder);
  disks_[0]->go_back(std::move(copy));
  tell(lost);
  tell(fault{"all is as it was in the backup"});
  for (auto& word : said)
    tell(std::move(word));
  for (const auto& worker : workers_)
    tell(processor_joined{worker->number, worker->queue, worker->wants,
                          worker->gone ? 0 : worker->slots});
  work_ = {};
  work_seen_ = 0;
  std::set<item_id> known;
  for (const auto& one : told_.entries)
    if (const auto* record = std::get_if<journalled>(&one.what))
      if (const auto* item = std::get_if<item_enqueued>(&record->what))
        known.insert(item->id);
  std::erase_if(files_,
                [&](const auto& x) { return !known.contains(x.first); });
  disks_[0]->look_at_recovery();
  calm_ = was_calm;
  start_engine();
}

} // namespace depositd::simulation
