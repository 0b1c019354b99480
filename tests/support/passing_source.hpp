#pragma once

// What is done to another source of records on the way to it.

#include "messages/ports/record_log.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace depositd::testing {

/// Passes all on. Who derives says what becomes of some of it.
class passing_source : public record_source {
public:
  explicit passing_source(std::unique_ptr<record_source> source)
    : source_(std::move(source)) {
    // nop
  }

  caf::expected<std::int32_t> partitions() override {
    return source_->partitions();
  }
  caf::expected<partition_range> range(std::int32_t partition) override {
    return source_->range(partition);
  }
  std::int64_t known_end(std::int32_t partition) override {
    return source_->known_end(partition);
  }
  caf::error assign(const std::vector<partition_position>& at) override {
    return source_->assign(at);
  }
  caf::expected<std::vector<source_record>>
  poll(const read_limits& limits) override {
    return source_->poll(limits);
  }
  std::int64_t shown_to(std::int32_t partition) const override {
    return source_->shown_to(partition);
  }
  std::string trouble() const override {
    return source_->trouble();
  }

private:
  std::unique_ptr<record_source> source_;
};

} // namespace depositd::testing
