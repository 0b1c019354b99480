#include "tests/support/memory_record_log.hpp"

#include "messages/values/record_mark.hpp"

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace depositd {

namespace {

struct memory_partition {
  std::int64_t low = 0;
  std::vector<source_record> records; ///< from offset `low` on
  std::set<std::int64_t> marks;       ///< offsets that are of no record

  std::int64_t high() const {
    return low + static_cast<std::int64_t>(records.size());
  }
};

using memory_topic = std::vector<memory_partition>;

caf::error unreachable() {
  return caf::make_error(ec::store_failed, "no broker answers");
}

} // namespace

class memory_record_log {
public:
  explicit memory_record_log(const memory_record_log_options& given)
    : options(given) {
    // nop
  }

  /// Null if there is none.
  memory_topic* find(const std::string& name) {
    const auto found = topics.find(name);
    return found == topics.end() ? nullptr : &found->second;
  }

  memory_partition& at(const std::string& topic, std::int32_t partition) {
    auto* found = find(topic);
    assert(found && partition >= 0
           && static_cast<std::size_t>(partition) < found->size());
    return (*found)[static_cast<std::size_t>(partition)];
  }

  std::int64_t add(const std::string& topic, std::int32_t partition,
                   source_record x) {
    auto& to = at(topic, partition);
    x.partition = partition;
    x.offset = to.high();
    to.records.push_back(std::move(x));
    changed.notify_all();
    return to.high() - 1;
  }

  const memory_record_log_options options;
  std::mutex mutex; ///< guards what follows
  std::condition_variable changed;
  std::map<std::string, memory_topic> topics;
  bool reachable = true;
  std::string refused; ///< key; empty: none
  publish_fault fault = publish_fault::nothing_written;
  std::uint32_t faults = 0;
  std::size_t turn = 0; ///< for records without a key
};

namespace {

using guard = std::unique_lock<std::mutex>;

class memory_source final : public record_source {
public:
  memory_source(std::shared_ptr<memory_record_log> log, std::string topic)
    : log_(std::move(log)), topic_(std::move(topic)) {
    // nop
  }

  caf::expected<std::int32_t> partitions() override {
    const guard lock{log_->mutex};
    if (!log_->reachable)
      return unreachable();
    if (const auto* topic = log_->find(topic_))
      return static_cast<std::int32_t>(topic->size());
    return unknown();
  }

  caf::expected<partition_range> range(std::int32_t partition) override {
    const guard lock{log_->mutex};
    return range_of(partition);
  }

  std::int64_t known_end(std::int32_t partition) override {
    const auto now = range(partition);
    return now ? now->high : -1;
  }

  caf::error assign(const std::vector<partition_position>& positions) override {
    const guard lock{log_->mutex};
    std::map<std::int32_t, std::int64_t> next;
    for (auto x : positions) {
      const auto range = range_of(x.partition);
      if (!range)
        return range.error();
      if (x.next == from_oldest)
        x.next = range->low;
      if (auto error = check(x.partition, x.next, *range))
        return error;
      next[x.partition] = x.next;
    }
    next_ = std::move(next);
    stopped_ = {};
    return {};
  }

  caf::expected<std::vector<source_record>>
  poll(const read_limits& limits) override {
    guard lock{log_->mutex};
    const auto end = std::chrono::steady_clock::now() + limits.wait;
    for (;;) {
      if (stopped_)
        return stopped_;
      auto out = take(limits);
      if (!out.empty())
        return out;
      if (stopped_)
        continue;
      // Without a wait nothing depends on the time, as simulations need it.
      if (limits.wait.count() == 0
          || log_->changed.wait_until(lock, end) == std::cv_status::timeout)
        return take(limits);
    }
  }

  std::int64_t shown_to(std::int32_t partition) const override {
    const auto at = next_.find(partition);
    return at == next_.end() ? 0 : at->second;
  }

  std::string trouble() const override {
    const guard lock{log_->mutex};
    return log_->reachable ? "" : "no broker answers";
  }

private:
  caf::error unknown() const {
    return caf::make_error(ec::not_found,
                           "topic " + topic_ + " does not exist");
  }

  caf::expected<partition_range> range_of(std::int32_t partition) {
    if (!log_->reachable)
      return unreachable();
    const auto* topic = log_->find(topic_);
    if (!topic || partition < 0
        || static_cast<std::size_t>(partition) >= topic->size())
      return unknown();
    const auto& x = (*topic)[static_cast<std::size_t>(partition)];
    return partition_range{x.low, x.high()};
  }

  caf::error check(std::int32_t partition, std::int64_t next,
                   const partition_range& range) const {
    const auto where = topic_ + "/" + std::to_string(partition);
    if (next < range.low)
      return caf::make_error(ec::not_found,
                             where + " begins at a later record");
    if (next > range.high)
      return caf::make_error(ec::store_damaged,
                             where + " ends at an earlier record");
    return {};
  }

  std::vector<source_record> take(const read_limits& limits) {
    std::vector<source_record> out;
    std::size_t bytes = 0;
    if (!log_->reachable || !log_->find(topic_))
      return out;
    for (auto& [partition, next] : next_) {
      const auto range = range_of(partition);
      stopped_ = range ? check(partition, next, *range) : range.error();
      if (stopped_)
        break;
      const auto& from = log_->at(topic_, partition);
      while (next < from.high() && out.size() < limits.records_max
             && bytes < limits.bytes_max) {
        const auto at = next++;
        if (from.marks.count(at) != 0)
          continue;
        out.push_back(from.records[static_cast<std::size_t>(at - from.low)]);
        bytes += out.back().value.size() + out.back().key.size();
      }
    }
    return out;
  }

  std::shared_ptr<memory_record_log> log_;
  std::string topic_;
  std::map<std::int32_t, std::int64_t> next_; ///< by assigned partition
  caf::error stopped_;
};

class memory_identity final : public log_identity {
public:
  memory_identity(std::shared_ptr<memory_record_log> log, std::string topic)
    : log_(std::move(log)), topic_(std::move(topic)) {
    // nop
  }

  caf::error check(const std::vector<partition_mark>& marks,
                   std::chrono::milliseconds) override {
    const guard lock{log_->mutex};
    if (!log_->reachable || !log_->find(topic_))
      return unreachable();
    for (const auto& x : marks) {
      const auto& from = log_->at(topic_, x.partition);
      const auto at = offset_of_mark(x.mark);
      if (at < from.low || at >= from.high())
        continue;
      const auto& there = from.records[static_cast<std::size_t>(at - from.low)];
      if (mark_of(at, there.key, there.value) != x.mark)
        return caf::make_error(ec::store_damaged,
                               topic_ + " is not the log that was read");
    }
    return {};
  }

private:
  std::shared_ptr<memory_record_log> log_;
  std::string topic_;
};

class memory_sink final : public record_sink {
public:
  explicit memory_sink(std::shared_ptr<memory_record_log> log)
    : log_(std::move(log)) {
    // nop
  }

  caf::error publish(const std::vector<outgoing_record>& batch,
                     std::chrono::milliseconds) override {
    const guard lock{log_->mutex};
    if (!log_->reachable)
      return unreachable();
    for (const auto& x : batch)
      if (!log_->find(x.topic))
        return caf::make_error(ec::not_found,
                               "topic " + x.topic + " does not exist");
    if (log_->faults == 0)
      return write(batch, batch.size());
    --log_->faults;
    return write_faulty(batch);
  }

  std::string trouble() const override {
    const guard lock{log_->mutex};
    return log_->reachable ? "" : "no broker answers";
  }

private:
  caf::error write_faulty(const std::vector<outgoing_record>& batch) {
    switch (log_->fault) {
      case publish_fault::nothing_written:
        break;
      case publish_fault::half_written:
        write(batch, batch.size() / 2);
        break;
      case publish_fault::answer_lost:
        write(batch, batch.size());
        break;
      case publish_fault::written_twice:
        write(batch, batch.size());
        write(batch, batch.size());
        return {};
    }
    return caf::make_error(ec::store_failed, "a fault that was asked for");
  }

  caf::error write(const std::vector<outgoing_record>& batch,
                   std::size_t count) {
    caf::error out;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& x = batch[i];
      if (!log_->refused.empty() && x.key == log_->refused) {
        out = caf::make_error(ec::store_failed, "refused for good: " + x.key);
        continue;
      }
      const auto size = log_->find(x.topic)->size();
      const auto number =
        (x.key.empty() ? log_->turn++ : std::hash<std::string>{}(x.key)) % size;
      source_record record{.key = x.key,
                           .value = x.has_value ? x.value : std::string{},
                           .has_value = x.has_value,
                           .headers = x.headers};
      if (record.value.size() > log_->options.value_bytes_max) {
        record.headers.push_back(
          {value_omitted_header, std::to_string(record.value.size())});
        record.value.clear();
        record.has_value = false;
      }
      if (record.key.size() > log_->options.value_bytes_max) {
        record.headers.push_back(
          {key_omitted_header, std::to_string(record.key.size())});
        record.key.clear();
      }
      log_->add(x.topic, static_cast<std::int32_t>(number), std::move(record));
    }
    return out;
  }

  std::shared_ptr<memory_record_log> log_;
};

} // namespace

