#pragma once

// Brokers know topics by their names, and show one that was made anew as if it
// were the old one once it has grown as far. The records tell.

#include "adapters/sources/kafka/positions.hpp"
#include "messages/ports/log_identity.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace depositd::sources {

/// Used by one thread.
class known_topic {
public:
  using clock = std::chrono::steady_clock;

  known_topic(std::unique_ptr<log_identity> topic,
              std::chrono::milliseconds compared_every)
    : topic_(std::move(topic)), compared_every_(compared_every) {
    // nop
  }

  /// That this record was read: the first of a partition counts until it is
  /// compared.
  void see(std::int32_t partition, std::int64_t mark) {
    if (mark != no_record_mark)
      anchors_.try_emplace(partition, mark);
  }

  /// `ec::store_damaged` if it is another topic than was read to there. No
  /// error if that is not known, or was asked lately.
  caf::error compare(const topic_position& read, std::chrono::milliseconds wait,
                     clock::time_point now) {
    // Of a partition that is read again from before them.
    std::erase_if(anchors_, [&](const auto& x) {
      const auto at = read.find(x.first);
      return at == read.end() || offset_of_mark(x.second) >= at->second.next;
    });
    if (anchors_.empty() || now - compared_at_ < compared_every_)
      return {};
    std::vector<partition_mark> marks;
    for (const auto& [partition, mark] : anchors_)
      marks.push_back({partition, mark});
    if (auto failed = topic_->check(marks, wait)) {
      if (failed != ec::store_damaged)
        return {};
      anchors_.clear();
      return failed;
    }
    compared_at_ = now;
    for (const auto& [partition, place] : read)
      if (place.mark != no_record_mark)
        anchors_[partition] = place.mark;
    return {};
  }

private:
  std::unique_ptr<log_identity> topic_;
  std::chrono::milliseconds compared_every_;
  /// By partition: records that were the last when the topic was last known to
  /// be the one that is read. Later ones may be of another.
  std::map<std::int32_t, std::int64_t> anchors_;
  clock::time_point compared_at_;
};

} // namespace depositd::sources
