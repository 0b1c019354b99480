#pragma once

// What is done to another journal store on the way to it.

#include "messages/ports/journal_store.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace depositd::testing {

/// Passes all on. Who derives says what becomes of some of it.
class passing_journal : public journal_store {
public:
  explicit passing_journal(std::unique_ptr<journal_store> store)
    : store_(std::move(store)) {
    // nop
  }

  epoch_number epoch() const override {
    return store_->epoch();
  }
  sequence last() const override {
    return store_->last();
  }
  bool nearly_full() const override {
    return store_->nearly_full();
  }
  caf::expected<std::uint64_t>
  append(std::string_view bytes, std::uint32_t events,
         const std::vector<watermark>& watermarks) override {
    return store_->append(bytes, events, watermarks);
  }
  caf::error
  read(sequence from,
       const std::function<bool(const stored_group&)>& show) override {
    return store_->read(from, show);
  }
  caf::expected<std::string> read_body(const body_location& place) override {
    return store_->read_body(place);
  }
  std::vector<watermark> watermarks() override {
    return store_->watermarks();
  }
  std::vector<segment> segments() override {
    return store_->segments();
  }
  caf::error drop(std::uint64_t number) override {
    return store_->drop(number);
  }
  std::uint64_t disk_bytes() override {
    return store_->disk_bytes();
  }
  caf::error backup(const std::filesystem::path& folder) override {
    return store_->backup(folder);
  }

protected:
  /// The other one, on which nothing is done on the way.
  journal_store& store() {
    return *store_;
  }

private:
  std::unique_ptr<journal_store> store_;
};

} // namespace depositd::testing