std::shared_ptr<memory_record_log>
make_memory_record_log(const memory_record_log_options& options) {
  return std::make_shared<memory_record_log>(options);
}

std::unique_ptr<record_source>
open_memory_source(std::shared_ptr<memory_record_log> log, std::string topic) {
  return std::make_unique<memory_source>(std::move(log), std::move(topic));
}

std::unique_ptr<log_identity>
open_memory_identity(std::shared_ptr<memory_record_log> log,
                     std::string topic) {
  return std::make_unique<memory_identity>(std::move(log), std::move(topic));
}

std::unique_ptr<record_sink>
open_memory_sink(std::shared_ptr<memory_record_log> log) {
  return std::make_unique<memory_sink>(std::move(log));
}

void create_memory_topic(memory_record_log& log, const std::string& topic,
                         std::int32_t partitions) {
  const guard lock{log.mutex};
  log.topics[topic].assign(static_cast<std::size_t>(partitions), {});
  log.changed.notify_all();
}

void add_memory_partition(memory_record_log& log, const std::string& topic) {
  const guard lock{log.mutex};
  log.find(topic)->emplace_back();
  log.changed.notify_all();
}

std::int64_t append_memory_record(memory_record_log& log,
                                  const std::string& topic,
                                  std::int32_t partition, source_record x) {
  const guard lock{log.mutex};
  return log.add(topic, partition, std::move(x));
}

