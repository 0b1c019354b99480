#include "adapters/logs/kafka/agreed_log.hpp"

#include <utility>

namespace depositd {

namespace {

class agreement {
public:
  explicit agreement(log_agreement ask) : ask_(std::move(ask)) {
    // nop
  }

  caf::error reach() {
    if (!ask_)
      return {};
    if (auto failed = ask_())
      return failed;
    ask_ = nullptr;
    return {};
  }

private:
  log_agreement ask_; ///< none once there is agreement
};

class agreed_source final : public record_source {
public:
  agreed_source(std::unique_ptr<record_source> on, log_agreement agree)
    : on_(std::move(on)), agreement_(std::move(agree)) {
    // nop
  }

  caf::expected<std::int32_t> partitions() override {
    return on_->partitions();
  }

  caf::expected<partition_range> range(std::int32_t partition) override {
    return on_->range(partition);
  }

  std::int64_t known_end(std::int32_t partition) override {
    return on_->known_end(partition);
  }

  caf::error
  assign(const std::vector<partition_position>& positions) override {
    auto failed = agreement_.reach();
    return failed ? failed : on_->assign(positions);
  }

  caf::expected<std::vector<source_record>>
  poll(const read_limits& limits) override {
    return on_->poll(limits);
  }

  std::int64_t shown_to(std::int32_t partition) const override {
    return on_->shown_to(partition);
  }

  std::string trouble() const override {
    return on_->trouble();
  }

private:
  std::unique_ptr<record_source> on_;
  agreement agreement_;
};

class agreed_sink final : public record_sink {
public:
  agreed_sink(std::unique_ptr<record_sink> on, log_agreement agree)
    : on_(std::move(on)), agreement_(std::move(agree)) {
    // nop
  }

  caf::error publish(const std::vector<outgoing_record>& batch,
                     std::chrono::milliseconds wait) override {
    auto failed = agreement_.reach();
    return failed ? failed : on_->publish(batch, wait);
  }

  std::string trouble() const override {
    return on_->trouble();
  }

private:
  std::unique_ptr<record_sink> on_;
  agreement agreement_;
};

} // namespace

std::unique_ptr<record_source> agreed_first(std::unique_ptr<record_source> on,
                                            log_agreement agree) {
  return std::make_unique<agreed_source>(std::move(on), std::move(agree));
}

std::unique_ptr<record_sink> agreed_first(std::unique_ptr<record_sink> on,
                                          log_agreement agree) {
  return std::make_unique<agreed_sink>(std::move(on), std::move(agree));
}

} // namespace depositd