void append_memory_mark(memory_record_log& log, const std::string& topic,
                        std::int32_t partition) {
  const guard lock{log.mutex};
  log.at(topic, partition).marks.insert(log.add(topic, partition, {}));
}

std::vector<source_record> memory_records(memory_record_log& log,
                                          const std::string& topic) {
  const guard lock{log.mutex};
  std::vector<source_record> out;
  if (const auto* found = log.find(topic))
    for (const auto& x : *found)
      out.insert(out.end(), x.records.begin(), x.records.end());
  return out;
}

void trim_memory_partition(memory_record_log& log, const std::string& topic,
                           std::int32_t partition, std::int64_t low) {
  const guard lock{log.mutex};
  auto& x = log.at(topic, partition);
  low = std::clamp(low, x.low, x.high());
  x.records.erase(x.records.begin(), x.records.begin() + (low - x.low));
  x.low = low;
  log.changed.notify_all();
}

void cut_memory_partition(memory_record_log& log, const std::string& topic,
                          std::int32_t partition, std::int64_t high) {
  const guard lock{log.mutex};
  auto& x = log.at(topic, partition);
  high = std::clamp(high, x.low, x.high());
  x.records.resize(static_cast<std::size_t>(high - x.low));
  log.changed.notify_all();
}

void reach_memory_brokers(memory_record_log& log, bool yes) {
  const guard lock{log.mutex};
  log.reachable = yes;
  log.changed.notify_all();
}

void refuse_memory_records(memory_record_log& log, std::string key) {
  const guard lock{log.mutex};
  log.refused = std::move(key);
}

void fault_publishes(memory_record_log& log, publish_fault fault,
                     std::uint32_t count) {
  const guard lock{log.mutex};
  log.fault = fault;
  log.faults = count;
}

} // namespace depositd
